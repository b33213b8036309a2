package prediction

import "github.com/tandem-ecs/tandem/systems/netcode/internal/tick"

// Outcome is the effect of an authoritative state on a prediction.
type Outcome uint8

const (
	// Stale: no newer than one before, or too old to replay from; ignored.
	Stale Outcome = iota
	// Confirmed: the prediction was right, and is kept.
	Confirmed
	// Corrected: the prediction was wrong. The present state is the authoritative one plus the
	// replayed inputs.
	Corrected
	// Jumped: the authoritative state is newer than the prediction, which continues from there.
	Jumped
)

// String returns the outcome's name in lower case.
func (o Outcome) String() string {
	switch o {
	case Stale:
		return "stale"
	case Confirmed:
		return "confirmed"
	case Corrected:
		return "corrected"
	case Jumped:
		return "jumped"
	}
	return "unknown"
}

// Correction is the result of [Predictor.Reconcile].
type Correction[S any] struct {
	Outcome Outcome
	Error   float64 // distance of the prediction from the authoritative state, at its tick
	Depth   int     // ticks replayed
	// Before and After are the present state before and after the call. Use them for an error
	// offset that fades out the difference, or for Logical.Correct. They are the same unless
	// Corrected or Jumped.
	Before, After S
}

// Reconcile takes the server's state at tick t. If the error of the prediction for t was above the
// tolerance, Reconcile sets the state at t and replays the inputs from t on, up to the present.
// Before Start it does what Start does.
func (p *Predictor[S, I]) Reconcile(t tick.Tick, state S) Correction[S] {
	c := Correction[S]{Before: p.state, After: p.state}
	switch {
	case !p.started:
		p.Start(t, state)
		c.Outcome, c.Before, c.After = Jumped, state, state
		p.stats.States++
		return c
	case p.stats.States > 0 && !t.IsNewer(p.latest), p.oldest.IsNewer(t):
		p.stats.Stale++
		return c
	}
	p.latest = t
	p.stats.States++
	if t.IsNewer(p.now) {
		p.stats.Jumps++
		c.Outcome, c.After = Jumped, state
		p.state = state
		p.restart(t)
		return c
	}
	predicted := p.state
	if t != p.now {
		predicted = *p.at(t)
	}
	p.settle(t)
	c.Outcome, c.Error = Confirmed, p.config.Distance(predicted, state)
	wrong := !(c.Error <= p.config.Tolerance) // also for NaN
	from, others := t, false
	if p.company != nil {
		if oldest, some := p.company.wrong(); some {
			others = true
			if !wrong && !p.config.Always || from.IsNewer(oldest) {
				from = oldest
			}
		}
	}
	if !wrong {
		p.stats.LastCorrect = t
		if !p.config.Always && !others {
			return c
		}
		if !p.config.Always {
			state = predicted
		}
	}
	c.Depth = int(p.now.Sub(from))
	c.After = p.replay(from, t, state)
	p.stats.Replayed += uint64(c.Depth)
	if wrong || others && !(p.config.Distance(c.Before, c.After) <= 0) {
		c.Outcome = Corrected
	}
	if wrong {
		p.stats.Rollbacks++
		p.stats.LastDepth, p.stats.MaxDepth = c.Depth, max(p.stats.MaxDepth, c.Depth)
		p.stats.LastError, p.stats.MaxError = c.Error, max(p.stats.MaxError, c.Error)
	}
	return c
}

// behind is how many ticks the states of bodies may lie behind the newest of their player.
const behind = 32

// settle removes the history that no replay will need any more, now that the server's state at tick
// t is known.
func (p *Predictor[S, I]) settle(t tick.Tick) {
	if p.company != nil {
		t = t.Add(-behind)
		if !t.IsNewer(p.oldest) {
			return
		}
	}
	p.pending.Applied(t.Add(-1))
	p.oldest = t
}

// replay goes back to a tick and runs the inputs since. The player has the state at tick t. Until t
// it is held at its earlier prediction.
func (p *Predictor[S, I]) replay(from, t tick.Tick, state S) S {
	now, present := p.now, p.state
	if t != now {
		*p.at(t) = state
	} else {
		present = state
	}
	if p.state = present; from != now {
		p.state = *p.at(from)
	}
	if p.company != nil {
		p.company.begin(from)
	}
	for k := from; k != now; {
		in, ok := p.pending.At(k)
		if !ok {
			panic("prediction: an input of the history is missing: a Predictor's Pending is not to be reset or dropped from by others")
		}
		p.run(in, k)
		k++
		switch {
		case k.IsNewer(t):
		case k == now:
			p.state = present
		default:
			p.state = *p.at(k)
		}
		if p.company != nil {
			p.company.hold(k, now)
		}
	}
	if p.company != nil {
		p.company.end()
	}
	return p.state
}
