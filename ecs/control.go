package ecs

import (
	"errors"
	"fmt"
	"time"
)

// maxStart bounds the time at which an engine may start, so that times do not overflow later.
const maxStart = 100 * 365 * 24 * time.Hour

// StartAt makes tick the index of the engine's first step, for a world whose steps are counted
// together with those of others. Normal and Fixed then begin at that step's edge, as if the steps
// before it had run at this rate. It returns an error after the first Update.
func (e *Engine) StartAt(tick uint64) error {
	switch rate := uint64(e.clock.rate); {
	case e.clock.time.Frame > 0 || e.updating:
		return errors.New("ecs: cannot start at a tick after the first Update; call StartAt before it")
	case tick/rate >= uint64(maxStart/time.Second):
		return fmt.Errorf("ecs: cannot start at tick %d; at %d Hz its edge is %v or more after that of tick 0", tick, rate, maxStart)
	}
	e.clock.startAt(tick)
	return nil
}

// SetScale sets the speed of normal time relative to real time, 0 (a pause) to [MaxScale], from the
// next Update on. It is rounded to millionths. Fewer or more steps run per second. Each is as long
// as before, so slow motion changes nothing in the simulation. Other values are an error and change
// nothing, and so is a scale other than 1 while the clock is held.
func (e *Engine) SetScale(scale float64) error {
	m, err := toMillionths(scale)
	if err != nil {
		return err
	}
	if m != millionth {
		if err := e.checkHolder("set the time scale"); err != nil {
			return err
		}
	}
	e.clock.setScale(m)
	return nil
}

// SetStretch sets the second factor on the speed of normal time, [MinStretch] to [MaxStretch]. It
// belongs to plugins that follow another clock, such as a server's. It is rounded to millionths.
func (e *Engine) SetStretch(stretch float64) error {
	if !(stretch >= MinStretch && stretch <= MaxStretch) {
		return fmt.Errorf("ecs: a stretch of %v is outside %v to %v", stretch, MinStretch, MaxStretch)
	}
	m, _ := toMillionths(stretch) // it is in range
	e.clock.stretch, e.clock.time.Stretch = m, fromMillionths(m)
	return nil
}

// SetRate sets the number of fixed steps per second, [MinRate] to [MaxRate], from the next step
// edge on. Nothing jumps. Other values are an error and change nothing, and so is any rate while
// the clock is held.
func (e *Engine) SetRate(rate int) error {
	if err := checkRate(rate); err != nil {
		return err
	}
	if err := e.checkHolder("set the fixed rate"); err != nil {
		return err
	}
	if rate != e.clock.time.Rate {
		e.clock.setRate(rate)
	}
	if e.adaptive != nil {
		e.adaptive.follow(rate)
	}
	return nil
}

// RequestStep makes the next Update of a paused engine run exactly one fixed step and show its end,
// to a nanosecond. Calls do not add up. It does nothing if the engine is not paused. It returns an
// error while the clock is held.
func (e *Engine) RequestStep() error {
	if err := e.checkHolder("single-step"); err != nil {
		return err
	}
	if e.clock.scale == 0 {
		e.clock.single = true
	}
	return nil
}

// SetGate makes the engine ask before each fixed step whether it may run. While the answer is no,
// no step runs, and the time that was due for it is dropped, as by Config.MaxSteps. The normal
// stages go on. It is for a process that may simulate only as long as it holds a lease, also if it
// was stopped in the middle of an Update. Nil removes the gate. The clock's holder does not own it.
func (e *Engine) SetGate(open func() bool) { e.clock.gate = open }

// HoldClock reserves the clock for a plugin whose world shares its time with others (a client
// cannot slow a server's world). While it is held, SetScale to anything but 1, SetRate and
// RequestStep return errors that name the owner. Release gives it back; releasing twice does
// nothing.
//
// It fails when another owner holds the clock, when the scale is not 1, and when adaptive rates are
// configured.
func (e *Engine) HoldClock(owner string) (release func(), err error) {
	if owner == "" {
		return nil, errors.New("ecs: HoldClock needs the name of the owner, which stands in the errors of refused callers; pass one")
	}
	if err := e.checkHolder("hold the clock"); err != nil {
		return nil, err
	}
	if e.clock.scale != millionth {
		return nil, fmt.Errorf("ecs: %s cannot hold the clock while the time scale is %v; set it to 1 first", owner, e.clock.time.Scale)
	}
	if e.adaptive != nil {
		return nil, fmt.Errorf("ecs: %s cannot hold the clock of an engine with AdaptiveRates; configure a single FixedRate", owner)
	}
	e.holder = owner
	held := true
	return func() {
		if held {
			held = false
			e.holder = ""
		}
	}, nil
}

func (e *Engine) checkHolder(what string) error {
	if e.holder != "" {
		return fmt.Errorf("ecs: cannot %s: the clock is held by %s", what, e.holder)
	}
	return nil
}
