package netcode

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// Samples whose frames get other numbers are drawn as ever, each in the frame that it was pushed
// in, by that frame's newest number. No two frames are taken for one another, whatever their
// numbers.
func TestReframedSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const frames = 3
		numbers := [frames]uint32{0, 1, 2} // of the frames at present; the world's stays zero
		reused := rapid.SliceOfN(rapid.Uint32Range(1, 4), 8, 8).Draw(t, "numbers")
		plain, framed := interp.New(interp.Default, interp.Config{}), interp.New(interp.Default, interp.Config{})
		const step = time.Second / 30
		for k := range 40 {
			if k%10 == 9 && len(reused) > 1 && reused[0] != reused[1] { // another server
				for i, to := range [...]uint32{reused[0] + 10*uint32(k), reused[1]} {
					if to == numbers[1+(i+1)%2] {
						continue // the other one has it
					}
					framed = reframe(framed, numbers[1+i], to)
					numbers[1+i] = to
				}
				reused = reused[2:]
			}
			at := time.Duration(k) * step
			frame := rapid.IntRange(0, frames-1).Draw(t, "frame")
			s := interp.Sample{Time: at, Position: mgl32.Vec3{float32(k)}, Frame: uint32(frame)}
			plain.Push(at, s)
			s.Frame = numbers[frame]
			framed.Push(at, s)
			want, wantInfo := plain.At(at, at-2*step)
			got, info := framed.At(at, at-2*step)
			if got != want || info.Empty != wantInfo.Empty {
				t.Fatalf("step %d: %v, want %v", k, got, want)
			}
			if !info.Empty && info.Frame != numbers[wantInfo.Frame] {
				t.Fatalf("step %d: in frame %d, want %d", k, info.Frame, numbers[wantInfo.Frame])
			}
		}
	})
}
