package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// events keeps the last 20 updates and chases the first one that lies ahead of the delayed view. It
// takes the speed from three consecutive updates: the previous, the current and the next. If zero,
// one or two commands of a player reach the server per tick, a single segment would have a body
// that stands or runs at double speed.
type events struct {
	config Config
	buf    sampleBuffer
	state  State
	shown  bool
	piece  piece
	view   time.Duration
}

// eventsKept is the article's number of updates.
const eventsKept = 20

func (e *events) Timing() Timing { return Delayed }

func (e *events) Push(_ time.Duration, s Sample) { e.buf.Push(s) }

func (e *events) Reset() {
	e.buf.Clear()
	e.shown = false
}

func (e *events) At(_, view time.Duration) (State, Info) {
	n := e.buf.Len()
	if n == 0 {
		return State{Rotation: mgl32.QuatIdent()}, Info{Time: view, Empty: true}
	}
	i := e.buf.Find(view) + 1 // the first ahead of the view
	starved := i == n
	i = min(i, n-1)
	cur := e.buf.At(i)
	info := Info{Time: view, Starved: starved && !cur.AtRest, Early: i == 0 && !starved}
	if info.Starved {
		info.Extrapolated, info.Held = view-cur.At(), true
	}

	switch {
	case i > 0 && !starved && (!joined(&e.buf, i-1) || e.buf.At(i-1).AtRest && view < cur.At()-e.config.Interval):
		// A jump ahead is not chased: the body waits where it is until the view reaches the jump.
		// The same holds for a resting body that moves only later.
		i--
		cur = e.buf.At(i)
	case i > 0 && !starved && !e.shown:
		cur = e.buf.At(i - 1) // begin at the body's place, not at its target
	}
	info.Frame = cur.Frame
	if !e.shown || e.piece != cur.piece() {
		e.shown, e.piece, e.view = true, cur.piece(), view
		e.state = cur.still()
		info.Discontinuity = true
		return e.state, info
	}

	dt := seconds(max(view-e.view, 0))
	e.view = view
	gap := cur.Position.Sub(e.state.Position)
	away := gap.Len()
	// The pull prevents a delayed body from lagging forever. A body that stands in all three
	// updates is at most an interval from its place.
	speed, moving := e.speed(i)
	pull := float32(chasePull)
	if !moving {
		pull = 1 / seconds(e.config.Interval)
	}
	step := (speed + pull*max(away-speed*seconds(e.config.Interval), 0)) * dt
	e.state.Velocity = mgl32.Vec3{}
	if step < away && away > gone {
		e.state.Position = e.state.Position.Add(gap.Mul(step / away))
	} else {
		step = away
		e.state.Position = cur.Position
	}
	if away > 0 && dt > 0 {
		e.state.Velocity = gap.Mul(step / (away * dt))
	}
	turn := float32(1)
	if left := seconds(cur.At() - view); left > 0 {
		turn = dt / (left + dt)
	}
	e.state.Rotation = rotation.TurnTowards(e.state.Rotation, cur.Rotation, turn)
	e.state.Scale = resizeTowards(e.state.Scale, cur.Scale, turn)
	info.Settled = starved && cur.AtRest && e.state.Position == cur.Position && e.state.Scale == cur.Scale
	return e.state, info
}

// speed returns the mean speed over the three updates around the i-th and whether the body moved at
// all in them.
func (e *events) speed(i int) (float32, bool) {
	var path, span float32
	for j := i - 1; j <= i; j++ {
		if joined(&e.buf, j) {
			from, to := e.buf.At(j), e.buf.At(j+1)
			h, _ := underway(from, to, &e.config, to.At())
			path += to.Position.Sub(from.Position).Len()
			span += h
		}
	}
	if span == 0 || path == 0 {
		return 0, false
	}
	return path / span, true
}
