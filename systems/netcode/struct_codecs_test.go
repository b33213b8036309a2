package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

type stance uint8

// motley has a field of every type that a struct's codec packs.
type motley struct {
	On     bool
	Stick  [2]int8 `range:"-1,1"`
	HP     int16   `range:"0,100"`
	Ammo   uint8   `range:"0,200"`
	Still  int32   `range:"7,7"`
	Stance stance
	At     mgl32.Vec3
	Wide   struct {
		F float64
		D time.Duration
		U uint64 `range:"0,9223372036854775807"`
		I int
		N uint
	}
	small int16
}

// 1 + 2*2 + 7 + 8 + 0 + 8 + 3*32 + 64 + 64 + 63 + 64 + 64 + 16
const motleyBits = 459

func drawMotley(t *rapid.T) (m motley) {
	m.On = rapid.Bool().Draw(t, "on")
	m.Stick = [2]int8{rapid.Int8Range(-1, 1).Draw(t, "x"), rapid.Int8Range(-1, 1).Draw(t, "y")}
	m.HP, m.Ammo, m.Still = rapid.Int16Range(0, 100).Draw(t, "hp"), rapid.Uint8Range(0, 200).Draw(t, "ammo"), 7
	m.Stance, m.small = stance(rapid.Uint8().Draw(t, "stance")), rapid.Int16().Draw(t, "small")
	for i := range m.At {
		m.At[i] = rapid.Float32().Draw(t, "at")
	}
	m.Wide.F, m.Wide.D = rapid.Float64().Draw(t, "f"), time.Duration(rapid.Int64().Draw(t, "d"))
	m.Wide.U, m.Wide.I, m.Wide.N = uint64(rapid.Int64Min(0).Draw(t, "u")), rapid.Int().Draw(t, "i"), rapid.Uint().Draw(t, "n")
	return m
}

// A struct's codec reads what it writes, for any base. It takes the bits of the numbers, and one
// for each unchanged number.
func TestStructsAreSentExactly(t *testing.T) {
	states, inputs, components := netcode.StructState[motley](), netcode.StructInput[motley](), netcode.StructComponent[motley]()
	rapid.Check(t, func(t *rapid.T) {
		v, base := drawMotley(t), drawMotley(t)
		if rapid.Bool().Draw(t, "unchanged") {
			base = v
		}
		for what, c := range map[string]struct {
			write func(w *netcode.Writer)
			read  func(r *netcode.Reader) motley
		}{
			"state":                    {func(w *netcode.Writer) { states.Write(w, v) }, states.Read},
			"input":                    {func(w *netcode.Writer) { inputs.Write(w, v, base) }, func(r *netcode.Reader) motley { return inputs.Read(r, base) }},
			"component":                {func(w *netcode.Writer) { components.Encode(w, v, nil) }, func(r *netcode.Reader) motley { return components.Decode(r, nil) }},
			"component against a base": {func(w *netcode.Writer) { components.Encode(w, v, &base) }, func(r *netcode.Reader) motley { return components.Decode(r, &base) }},
		} {
			w := netcode.NewWriter(make([]byte, 200))
			c.write(&w)
			r := netcode.NewReader(w.Bytes())
			if got := c.read(&r); got != v || r.Close() != nil {
				t.Fatalf("%s: %+v came as %+v, %v", what, v, got, r.Err())
			}
			switch whole := what == "state" || what == "component"; {
			case whole && w.Len() != motleyBits:
				t.Fatalf("%s: %d bits, want %d", what, w.Len(), motleyBits)
			case !whole && base == v && w.Len() != 1+2*2+0+12:
				// on, the stick, the field that cannot change, and a bit for each of the others
				t.Fatalf("%s: %d bits for nothing new", what, w.Len())
			}
		}
		if q := components.Quantize(v); q != v {
			t.Fatalf("%+v is quantised to %+v", v, q)
		}
	})
}

type gauge struct {
	N int8 `range:"-3,3"`
	F float32
	D float64
	U uint64 `range:"5,6"`
}

// A number beyond the range is sent as the nearest one within it, and NaN as zero. Quantising does
// the same.
func TestStructsStayWithinTheirRange(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ in, want gauge }{
		{gauge{100, 1, 2, 5}, gauge{3, 1, 2, 5}},
		{gauge{-128, float32(inf), -inf, math.MaxUint64}, gauge{-3, math.MaxFloat32, -math.MaxFloat64, 6}},
		{gauge{0, float32(math.NaN()), math.NaN(), 0}, gauge{0, 0, 0, 5}},
	} {
		w := netcode.NewWriter(make([]byte, 64))
		states := netcode.StructState[gauge]()
		states.Write(&w, c.in)
		r := netcode.NewReader(w.Bytes())
		if got := states.Read(&r); got != c.want || r.Close() != nil {
			t.Errorf("%+v came as %+v (%v), want %+v", c.in, got, r.Err(), c.want)
		}
		if q := netcode.StructComponent[gauge]().Quantize(c.in); q != c.want {
			t.Errorf("%+v is quantised to %+v, want %+v", c.in, q, c.want)
		}
	}
	for what, write := range map[string]func(w *netcode.Writer){
		"a number beyond the range": func(w *netcode.Writer) { w.Bits(7, 3); w.Bits(0, 32); w.Bits(0, 64); w.Bits(0, 1) },
		"not a number":              func(w *netcode.Writer) { w.Bits(0, 3); w.Float32(float32(math.NaN())); w.Bits(0, 64); w.Bits(0, 1) },
		"an infinite one":           func(w *netcode.Writer) { w.Bits(0, 3); w.Bits(0, 32); w.Bits(math.Float64bits(-inf), 64); w.Bits(0, 1) },
		"half of it":                func(w *netcode.Writer) { w.Bits(0, 3); w.Bits(0, 20) },
	} {
		w := netcode.NewWriter(make([]byte, 64))
		write(&w)
		r := netcode.NewReader(w.Bytes())
		if netcode.StructState[gauge]().Read(&r); r.Err() == nil {
			t.Errorf("%s was read", what)
		}
	}
}

// A type that cannot be sent by value is refused by name when the codec is made.
func TestUnsendableStructsAreRefused(t *testing.T) {
	for what, c := range map[string]struct {
		make  func()
		words []string
	}{
		"a string": {func() {
			netcode.StructState[struct {
				HP   int
				Name string
			}]()
		}, []string{"no codec for", "Name string is neither", "write a codec"}},
		"a slice inside": {func() { netcode.StructState[struct{ A [2]struct{ B []int } }]() }, []string{"A.B []int"}},
		"complex":        {func() { netcode.StructInput[complex64]() }, []string{"complex64 is neither"}},
		"too much":       {func() { netcode.StructComponent[[300]float32]() }, []string{"more than 900 bytes", "send less"}},
		"no range": {func() {
			netcode.StructState[struct {
				A int8 `range:"3"`
			}]()
		}, []string{"A int8", `range:"3"`, `range:"-1,1"`}},
		"a range upside down": {func() {
			netcode.StructState[struct {
				A int8 `range:"3,1"`
			}]()
		}, []string{"is no range"}},
		"a range of fractions": {func() {
			netcode.StructState[struct {
				A float32 `range:"0,0.5"`
			}]()
		}, []string{"for whole numbers", "bound the number in Step"}},
		"a range that is too wide": {func() {
			netcode.StructState[struct {
				A int8 `range:"0,200"`
			}]()
		}, []string{"so small and so large"}},
		"a range below zero": {func() {
			netcode.StructState[struct {
				A uint8 `range:"-1,1"`
			}]()
		}, []string{"so small and so large"}},
	} {
		mustPanic(t, what, c.make, c.words...)
	}
	netcode.StructComponent[struct{}]() // a marker
}

func TestStructsAllocateNothing(t *testing.T) {
	var v, base motley
	v.HP, v.At[1] = 50, 2
	v.Still, base.Still = 7, 7
	states, inputs, components := netcode.StructState[motley](), netcode.StructInput[motley](), netcode.StructComponent[motley]()
	buf, w, r := make([]byte, 400), new(netcode.Writer), new(netcode.Reader)
	run := func(states netcode.StateCodec[motley], inputs netcode.InputCodec[motley], components netcode.ComponentCodec[motley]) {
		*w = netcode.NewWriter(buf)
		states.Write(w, v)
		inputs.Write(w, v, base)
		components.Encode(w, components.Quantize(v), &base)
		*r = netcode.NewReader(w.Bytes())
		if states.Read(r) != v || inputs.Read(r, base) != v || components.Decode(r, &base) != v {
			t.Fatal("they came as something else")
		}
	}
	if n := testing.AllocsPerRun(100, func() { run(states, inputs, components) }); n > 0 {
		t.Errorf("%v allocations for three values", n)
	}
}

// Any input is refused, or is read as a value that is written as the same bits.
func FuzzStructs(f *testing.F) {
	w := netcode.NewWriter(make([]byte, 200))
	netcode.StructState[motley]().Write(&w, motley{HP: 3, Still: 7})
	f.Add(w.Bytes())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		states, inputs := netcode.StructState[motley](), netcode.StructInput[motley]()
		r := netcode.NewReader(data)
		v := states.Read(&r)
		n := len(data)*8 - r.Remaining()
		base := motley{At: mgl32.Vec3{1, 2, 3}, Still: 7}
		in := inputs.Read(&r, base)
		if r.Err() != nil {
			return
		}
		w := netcode.NewWriter(make([]byte, 200))
		states.Write(&w, v)
		again := netcode.NewReader(w.Bytes())
		if got := states.Read(&again); w.Len() != n || got != v {
			t.Errorf("%+v of %d bits was written as %+v of %d", v, n, got, w.Len())
		}
		w = netcode.NewWriter(make([]byte, 200))
		inputs.Write(&w, in, base)
		again = netcode.NewReader(w.Bytes())
		if got := inputs.Read(&again, base); got != in || again.Close() != nil {
			t.Errorf("%+v was written as %+v, %v", in, got, again.Err())
		}
	})
}
