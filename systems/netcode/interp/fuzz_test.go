package interp

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/internal/coretest"
)

// FuzzInterpolators uses its input as samples of any content at any times. No kind may panic, and
// all but [Hermite], which overshoots, must draw finite poses of unit rotations.
func FuzzInterpolators(f *testing.F) {
	f.Add([]byte("a body moves from here to there and back, and nobody knows why it should"))
	f.Add(make([]byte, 400))
	f.Add([]byte{0xff, 0xff, 0x7f, 0xff, 0xff, 0x7f, 0xff, 0, 0, 0, 0xc0, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		var its []Interpolator
		for _, k := range Kinds() {
			its = append(its, New(k, Config{Capacity: 8}))
		}
		next := func(n int) []byte {
			b := make([]byte, 8)
			copy(b, data[:min(n, len(data))])
			data = data[min(n, len(data)):]
			return b
		}
		float := func() float32 {
			b := next(3)
			if b[0]&1 == 0 { // mostly numbers that occur
				return float32(int16(binary.LittleEndian.Uint16(b[1:]))) / 64
			}
			return math.Float32frombits(uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8)
		}
		vec := func() mgl32.Vec3 { return mgl32.Vec3{float(), float(), float()} }
		now, view := time.Duration(0), time.Duration(0)
		for len(data) > 0 {
			op := next(1)[0]
			if op&7 == 0 {
				s := Sample{Time: time.Duration(binary.LittleEndian.Uint64(next(8)))}
				if op&8 != 0 {
					s.Time %= time.Second
				}
				s.Age = time.Duration(int8(next(1)[0])) * ms
				s.Position, s.Velocity, s.Angular = vec(), vec(), vec()
				s.Rotation = mgl32.Quat{W: float(), V: vec()}
				s.Has, s.Discontinuity, s.AtRest = Has(op>>4&3), op>>6, op&0x40 != 0
				if op&0x30 == 0x30 {
					s.Scale, s.Has = vec(), s.Has|HasScale
				}
				for _, it := range its {
					it.Push(now, s)
				}
				continue
			}
			d := time.Duration(next(1)[0]) * ms
			now += d
			view += d
			if op == 1 {
				view = time.Duration(binary.LittleEndian.Uint64(next(8)))
			}
			for i, it := range its {
				s, info := it.At(now, view)
				if Kind(i) == Hermite {
					continue
				}
				for j := range 3 {
					if x, y := s.Position[j], s.Scale[j]; x-x != 0 || y-y != 0 {
						t.Fatalf("%v draws %v at a scale of %v at %v: %+v", Kind(i), s.Position, s.Scale, view, info)
					}
				}
				if l := coretest.Quat64(s.Rotation).Len(); math.Abs(l-1) > 1e-5 {
					t.Fatalf("%v draws a rotation of length %v", Kind(i), l)
				}
			}
		}
	})
}

// FuzzPlayback uses its input as arrivals. Nothing may panic and no view may run back.
func FuzzPlayback(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
	f.Fuzz(func(t *testing.T, data []byte) {
		p := NewPlayback(DelayConfig{})
		now, last := time.Duration(0), time.Duration(math.MinInt64)
		for len(data) >= 12 {
			now += time.Duration(binary.LittleEndian.Uint16(data)) * 100 * time.Microsecond
			stamp := time.Duration(binary.LittleEndian.Uint64(data[2:]))
			if data[1]&1 == 0 {
				stamp = now - stamp%time.Second
			}
			p.Arrive(now, stamp, binary.LittleEndian.Uint16(data[10:]))
			p.Update(now)
			if view, ok := p.View(now); ok {
				if view < last {
					t.Fatalf("back from %v to %v", last, view)
				}
				last = view
			}
			data = data[12:]
		}
	})
}
