package snapshot_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

func uniform(x float32) snapshot.Scale { return snapshot.ScaleOf(mgl32.Vec3{x, x, x}) }

// TestScalesAreWithinTheirBounds checks the digits that a scale keeps.
func TestScalesAreWithinTheirBounds(t *testing.T) {
	for _, x := range []float32{0, 1, -1, 2, 3, 0.5, 0.75, 1.25, -1.5, 10, 100, 2047, -2048, 131008, 1.0 / 16384, 1.0 / (1 << 24)} {
		if got := uniform(x).Vec3(); got != (mgl32.Vec3{x, x, x}) {
			t.Errorf("%v became %v, want it exactly", x, got)
		}
	}
	for x := float32(1.0 / 16384); x < 131008; x *= 1.0001 {
		for _, v := range []float32{x, -x} {
			if got := uniform(v).Vec3()[0]; !(math.Abs(float64(got/v-1)) <= 1.0/2048) {
				t.Fatalf("%v became %v, off by more than 1 part in 2048", v, got)
			}
		}
	}
	for x := float32(1e-9); x < 1.0/16384; x *= 1.01 {
		if got := uniform(x).Vec3()[0]; !(math.Abs(float64(got-x)) <= 1.0/(1<<25)) {
			t.Fatalf("%v became %v, off by more than 2^-25", x, got)
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for x, want := range map[float32]float32{inf: 131008, -inf: -131008, 1e6: 131008, -math.MaxFloat32: -131008, 1e-30: 0} {
		if got := uniform(x).Vec3()[0]; got != want {
			t.Errorf("%v became %v, want %v", x, got, want)
		}
	}
	if got := snapshot.ScaleOf(mgl32.Vec3{nan, 2, nan}).Vec3(); got != (mgl32.Vec3{1, 2, 1}) {
		t.Errorf("a scale that is not a number became %v, want 1", got)
	}
	if (snapshot.Scale{}).Vec3() != (mgl32.Vec3{1, 1, 1}) || uniform(1) != (snapshot.Scale{}) {
		t.Error("the zero value is not a scale of 1")
	}
}

// TestEveryScaleIsFinite decodes all bits that an axis can have. All but one of them come back.
func TestEveryScaleIsFinite(t *testing.T) {
	for code := range 1 << 16 {
		s := snapshot.Scale{int16(code), int16(code), int16(code)}
		x := s.Vec3()[0]
		if x-x != 0 || x > 131072 || x < -131072 {
			t.Fatalf("code %#x is a scale of %v", code, x)
		}
		if again := uniform(x); again != s && x != -131072 {
			t.Fatalf("code %#x is a scale of %v, whose code is %#x", code, x, uint16(again[0]))
		}
	}
}

// TestScaleBits checks what a scale costs beside the record that it is in.
func TestScaleBits(t *testing.T) {
	for _, test := range []struct {
		name     string
		from, to snapshot.Scale
		bits     int
	}{
		{"as before", uniform(3), uniform(3), 0},
		{"the first, of 3", uniform(1), uniform(3), 24},
		{"the first, of 0.5", uniform(1), uniform(0.5), 24},
		{"the first, of another size on one axis", uniform(1), snapshot.ScaleOf(mgl32.Vec3{1, 0.5, 1}), 27},
		{"growth by 1 %", uniform(1), uniform(1.01), 14},
		{"growth by 10 %", uniform(3), uniform(3.3), 18},
		{"a crouch by 10 %", snapshot.ScaleOf(mgl32.Vec3{1, 0.6, 1}), snapshot.ScaleOf(mgl32.Vec3{1, 0.54, 1}), 21},
		{"vanishing", uniform(1), uniform(0), 30},
		{"from the greatest to the greatest mirror, around", uniform(131008), uniform(-131008), 14},
		{"from the greatest to nothing", uniform(131008), uniform(0), 34},
		{"a mirror", uniform(1), snapshot.ScaleOf(mgl32.Vec3{-1, 1, 1}), 35},
		{"from three sizes to one", snapshot.ScaleOf(mgl32.Vec3{1, 2, 3}), uniform(1), 14},
	} {
		buf := make([]byte, 32)
		w := packet.NewWriter(buf)
		snapshot.WriteScaleForTest(&w, test.to, test.from)
		if w.Len() != test.bits {
			t.Errorf("%s: %d bits, want %d", test.name, w.Len(), test.bits)
		}
		r := packet.NewReader(w.Bytes())
		if got := snapshot.ReadScaleForTest(&r, test.from); got != test.to || r.Err() != nil {
			t.Errorf("%s: read as %v, %v, want %v", test.name, got, r.Err(), test.to)
		}
	}
}

// TestScaleCostsNothingWhileItStays compares two worlds that differ by a constant scale of their
// entities. After the first packets they take the same bytes, in motion and at rest.
func TestScaleCostsNothingWhileItStays(t *testing.T) {
	var sizes [2][]int
	for k, scale := range []snapshot.Scale{{}, snapshot.ScaleOf(mgl32.Vec3{3, 0.5, -1})} {
		p := newPair(t, snapshot.Config{MaxEntities: 16}, nil, 1, wire{delay: 3}, wire{delay: 3})
		id := p.spawn(1, 1, at(0, 0, 0))
		for f := range 120 {
			s := at(float32(min(f, 60))/8, 0, 0)
			s.Scale, s.AtRest = scale, f > 60
			p.world.SetState(id, s)
			p.step()
			if f > 10 {
				sizes[k] = append(sizes[k], p.size)
			}
		}
		if got, _, _ := p.decoder.State(id); got.Scale != scale {
			t.Errorf("the scale is %v, want %v", got.Scale.Vec3(), scale.Vec3())
		}
	}
	for f, n := range sizes[0] {
		if sizes[1][f] != n {
			t.Fatalf("packet %d takes %d bytes with a scale, %d without", f, sizes[1][f], n)
		}
	}
}

// TestChangeOfScaleIsAChange changes nothing but the scale of an entity that rests.
func TestChangeOfScaleIsAChange(t *testing.T) {
	p := newPair(t, snapshot.Config{MaxEntities: 16}, nil, 1, wire{delay: 3}, wire{delay: 3})
	s := at(1, 2, 3)
	s.AtRest = true
	id := p.spawn(1, 1, s)
	for range 30 {
		p.step()
	}
	moved := 0
	p.each = func(got snapshot.Snapshot) {
		for _, c := range got.Changes {
			if c.Moved {
				moved++
			}
		}
	}
	s.Scale = uniform(0)
	p.world.SetState(id, s)
	for range 30 {
		p.step()
	}
	if got, _, _ := p.decoder.State(id); got.Scale != s.Scale || moved != 1 {
		t.Errorf("the scale is %v, in %d changes of the pose; want 0, in one", got.Scale.Vec3(), moved)
	}
}
