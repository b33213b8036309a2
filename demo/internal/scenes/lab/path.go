package lab

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

const (
	runSpeed = 6.0 // units per second
	turnRate = 1.5 // radians per second about the vertical axis
	reach    = 9.8 // largest distance of the body from the middle
	jumpOver = 5.0 // the least stride of a teleport

	// legCount is the number of stored legs. The path is known for at least legCount shortest legs,
	// 19 s.
	legCount    = 64
	shortestLeg = 0.3 // seconds, of a rest; runs last longer
	shortestRun = 0.4
)

// leg is a part of the path: even motion along x, or rest.
type leg struct {
	at       time.Duration
	x        float64 // at its beginning
	velocity float64 // units per second
	// teleports so far, modulo 256; a leg begins with a teleport if the count differs from the leg
	// before
	jumps uint8
}

func (l *leg) place(t time.Duration) float64 { return l.x + l.velocity*(t-l.at).Seconds() }

// path is the body's place at any time: runs to and fro, rests and teleports. The turns come at
// irregular times, so that they fall at every phase between two snapshots. The path is extended on
// demand.
type path struct {
	random *rand.Rand
	legs   [legCount]leg // a ring
	count  int           // legs made
	end    time.Duration
	heading,
	sinceJump int
}

func newPath(random *rand.Rand) *path {
	p := &path{random: random, heading: 1}
	p.add(leg{velocity: runSpeed}, 0.8)
	return p
}

func (p *path) add(l leg, seconds float64) {
	p.legs[p.count%legCount] = l
	p.count++
	p.end = l.at + time.Duration(seconds*float64(time.Second))
}

func (p *path) leg(i int) *leg { return &p.legs[i%legCount] }

// extend makes the path up to a time.
func (p *path) extend(t time.Duration) {
	for p.end <= t {
		last := p.leg(p.count - 1)
		next := leg{at: p.end, x: last.place(p.end), jumps: last.jumps}
		length := shortestRun + 0.05 + 0.65*p.random.Float64()
		p.sinceJump++
		switch choice := p.random.Float64(); {
		case p.sinceJump >= 3 && choice < 0.4:
			p.sinceJump = 0
			next.jumps++
			for from := next.x; math.Abs(next.x-from) < jumpOver; {
				next.x = (2*p.random.Float64() - 1) * reach
			}
			// Towards the larger side, for a while: an event right after a teleport could not be
			// distinguished from it.
			length = max(length, 0.7)
			p.heading = 1
			if next.x < 0 {
				p.heading = -1
			}
		case last.velocity != 0 && choice > 0.8:
			p.add(next, shortestLeg+0.3*p.random.Float64())
			continue
		}
		// Reverse, if there is room that way.
		p.heading = -p.heading
		if p.room(next.x) < runSpeed*shortestRun {
			p.heading = -p.heading
		}
		next.velocity = runSpeed * float64(p.heading)
		p.add(next, min(length, p.room(next.x)/runSpeed))
	}
}

// room returns the distance to the end of the lane in the body's direction.
func (p *path) room(x float64) float64 { return reach - x*float64(p.heading) }

// find returns the number of the leg at a time, or of the oldest stored leg for earlier times. The
// path must have been extended to the time.
func (p *path) find(t time.Duration) int {
	i := p.count - 1
	for i > 0 && i > p.count-legCount && p.leg(i).at > t {
		i--
	}
	return i
}

// state is the body's true state at a time.
type state struct {
	x, velocity float64
	turn        float64 // radians
	jumps       uint8
}

func (p *path) at(t time.Duration) state {
	l := p.leg(p.find(t))
	return state{l.place(t), l.velocity, math.Mod(turnRate*t.Seconds(), 4*math.Pi), l.jumps}
}

func (s *state) rotation() mgl32.Quat { return mgl32.QuatRotate(float32(s.turn), mgl32.Vec3{0, 1, 0}) }

// off returns the distance between a place and the body's true place at a time. A client cannot
// know the exact time of a teleport between two snapshots. So within slack of a teleport the place
// may be on either leg, before or after it; a place between the two counts as an error.
func (p *path) off(place mgl32.Vec3, t, slack time.Duration) float32 {
	off := func(l *leg) float32 { return place.Sub(mgl32.Vec3{float32(l.place(t))}).Len() }
	i := p.find(t)
	least := off(p.leg(i))
	for _, k := range [...]int{i, i + 1} {
		if k <= p.count-legCount || k < 1 || k >= p.count {
			continue
		}
		before, after := p.leg(k-1), p.leg(k)
		if gap := t - after.at; before.jumps != after.jumps && gap <= slack && gap >= -slack {
			least = min(least, off(before), off(after))
		}
	}
	return least
}
