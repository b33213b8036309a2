package netcode

import (
	"errors"
	"unicode/utf8"
)

// Text is a short text of at most 31 bytes of UTF-8, such as a player's name. It holds no pointer
// and is comparable, so it may stand in components, states, inputs and messages, where a string may
// not. The struct codecs ([StructState] and its like) pack it in 5 bits and its bytes, or in one
// bit if it equals the previous value. The zero value is the empty text. [MakeText] makes all
// others.
//
// Text holds neither control characters nor line breaks, and no characters that reorder the text
// around it. That also holds for a Text that the codecs read from another computer.
type Text struct {
	size  uint8
	bytes [maxText]byte // zeros behind the text, so that equal texts have equal memory
}

const (
	maxText  = 31
	textBits = 5 // of the size
)

// MakeText returns the beginning of s as a Text: as many whole runes as 31 bytes hold. It leaves
// out bytes that are not UTF-8, control characters, line breaks, and characters that reorder the
// text around them.
func MakeText(s string) (t Text) {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		first := s[:n]
		s = s[n:]
		if !fitForText(r, n) {
			continue
		}
		if int(t.size)+n > maxText {
			break
		}
		t.size += uint8(copy(t.bytes[t.size:], first))
	}
	return t
}

// String returns the text as a string.
func (t Text) String() string { return string(t.bytes[:t.size]) }

// fitForText reports whether a rune of n bytes may stand in a Text. The answer must be the same in
// all builds, or a server refuses what its clients send. So the ranges are written out, and are not
// those of a table of Unicode that grows.
func fitForText(r rune, n int) bool {
	switch {
	case r == utf8.RuneError && n <= 1, // not UTF-8
		r < 0x20, r >= 0x7f && r < 0xa0, // control characters
		r >= 0x2028 && r <= 0x202e,            // line breaks, orders of writing
		r >= 0x2066 && r <= 0x2069,            // orders of writing
		r == 0x061c, r == 0x200e, r == 0x200f: // marks that reorder the signs beside them
		return false
	}
	return true
}

// errText is the error of a reader for a text that MakeText does not make.
var errText = errors.New("netcode: a text that is not UTF-8, or with a control character")

func (t *Text) write(w *Writer) {
	w.Bits(uint64(t.size), textBits)
	for _, b := range t.bytes[:t.size] {
		w.Bits(uint64(b), 8)
	}
}

// read is the inverse of write. With an error the text is empty.
func (t *Text) read(r *Reader) {
	*t = Text{size: uint8(r.Bits(textBits))}
	text := t.bytes[:t.size]
	for i := range text {
		text[i] = byte(r.Bits(8))
	}
	for len(text) > 0 && r.Err() == nil {
		c, n := utf8.DecodeRune(text)
		if text = text[n:]; !fitForText(c, n) {
			r.Fail(errText)
		}
	}
	if r.Err() != nil {
		*t = Text{}
	}
}
