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
		p.accepted = true
		return Correction[S]{Outcome: Jumped, Before: state, After: state}
	case p.accepted && !t.IsNewer(p.latest), p.oldest.IsNewer(t):
		return c
	}
	p.accepted, p.latest = true, t
	if t.IsNewer(p.now) {
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
	from, others := p.oldestWrong()
	if !wrong {
		if !others {
			return c
		}
		state = predicted
	} else if !others || from.IsNewer(t) {
		from = t
	}
	c.Depth = int(p.now.Sub(from))
	c.After = p.replay(from, t, state)
	if wrong || !(p.config.Distance(c.Before, c.After) <= 0) {
		c.Outcome = Corrected
	}
	return c
}

// Invalidate makes the next Reconcile that is not Stale replay the ticks from t on, as far as they
// are predicted, because Step now finds other values of the match in them.
func (p *Predictor[S, I]) Invalidate(t tick.Tick) {
	if !p.outdated || p.outdatedAt.IsNewer(t) {
		p.outdated, p.outdatedAt = true, t
	}
}

// oldestWrong returns the oldest tick from which the ticks have to be replayed, if there is one: in
// which a member of the group was wrong, or that is invalid.
func (p *Predictor[S, I]) oldestWrong() (from tick.Tick, some bool) {
	if p.outdated {
		p.outdated = false
		if from = p.outdatedAt; p.oldest.IsNewer(from) {
			from = p.oldest
		}
		some = p.now.IsNewer(from)
	}
	for _, f := range p.followers {
		if oldest, wrong := f.oldestWrong(); wrong && (!some || from.IsNewer(oldest)) {
			from, some = oldest, true
		}
	}
	return from, some
}

// behind is how many ticks the states of bodies may lie behind the newest of their player.
const behind = 32

// settle removes the history that no replay will need any more, now that the server's state at tick
// t is known.
func (p *Predictor[S, I]) settle(t tick.Tick) {
	if p.followers != nil {
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
	for _, f := range p.followers {
		f.begin(from)
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
		for _, f := range p.followers {
			f.hold(k)
		}
	}
	for _, f := range p.followers {
		f.end()
	}
	return p.state
}
