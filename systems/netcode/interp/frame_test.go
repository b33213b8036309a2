package interp

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// The frame that an interpolator reports is the frame of its pose at every step, for samples in any
// order and with repeats. The body walks in frames 1, 2, 3 and so on, within a metre of a hundred
// times their number.
func TestPosesComeWithTheirFrames(t *testing.T) {
	const interval = time.Second / 30
	for _, kind := range Kinds() {
		if kind == Hermite {
			continue // it overshoots
		}
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, uint64(kind)))
			i := New(kind, Config{})
			type flight struct {
				at time.Duration
				s  Sample
			}
			var flights []flight
			for k := range 200 {
				frame := uint32(1 + k/7)
				s := Sample{Time: time.Duration(k) * interval, Frame: frame, Has: HasVelocity}
				s.Position[0] = 100*float32(frame) + float32(k%7)/7
				s.Velocity[0] = 30.0 / 7
				s.AtRest = k%7 == 6
				for range 1 + random.IntN(2) {
					flights = append(flights, flight{s.Time + time.Duration(random.Int64N(int64(5*interval))), s})
				}
			}
			var last uint32
			for now := time.Duration(0); now < 200*interval; now += time.Second / 60 {
				for _, f := range flights {
					if f.at <= now && f.at > now-time.Second/60 {
						i.Push(now, f.s)
					}
				}
				view := now
				if i.Timing() == Delayed {
					view -= 4 * interval // so some samples are late even for this view
				}
				state, info := i.At(now, view)
				if info.Empty {
					continue
				}
				// A body that is extrapolated for a while may leave its metre by a step or two.
				if off := state.Position.Sub(mgl32.Vec3{100 * float32(info.Frame)}).Len(); off > 5 {
					t.Fatalf("%v, seed %d: at %v the pose is %v, in frame %d", kind, seed, now, state.Position, info.Frame)
				}
				if info.Frame != last && !info.Discontinuity {
					t.Fatalf("%v, seed %d: at %v frame %d follows %d without a discontinuity", kind, seed, now, info.Frame, last)
				}
				last = info.Frame
			}
			if last < 20 {
				t.Errorf("%v, seed %d: the last frame seen is %d", kind, seed, last)
			}
		}
	}
}
