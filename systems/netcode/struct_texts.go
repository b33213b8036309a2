package netcode

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tandem-ecs/tandem/internal/column"
)

// textForm is the form of a text on the wire.
type textForm uint8

const (
	noText     textForm = iota
	shortText           // a Text
	longString          // a string in a message
)

// makeText makes n a text. The error continues a sentence that begins with the field.
func (n *number) makeText(limit string, isAllowed bool) error {
	if n.kind == reflect.Struct {
		if limit != "" {
			return fmt.Errorf("has the tag max:%q, which is for strings: leave it out, a Text has at most %d bytes", limit, maxText)
		}
		n.text, n.bits = shortText, textBits+8*maxText
		return nil
	}
	if !isAllowed {
		return fmt.Errorf("is neither a number nor a bool: put a netcode.Text of at most %d bytes in its place, leave it out, or write a codec", maxText)
	}
	most, err := strconv.ParseInt(limit, 10, 32)
	switch {
	case limit == "":
		return errors.New(`is without a bound: write the most bytes that it may have, as in max:"200"`)
	case err != nil || most < 1:
		return fmt.Errorf(`has the tag max:%q, which is no number of bytes: write the most that it may have, as in max:"200"`, limit)
	}
	n.text, n.max, n.bits = longString, most, uint(bits.Len64(uint64(most)))+8*uint(most)
	return nil
}

// sizeBits returns the number of bits of the size of a string.
func (n *number) sizeBits() uint { return uint(bits.Len64(uint64(n.max))) }

func (n *number) textIn(value []byte) *Text { return column.At[Text](value, n.offset) }

func (n *number) stringIn(value []byte) *string { return column.At[string](value, n.offset) }

// writeText packs a text. A Text that equals that of the base, if there is one, is left out.
func (n *number) writeText(w *Writer, value, base []byte) {
	if n.text == longString {
		n.writeString(w, *n.stringIn(value))
		return
	}
	t := n.textIn(value)
	if base != nil {
		same := *t == *n.textIn(base)
		w.Bool(same)
		if same {
			return
		}
	}
	t.write(w)
}

// writeString writes the beginning of a string, as many whole runes as the bound allows, without
// bytes that are not UTF-8.
func (n *number) writeString(w *Writer, s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "")
	}
	if size := int(n.max); len(s) > size {
		for !utf8.RuneStart(s[size]) {
			size--
		}
		s = s[:size]
	}
	w.Bits(uint64(len(s)), n.sizeBits())
	for i := range len(s) {
		w.Bits(uint64(s[i]), 8)
	}
}

// readText is the inverse of writeText.
func (n *number) readText(r *Reader, value, base []byte) {
	switch {
	case n.text == longString:
		*n.stringIn(value) = n.readString(r)
	case base != nil && r.Bool():
		*n.textIn(value) = *n.textIn(base)
	default:
		n.textIn(value).read(r)
	}
}

// readString is the inverse of writeString. It allocates no more than the reader holds.
func (n *number) readString(r *Reader) string {
	size := n.readSize(r)
	if size == 0 {
		return ""
	}
	var text strings.Builder
	text.Grow(size)
	for range size {
		text.WriteByte(byte(r.Bits(8)))
	}
	s := text.String()
	if !utf8.ValidString(s) {
		r.Fail(errText)
	}
	return s
}

// readSize reads the size of a string whose bytes are there; otherwise the reader has an error.
func (n *number) readSize(r *Reader) int {
	size := r.Bits(n.sizeBits())
	if size > uint64(n.max) || 8*size > uint64(r.Remaining()) {
		r.Fail(errString)
		return 0
	}
	return int(size)
}

// errString is the error of a reader for a string that is longer than its bound or the message.
var errString = errors.New("netcode: a string beyond its bound")

// check passes over a value in its form on the wire. It verifies everything but the runes of
// strings, and allocates nothing.
func (l layout) check(r *Reader) {
	for i := range l {
		n := &l[i]
		switch n.text {
		case shortText:
			var t Text
			t.read(r)
		case longString:
			for range n.readSize(r) {
				r.Bits(8)
			}
		default:
			if !n.permits(r.Bits(n.bits)) {
				r.Fail(errStruct)
			}
		}
	}
}
