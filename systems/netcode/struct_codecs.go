package netcode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"strconv"
	"strings"

	"github.com/tandem-ecs/tandem/internal/column"
)

// StructState returns a codec for [Game.States] that packs S field by field: bool in a bit, whole
// numbers in as many bits as they have, floating-point numbers exactly, a [Text] in 5 bits and its
// bytes. S is a number, a bool, a Text, or a struct or array of these; for anything else it panics
// and names the field. A tag sets the range of whole numbers, both ends included, which saves bits
// and is checked when states are read:
//
//	type hero struct {
//		X, Z float32
//		HP   int16 `range:"0,100"` // 7 bits
//	}
//
// A number that is read is within its range, and finite; Step has to accept all such numbers. A
// number beyond its range is written as the nearest number within, NaN as zero. Both ends need the
// same type: count Config.Version up when it changes. A codec written by hand can use fewer bits,
// since it can use the meaning of the numbers.
func StructState[S any]() StateCodec[S] { return structState[S]{layoutOf[S]()} }

// StructInput is [StructState] for [Game.Inputs]. A number that equals that of the next newer input
// takes a bit.
func StructInput[I comparable]() InputCodec[I] { return structInput[I]{layoutOf[I]()} }

// StructComponent is [StructState] for [ReplicateComponent] and [Bodies]. A number that equals that
// of the value that the client has acknowledged takes a bit.
func StructComponent[T comparable]() ComponentCodec[T] { return structComponent[T]{layoutOf[T]()} }

// layout lists the numbers and texts of a type with their places and their forms on the wire.
type layout []number

// number is a number, a bool or a text.
type number struct {
	offset   uintptr
	size     uintptr // in bytes
	kind     reflect.Kind
	text     textForm
	bits     uint  // most that it takes
	min, max int64 // of whole numbers with a range
	ranged   bool
}

// terse is the most bits of a number that has no bit in front of it for "not changed".
const terse = 4

// maxStruct is how many bytes of one value fit into a packet beside its other contents.
const maxStruct = 900

func layoutOf[T any]() layout {
	t := reflect.TypeFor[T]()
	m := layoutMaker{most: maxStruct, in: "a packet"}
	if err := m.add(t, 0, "", ""); err != nil {
		panic(fmt.Sprintf("netcode: no codec for %v: %v", t, err))
	}
	return m.layout
}

// layoutMaker makes the layout of a type.
type layoutMaker struct {
	layout  layout
	bits    uint   // that a value takes, with a bit in front of each number
	most    uint   // bytes
	in      string // what has so many
	strings bool   // may stand in the type
	form    strings.Builder
}

// add adds the numbers of a type at an offset. The path names the field in errors.
func (m *layoutMaker) add(t reflect.Type, offset uintptr, path string, tag reflect.StructTag) error {
	switch {
	case t.Kind() == reflect.Struct && t.ConvertibleTo(reflect.TypeFor[Text]()):
		// a Text under any name
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := m.add(f.Type, offset+f.Offset, path+"."+f.Name, f.Tag); err != nil {
				return err
			}
		}
		return nil
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			if err := m.add(t.Elem(), offset+uintptr(i)*t.Elem().Size(), path, tag); err != nil {
				return err
			}
		}
		return nil
	}
	n := number{offset: offset, size: t.Size(), kind: t.Kind(), bits: uint(t.Size()) * 8}
	what := strings.TrimPrefix(path+" ", ".") + t.String()
	switch n.kind {
	case reflect.Bool:
		n.bits = 1
	case reflect.Int, reflect.Uint:
		n.bits = 64 // on both ends, on any machines
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
	case reflect.Float32, reflect.Float64:
	case reflect.Struct, reflect.String:
		if err := n.makeText(tag.Get("max"), m.strings); err != nil {
			return fmt.Errorf("%s %w", what, err)
		}
	default:
		return fmt.Errorf("%s is neither a number nor a bool: leave it out, put a number or an array of fixed size in its place, or write a codec", what)
	}
	if limit := tag.Get("max"); limit != "" && n.text == noText {
		return fmt.Errorf("%s has the tag max:%q, which is for strings: write the range of a whole number, as in range:\"0,100\"", what, limit)
	}
	if tag := tag.Get("range"); tag != "" {
		if err := n.limit(t, tag); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	m.layout = append(m.layout, n)
	fmt.Fprintf(&m.form, "%s %v %d %d %d;", path, n.kind, n.bits, n.min, n.max)
	if m.bits += n.bits + 1; m.bits > m.most*8 {
		return fmt.Errorf("it takes more than %d bytes, which do not fit into %s: send less", m.most, m.in)
	}
	return nil
}

// limit gives a number the range of its tag.
func (n *number) limit(t reflect.Type, tag string) error {
	if k := t.Kind(); k == reflect.Float32 || k == reflect.Float64 {
		return fmt.Errorf("the tag range:%q is for whole numbers: leave it out, and bound the number in Step", tag)
	}
	least, most, _ := strings.Cut(tag, ",")
	var noLeast, noMost error
	n.min, noLeast = strconv.ParseInt(strings.TrimSpace(least), 10, 64)
	n.max, noMost = strconv.ParseInt(strings.TrimSpace(most), 10, 64)
	if noLeast != nil || noMost != nil || n.max < n.min {
		return fmt.Errorf("the tag range:%q is no range: write the least and the most, as in range:\"-1,1\"", tag)
	}
	v := reflect.Zero(t)
	switch {
	case v.CanInt() && !v.OverflowInt(n.min) && !v.OverflowInt(n.max):
	case v.CanUint() && n.min >= 0 && !v.OverflowUint(uint64(n.max)):
	default:
		return fmt.Errorf("the tag range:%q is for whole numbers that can be so small and so large", tag)
	}
	n.ranged, n.bits = true, uint(bits.Len64(uint64(n.max)-uint64(n.min)))
	return nil
}

// get returns the number within the memory of a value in its form on the wire.
func (n *number) get(value []byte) uint64 {
	v := n.load(value)
	switch n.kind {
	case reflect.Float32:
		return uint64(math.Float32bits(float32(bounded(float64(math.Float32frombits(uint32(v))), math.MaxFloat32))))
	case reflect.Float64:
		return math.Float64bits(bounded(math.Float64frombits(v), math.MaxFloat64))
	}
	if !n.ranged {
		return v & (math.MaxUint64 >> (64 - n.bits))
	}
	whole := int64(v)
	if n.kind >= reflect.Uint {
		whole = int64(min(v, math.MaxInt64))
	}
	return uint64(min(max(whole, n.min), n.max)) - uint64(n.min)
}

// load returns the bits of a number, and those of the sign before them if it has one.
func (n *number) load(value []byte) uint64 {
	at := value[n.offset:]
	var v uint64
	switch n.size {
	case 1:
		v = uint64(at[0])
	case 2:
		v = uint64(binary.NativeEndian.Uint16(at))
	case 4:
		v = uint64(binary.NativeEndian.Uint32(at))
	default:
		v = binary.NativeEndian.Uint64(at)
	}
	if n.kind >= reflect.Int && n.kind <= reflect.Int64 {
		unused := 64 - 8*n.size
		v = uint64(int64(v<<unused) >> unused)
	}
	return v
}

func bounded(v, most float64) float64 {
	if v != v {
		return 0
	}
	return min(max(v, -most), most)
}

// errStruct is the error of a reader for a number that no struct's codec writes.
var errStruct = errors.New("netcode: a number out of its range, or not finite")

// permits reports whether a number in its form on the wire is within its range, and finite.
func (n *number) permits(v uint64) bool {
	switch {
	case n.ranged:
		return v <= uint64(n.max)-uint64(n.min)
	case n.kind == reflect.Float32:
		return isFinite(math.Float32frombits(uint32(v)))
	case n.kind == reflect.Float64:
		return isFinite(math.Float64frombits(v))
	}
	return true
}

// put puts a number in its form on the wire into the memory of a value.
func (n *number) put(value []byte, v uint64, r *Reader) {
	if !n.permits(v) {
		r.Fail(errStruct)
		return
	}
	if n.ranged {
		v += uint64(n.min)
	}
	at := value[n.offset:]
	switch n.size {
	case 1:
		at[0] = uint8(v)
	case 2:
		binary.NativeEndian.PutUint16(at, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(at, uint32(v))
	default:
		binary.NativeEndian.PutUint64(at, v)
	}
}

func isFinite[F float32 | float64](v F) bool { return v-v == 0 }

// write packs a value. A number that equals that of the base, if there is one, is left out.
func (l layout) write(w *Writer, value, base []byte) {
	for i := range l {
		n := &l[i]
		if n.text != noText {
			n.writeText(w, value, base)
			continue
		}
		v := n.get(value)
		if base != nil && n.bits > terse {
			same := v == n.get(base)
			w.Bool(same)
			if same {
				continue
			}
		}
		w.Bits(v, n.bits)
	}
}

// read is the inverse of write.
func (l layout) read(r *Reader, value, base []byte) {
	for i := range l {
		n := &l[i]
		if n.text != noText {
			n.readText(r, value, base)
			continue
		}
		if base != nil && n.bits > terse && r.Bool() {
			n.put(value, n.get(base), r)
			continue
		}
		n.put(value, r.Bits(n.bits), r)
	}
}

// bytesOf views a value as bytes; nil if there is none.
func bytesOf[T any](v *T) []byte {
	if v == nil {
		return nil
	}
	return column.Numbers[byte](v)
}

type structState[S any] struct{ layout layout }

func (c structState[S]) Write(w *Writer, s S) { c.layout.write(w, column.Numbers[byte](&s), nil) }

func (c structState[S]) Read(r *Reader) (s S) {
	c.layout.read(r, column.Numbers[byte](&s), nil)
	return s
}

type structInput[I comparable] struct{ layout layout }

func (c structInput[I]) Write(w *Writer, in, newer I) {
	c.layout.write(w, column.Numbers[byte](&in), column.Numbers[byte](&newer))
}

func (c structInput[I]) Read(r *Reader, newer I) (in I) {
	c.layout.read(r, column.Numbers[byte](&in), column.Numbers[byte](&newer))
	return in
}

type structComponent[T comparable] struct{ layout layout }

func (c structComponent[T]) Quantize(v T) (q T) {
	var none Reader
	for i := range c.layout {
		n := &c.layout[i]
		if n.text != noText {
			*n.textIn(column.Numbers[byte](&q)) = *n.textIn(column.Numbers[byte](&v))
			continue
		}
		n.put(column.Numbers[byte](&q), n.get(column.Numbers[byte](&v)), &none)
	}
	return q
}

func (c structComponent[T]) Encode(w *Writer, v T, base *T) {
	c.layout.write(w, column.Numbers[byte](&v), bytesOf(base))
}

func (c structComponent[T]) Decode(r *Reader, base *T) (v T) {
	c.layout.read(r, column.Numbers[byte](&v), bytesOf(base))
	return v
}
