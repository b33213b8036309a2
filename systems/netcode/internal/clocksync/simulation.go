package clocksync

import (
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

const (
	// maxStretch is the greatest change of the speed of a simulation clock, as a fraction of real
	// time. It is 5 %, which players do not notice. It is also the limit of the engine's clock.
	maxStretch = 0.05
	// timeConstant is the time in which an error decays to 1/e of itself, while the stretch is not
	// at its limit.
	timeConstant = 250 * time.Millisecond
	// snapTicks and snapTime bound the errors that are corrected by stretching. An error that is
	// larger than both is corrected by a jump, with an event. At 5 % an error of 250 ms takes 5 s
	// to correct.
	snapTicks = 10
	snapTime  = 250 * time.Millisecond
)

// EngineTime is the engine's clock as a [Simulation] needs it. The fields are those of the
// engine's Time resource and are right both between two updates and inside a step.
type EngineTime struct {
	Normal  time.Duration // the time that the engine has consumed
	Fixed   time.Duration // the edge of step Tick
	Dropped time.Duration // real time lost to stalls so far, a running total
	Tick    uint64        // the next step to run; inside a step, its own index
}

// JumpCause is the cause of a [ClockJump].
type JumpCause string

const (
	// NoJump is the cause of the zero ClockJump: nothing happened.
	NoJump JumpCause = ""
	// JumpStart: the clock was set for the first time.
	JumpStart JumpCause = "start"
	// JumpStall: this machine lost time (the engine dropped it). A jump by the nearest number of
	// whole ticks makes up for it at once.
	JumpStall JumpCause = "stall"
	// JumpSnap: the target was too far away for stretching, or inputs arrived too late. Afterwards
	// the clock is early by less than a tick, as after a start, since an early input waits and a
	// late one is lost.
	JumpSnap JumpCause = "snap"
)

// ClockJump is a move of the mapping of engine ticks to server ticks. Ticks skipped by a positive
// jump are never simulated: the client sends the repeated input for them. After a negative jump
// ticks are simulated again, and histories by tick have to be dropped.
type ClockJump struct {
	Cause JumpCause
	// Ticks is how much later the tick is that the next step simulates now.
	Ticks int64
}

// Simulation is the clock of the client's simulation. It maps each of the engine's steps to the
// server tick that the step simulates. It also computes how much the engine's time has to be
// stretched to stay at its target, the reference clock plus a lead. The engine owns real time. Its
// time is stretched, by 5 % at most, and never jumps. Only the mapping jumps, by whole ticks
// and with a [ClockJump]. Between jumps [Simulation.Time] never runs backwards.
//
// There is one controller, of first order: stretch = 1 + (target - time) / 250 ms, limited.
// Nothing is accumulated, so nothing can wind up. The design follows netfox, whose reference clock
// may step while its simulation clock is stretched. The limit is 5 % instead of netfox's 25 %, and
// the correction of one frame never exceeds the error, for a frame of any length.
//
// Create it with [NewSimulation].
type Simulation struct {
	grid    Grid
	started bool  // Update was called
	shift   int64 // server tick = engine tick + shift
	engine  EngineTime
	now     time.Duration
	stretch float64       // of the last Update
	err     time.Duration // how far the clock was behind its target then, after a jump
	dropped time.Duration // not yet made up by whole ticks
}

// NewSimulation returns a clock that is not started. The server and the engine have the ticks of
// the grid.
func NewSimulation(grid Grid) *Simulation { return &Simulation{grid: grid, stretch: 1} }

// Update compares the clock with its target and returns the stretch to give to the engine until the
// next call, in steps of a millionth and within 0.95 and 1.05. Call it once a frame, after the
// engine's update, with the real time up to which the engine was updated, the engine's time, and
// the server time that the simulation should be at then. In a hurry, since inputs arrive too late,
// it jumps to a target that is more than a tick ahead. The first call starts the clock.
func (s *Simulation) Update(now time.Duration, engine EngineTime, target time.Duration, hurry bool) (stretch float64, jump ClockJump) {
	frame, lost, first := now-s.now, engine.Dropped-s.engine.Dropped, !s.started
	if first {
		frame, lost = 0, 0
	}
	s.started, s.now, s.engine = true, now, engine
	s.err = target - s.Time(engine.Normal)
	s.dropped += max(0, lost)
	far := s.err.Abs() > max(snapTime, s.grid.Edge(snapTicks))
	switch n := min(s.grid.Ticks(s.dropped), s.grid.Ticks(s.err)); {
	case first:
		jump = s.jump(JumpStart, s.whole(s.err))
	case n > 0:
		jump = s.jump(JumpStall, n)
	case far || hurry && s.err > s.grid.Step():
		jump = s.jump(JumpSnap, s.whole(s.err))
	}
	if jump.Cause != NoJump || s.err < s.grid.Step()/2 {
		s.dropped = 0 // less than a tick is missing now
	}
	s.stretch = s.control(frame)
	return s.stretch, jump
}

// control returns the stretch for a frame about as long as the last one.
func (s *Simulation) control(frame time.Duration) float64 {
	// A share of 1 - exp(-frame/tau) of the error is corrected during the frame, so long frames do
	// not overshoot.
	gain := 1 / timeConstant.Seconds()
	if frame > 0 {
		gain = -math.Expm1(-frame.Seconds()/timeConstant.Seconds()) / frame.Seconds()
	}
	change := min(max(s.err.Seconds()*gain, -maxStretch), maxStretch)
	return math.Round((1+change)*1e6) / 1e6
}

// whole returns an error in whole ticks, rounded up, so that the clock is early and not late
// afterwards.
func (s *Simulation) whole(err time.Duration) int64 { return s.grid.Index(err-1) + 1 }

// jump moves the mapping by n ticks.
func (s *Simulation) jump(cause JumpCause, n int64) ClockJump {
	from := int64(s.engine.Tick) + s.shift
	s.shift += n
	s.err -= s.grid.Edge(from+n) - s.grid.Edge(from)
	return ClockJump{cause, n}
}

// Tick returns the server tick that a step of the engine simulates: input Tick(k) changes the world
// from state Tick(k) to the next state.
func (s *Simulation) Tick(engineTick uint64) tick.Tick { return s.grid.Tick(s.index(engineTick)) }

// index is Tick in 64 bits, for [Grid.Edge].
func (s *Simulation) index(engineTick uint64) int64 { return int64(engineTick) + s.shift }

// Time returns the simulation's place on the server's time line at an engine time.
func (s *Simulation) Time(engine time.Duration) time.Duration {
	return s.grid.Edge(s.index(s.engine.Tick)) + (engine - s.engine.Fixed)
}

// RealAt returns the real time at which the engine's clock reaches an engine time, at the present
// stretch. The net system uses it for the end of a step, which lies a little ahead.
func (s *Simulation) RealAt(engine time.Duration) time.Duration {
	return s.now + time.Duration(math.Round(float64(engine-s.engine.Normal)/s.stretch))
}
