package packet_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

func TestBitsAreLittleEndian(t *testing.T) {
	for _, test := range []struct {
		name  string
		write func(*packet.Writer)
		want  []byte
	}{
		{"nothing", func(w *packet.Writer) {}, nil},
		{"one bit", func(w *packet.Writer) { w.Bool(true) }, []byte{1}},
		{"bits fill a byte from below", func(w *packet.Writer) { w.Bool(false); w.Bits(0b101, 3); w.Bool(true) }, []byte{0b11010}},
		{"uint16 as in little-endian order", func(w *packet.Writer) { w.Bits(0x1234, 16) }, []byte{0x34, 0x12}},
		{"a value across bytes", func(w *packet.Writer) { w.Bits(0, 4); w.Bits(0xabc, 12) }, []byte{0xc0, 0xab}},
		{"64 bits after one", func(w *packet.Writer) { w.Bool(true); w.Bits(math.MaxUint64, 64) },
			[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
		{"higher bits are ignored", func(w *packet.Writer) { w.Bits(0xff, 2); w.Bits(0, 6) }, []byte{3}},
		{"zero bits", func(w *packet.Writer) { w.Bits(7, 0) }, nil},
		{"negative", func(w *packet.Writer) { w.Int(-2, 4) }, []byte{0xe}},
		{"float", func(w *packet.Writer) { w.Float32(1) }, []byte{0, 0, 0x80, 0x3f}},
		{"align", func(w *packet.Writer) { w.Bool(true); w.Align(); w.Align(); w.Bool(true) }, []byte{1, 1}},
		{"blob", func(w *packet.Writer) { w.Bool(true); w.Blob([]byte{5, 6}) }, []byte{5, 0, 5, 6}},
		{"uvarint", func(w *packet.Writer) { w.Uvarint(300) }, []byte{0xac, 2}},
		{"varint", func(w *packet.Writer) { w.Varint(-1); w.Varint(1) }, []byte{1, 2}},
		// Order 0, as in H.264's ue(v) but from the lowest bit up: 0 is "1", 1 is "01" and a 0.
		{"golomb of order 0", func(w *packet.Writer) { w.Golomb(0, 0); w.Golomb(1, 0) }, []byte{0b0101}},
		{"golomb of order 2", func(w *packet.Writer) { w.Golomb(3, 2) }, []byte{0b111}},
	} {
		buf := make([]byte, 16)
		w := packet.NewWriter(buf)
		test.write(&w)
		if w.Err() != nil || !bytes.Equal(w.Bytes(), test.want) {
			t.Errorf("%s: wrote % x (%v), want % x", test.name, w.Bytes(), w.Err(), test.want)
		}
	}
}

// operation is one write, and the read that must return the same value.
type operation struct {
	kind int
	v    uint64
	n    uint
	p    []byte
}

func (o operation) write(w *packet.Writer) {
	switch o.kind {
	case 0:
		w.Bits(o.v, o.n)
	case 1:
		w.Bool(o.v&1 != 0)
	case 2:
		w.Uvarint(o.v)
	case 3:
		w.Varint(int64(o.v))
	case 4:
		w.Golomb(o.v&packet.MaxGolombValue, o.n%16)
	case 5:
		w.SignedGolomb(int64(int32(o.v)), o.n%16)
	case 6:
		w.Float32(math.Float32frombits(uint32(o.v)))
	case 7:
		w.Blob(o.p)
	case 8:
		w.Align()
	case 9:
		w.Int(int64(o.v)>>(64-max(1, o.n)), max(1, o.n))
	}
}

func (o operation) matches(r *packet.Reader) bool {
	switch o.kind {
	case 0:
		return r.Bits(o.n) == o.v&(1<<o.n-1)
	case 1:
		return r.Bool() == (o.v&1 != 0)
	case 2:
		return r.Uvarint() == o.v
	case 3:
		return r.Varint() == int64(o.v)
	case 4:
		return r.Golomb(o.n%16) == o.v&packet.MaxGolombValue
	case 5:
		return r.SignedGolomb(o.n%16) == int64(int32(o.v))
	case 6:
		return math.Float32bits(r.Float32()) == uint32(o.v)
	case 7:
		return bytes.Equal(r.Blob(64), o.p)
	case 8:
		r.Align()
		return true
	}
	return r.Int(max(1, o.n)) == int64(o.v)>>(64-max(1, o.n))
}

func operations(t *rapid.T) []operation {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) operation {
		// Numbers of every magnitude, not only large ones.
		v := rapid.Uint64().Draw(t, "v") >> rapid.IntRange(0, 63).Draw(t, "shift")
		return operation{rapid.IntRange(0, 9).Draw(t, "kind"), v, rapid.UintRange(0, 64).Draw(t, "n"), rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "p")}
	}), 0, 60).Draw(t, "operations")
}

func TestWrittenBitsAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := operations(t)
		w := packet.NewWriter(make([]byte, 4096))
		for _, o := range ops {
			o.write(&w)
		}
		if w.Err() != nil {
			t.Fatal(w.Err())
		}
		data := bytes.Clone(w.Bytes())
		r := packet.NewReader(data)
		for i, o := range ops {
			if !o.matches(&r) {
				t.Fatalf("operation %d, %+v, was not read back (%v)", i, o, r.Err())
			}
		}
		if err := r.Close(); err != nil {
			t.Fatalf("after the last value: %v", err)
		}
		// Bits appended at any position must come out the same.
		lead := rapid.UintRange(0, 70).Draw(t, "lead")
		a := packet.NewWriter(make([]byte, 4200))
		a.Bits(0, min(lead, 64))
		a.Bits(0, lead-min(lead, 64))
		a.Append(data, w.Len())
		r = packet.NewReader(a.Bytes())
		r.Bits(min(lead, 64))
		r.Bits(lead - min(lead, 64))
		for n := w.Len(); n > 0; n -= 8 {
			k := uint(min(n, 8))
			if got, want := r.Bits(k), uint64(data[0])&(1<<k-1); got != want {
				t.Fatalf("appended bits differ: %x, want %x", got, want)
			}
			data = data[1:]
		}
	})
}

func TestTruncatedInputIsShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := operations(t)
		w := packet.NewWriter(make([]byte, 4096))
		for _, o := range ops {
			o.write(&w)
		}
		data := w.Bytes()
		if len(data) == 0 {
			return
		}
		r := packet.NewReader(data[:rapid.IntRange(0, len(data)-1).Draw(t, "cut")])
		for _, o := range ops {
			o.matches(&r)
		}
		if r.Err() == nil {
			t.Fatal("no error for a truncated stream")
		}
		if r.Bits(1) != 0 || r.Uvarint() != 0 || r.Golomb(3) != 0 || r.Blob(9) != nil || r.Remaining() != 0 {
			t.Fatal("a failed Reader still returns values")
		}
	})
}

func TestWriterStopsAtItsEnd(t *testing.T) {
	buf := make([]byte, 4, 8)
	w := packet.NewWriter(buf)
	w.Bits(1, 30)
	if w.Room() != 2 || w.Len() != 30 {
		t.Fatalf("Room %d and Len %d after 30 of 32 bits", w.Room(), w.Len())
	}
	before := w
	w.Bits(0xff, 3)
	w.Bool(true) // would fit, but follows a value that did not
	if !errors.Is(w.Err(), packet.ErrFull) || w.Room() != 0 || w.Len() != 30 {
		t.Errorf("after overflow: error %v, Room %d, Len %d", w.Err(), w.Room(), w.Len())
	}
	w = before
	w.Bits(3, 2)
	if w.Err() != nil || !bytes.Equal(w.Bytes(), []byte{1, 0, 0, 0xc0}) {
		t.Errorf("after going back: % x, %v", w.Bytes(), w.Err())
	}
	if full := buf[:8]; !bytes.Equal(full[4:], []byte{0, 0, 0, 0}) {
		t.Errorf("the Writer wrote behind its buffer: % x", full)
	}
	w.Append([]byte{1}, 1)
	if w.Err() == nil {
		t.Error("Append beyond the end was taken")
	}
}

func TestMalformedValues(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		read func(*packet.Reader)
		want error
	}{
		{"varint with a superfluous group", []byte{0x80, 0}, func(r *packet.Reader) { r.Uvarint() }, packet.ErrMalformed},
		{"varint of 65 bits", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, func(r *packet.Reader) { r.Uvarint() }, packet.ErrMalformed},
		{"endless varint", bytes.Repeat([]byte{0xff}, 20), func(r *packet.Reader) { r.Uvarint() }, packet.ErrMalformed},
		{"varint cut off", []byte{0xff}, func(r *packet.Reader) { r.Uvarint() }, packet.ErrShort},
		{"golomb prefix without end", make([]byte, 20), func(r *packet.Reader) { r.Golomb(3) }, packet.ErrMalformed},
		{"golomb cut in its prefix", []byte{0}, func(r *packet.Reader) { r.Golomb(3) }, packet.ErrShort},
		{"golomb cut behind its prefix", []byte{0x10}, func(r *packet.Reader) { r.Golomb(3) }, packet.ErrShort},
		{"golomb beyond 32 bits", []byte{0, 0, 0, 0, 1, 255, 255, 255, 255}, func(r *packet.Reader) { r.Golomb(0) }, packet.ErrMalformed},
		{"padding", []byte{0x81}, func(r *packet.Reader) { r.Bool(); r.Align() }, packet.ErrMalformed},
		{"blob of 2^40 bytes", []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 1, 2}, func(r *packet.Reader) { r.Blob(1 << 30) }, packet.ErrMalformed},
		{"blob beyond the packet", []byte{5, 1, 2}, func(r *packet.Reader) { r.Blob(100) }, packet.ErrShort},
		{"blob beyond the limit", []byte{2, 1, 2}, func(r *packet.Reader) { r.Blob(1) }, packet.ErrMalformed},
		{"more than was read", []byte{1, 0}, func(r *packet.Reader) { r.Bool(); r.Close() }, packet.ErrMalformed},
		{"bits in the last byte", []byte{3}, func(r *packet.Reader) { r.Bool(); r.Close() }, packet.ErrMalformed},
		{"the first error stays", []byte{0x81}, func(r *packet.Reader) { r.Bits(9); r.Fail(packet.ErrMalformed) }, packet.ErrShort},
	} {
		r := packet.NewReader(test.data)
		test.read(&r)
		if !errors.Is(r.Err(), test.want) {
			t.Errorf("%s: error %v, want %v", test.name, r.Err(), test.want)
		}
	}
}

func TestGolombLength(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 2, 7, 8, 100, -1000, 1<<31 - 1, -1 << 31} {
		for order := range uint(packet.MaxGolomb + 1) {
			w := packet.NewWriter(make([]byte, 32))
			w.SignedGolomb(v, order)
			if got := packet.GolombLen(packet.Fold(v), order); got != w.Len() || w.Err() != nil {
				t.Errorf("GolombLen(Fold(%d), %d) = %d, but it takes %d bits", v, order, got, w.Len())
			}
		}
	}
}

func TestMisuseOfBitsPanics(t *testing.T) {
	w := packet.NewWriter(make([]byte, 16))
	r := packet.NewReader(make([]byte, 16))
	for name, f := range map[string]func(){
		"65 bits written":         func() { w.Bits(0, 65) },
		"65 bits read":            func() { r.Bits(65) },
		"number too large":        func() { w.Int(8, 4) },
		"number too small":        func() { w.Int(-9, 4) },
		"number in no bits":       func() { w.Int(1, 0) },
		"golomb of 33 bits":       func() { w.Golomb(1<<32, 0) },
		"order of golomb written": func() { w.Golomb(1, 16) },
		"order of golomb read":    func() { r.Golomb(16) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestBitsDoNotAllocate(t *testing.T) {
	buf := make([]byte, 256)
	if n := testing.AllocsPerRun(100, func() {
		w := packet.NewWriter(buf)
		for i := range uint64(20) {
			w.Bits(i, 7)
			w.Golomb(i, 3)
			w.Uvarint(i * 1000)
		}
		r := packet.NewReader(w.Bytes())
		for range 20 {
			r.Bits(7)
			r.Golomb(3)
			r.Uvarint()
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkWriteBits(b *testing.B) {
	buf := make([]byte, 1200)
	for b.Loop() {
		w := packet.NewWriter(buf)
		for i := range uint64(800) {
			w.Bits(i, 11)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/800, "ns/field")
}

func BenchmarkReadBits(b *testing.B) {
	buf := make([]byte, 1200)
	for b.Loop() {
		r := packet.NewReader(buf)
		for range 800 {
			r.Bits(11)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/800, "ns/field")
}

// A code that is written as bits must be the one that Golomb writes, for all values below 2^31.
func TestGolombCodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := uint(rapid.IntRange(0, packet.MaxGolomb).Draw(t, "order"))
		v := uint64(rapid.Uint32Range(0, 1<<31-1).Draw(t, "v")) >> rapid.IntRange(0, 30).Draw(t, "shift")
		code, n := packet.GolombCode(v, order)
		if n > 63 || int(n) != packet.GolombLen(v, order) || code>>n != 0 {
			t.Fatalf("%d by order %d: %d bits of %b, want %d", v, order, n, code, packet.GolombLen(v, order))
		}
		w := packet.NewWriter(make([]byte, 8))
		w.Bits(code, n)
		r := packet.NewReader(w.Bytes())
		if got := r.Golomb(order); got != v || r.Err() != nil {
			t.Fatalf("%d by order %d is read as %d, %v", v, order, got, r.Err())
		}
	})
}
