package lab

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"
)

// The body stays in its lane, moves at one speed or not at all, and jumps far where it says so and
// nowhere else; it does all that it is there to show.
func TestPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPath(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		const step = time.Second / 240
		var flips, jumps, rests int
		p.extend(0)
		before := p.at(0)
		for now := step; now < 60*time.Second; now += step {
			p.extend(now)
			s := p.at(now)
			if math.Abs(s.x) > reach+1e-6 {
				t.Fatalf("at %v x is %v", now, s.x)
			}
			if v := math.Abs(s.velocity); v != 0 && v != runSpeed {
				t.Fatalf("at %v the speed is %v", now, v)
			}
			moved := math.Abs(s.x - before.x)
			switch {
			case s.jumps != before.jumps:
				jumps++
				if moved < jumpOver-2*runSpeed*step.Seconds() {
					t.Fatalf("at %v a teleport of %v", now, moved)
				}
			case moved > runSpeed*step.Seconds()*1.001:
				t.Fatalf("at %v the body moves %v in a step without a teleport", now, moved)
			case s.velocity*before.velocity < 0:
				flips++
			case s.velocity == 0 && before.velocity != 0:
				rests++
			}
			before = s
		}
		if flips < 15 || jumps < 4 || rests < 2 {
			t.Fatalf("%d flips, %d teleports, %d rests in a minute", flips, jumps, rests)
		}
	})
}

// The past stays the same, as far as it is stored, and asking for more of the future does not
// change it.
func TestPathRemembers(t *testing.T) {
	p := newPath(rand.New(rand.NewPCG(3, 0)))
	var then []state
	const step = 50 * time.Millisecond
	for now := time.Duration(0); now < 19*time.Second; now += step {
		p.extend(now)
		then = append(then, p.at(now))
	}
	for i, want := range then {
		if got := p.at(time.Duration(i) * step); got != want {
			t.Fatalf("at %v: %+v, was %+v", time.Duration(i)*step, got, want)
		}
	}
	p.extend(10 * time.Minute)
	if got := p.at(0); math.IsNaN(got.x) || math.Abs(got.x) > 1e6 {
		t.Errorf("what is long forgotten is %+v", got)
	}
}

func TestOff(t *testing.T) {
	p := newPath(rand.New(rand.NewPCG(1, 0)))
	// 1 s to the right, then a teleport from 6 to -4, and on.
	p.count = 0
	p.add(leg{velocity: 6}, 1)
	p.add(leg{at: time.Second, x: -4, velocity: 6, jumps: 1}, 1)
	const ms = time.Millisecond
	for _, test := range []struct {
		x     float32
		at    time.Duration
		slack time.Duration
		want  float32
	}{
		{3, 500 * ms, 0, 0},
		{3.5, 500 * ms, 0, 0.5},
		{-3.4, 1100 * ms, 0, 0},
		{6.6, 1100 * ms, 0, 10},         // not there any more
		{6.6, 1100 * ms, 150 * ms, 0},   // the client cannot know this yet
		{6.6, 1200 * ms, 150 * ms, 9.4}, // the client has it by now
		{-4.6, 900 * ms, 150 * ms, 0},   // too early by 100 ms
		{1, 1000 * ms, 150 * ms, 5},     // on the way: never right
	} {
		if got := p.off(mgl32.Vec3{test.x}, test.at, test.slack); math.Abs(float64(got-test.want)) > 1e-4 {
			t.Errorf("%v at %v with %v: off by %v, want %v", test.x, test.at, test.slack, got, test.want)
		}
	}
}
