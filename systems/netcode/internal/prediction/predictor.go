package prediction

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Config configures a [Predictor].
type Config[S any, I comparable] struct {
	// Step returns the state one tick later. It must be the server's own function, depend on
	// nothing but its arguments, and simulate only the predicted state: other bodies must not move
	// each time inputs are replayed. Required.
	Step func(state S, input I, t tick.Tick) S
	// Distance returns the error of a prediction, in a unit of the game's choice, at least 0. It
	// returns infinity or NaN for states that have nothing in common. Required.
	Distance func(predicted, authoritative S) float64
	// Tolerance is the distance up to which a prediction counts as right. Choose it above the
	// quantum of the states on the wire. With zero only an exact prediction counts.
	Tolerance float64
	// History is how many ticks can be replayed: 0 means DefaultHistory, else 1 to MaxHistory,
	// rounded up to a power of two. It must cover the round trip and the lead.
	History int
	// Rules make up inputs for ticks that were skipped.
	Rules Rules[I]
	// Delay is how many ticks after the present one a given input runs, at least 0.
	Delay int
}

// Predictor runs a player's own simulation ahead of the server. State k is the state after k steps.
// Input k takes state k to k+1. Create it with [NewPredictor], and pass the first authoritative
// state to [Predictor.Start].
type Predictor[S any, I comparable] struct {
	config     Config[S, I]
	started    bool
	window     // the state is that at now
	state      S
	states     []S // at oldest to now-1, a ring as long as the one of the inputs
	pending    *Pending[I]
	accepted   bool      // an authoritative state, since the predictor was made
	latest     tick.Tick // newest tick of those
	last       I         // the input of the last step
	outdated   bool      // ticks from outdatedAt on were predicted with other values of the match
	outdatedAt tick.Tick
	carry      presses[I]
	followers  []follower                           // none: the player is alone
	together   func(state *S, input I, t tick.Tick) // step of the group
}

// window is the range of ticks from which a replay can start.
type window struct {
	oldest tick.Tick // of the states that are kept
	now    tick.Tick // the present
}

// holds reports whether a replay can start at a tick.
func (w *window) holds(t tick.Tick) bool { return !w.oldest.IsNewer(t) && !t.IsNewer(w.now) }

// follower is the members of one type in the group that steps with a player.
type follower interface {
	keep(t tick.Tick)                         // stores the present states as those at t
	load(t tick.Tick)                         // restores the states at t after the clock went back
	restart(t tick.Tick)                      // makes the present states the oldest, at t
	oldestWrong() (from tick.Tick, some bool) // returns the oldest tick at which a member was wrong
	begin(from tick.Tick)                     // begins a replay
	hold(t tick.Tick)                         // the replay has reached t
	end()                                     // ends the replay
}

// NewPredictor returns a predictor that waits for Start.
func NewPredictor[S any, I comparable](c Config[S, I]) *Predictor[S, I] {
	size := ringSize(c.History)
	return &Predictor[S, I]{config: c, states: make([]S, size), pending: NewPending[I](size + c.Delay)}
}

// Start begins at an authoritative state: the player's first, or one after a jump of the clock. It
// removes pending inputs.
func (p *Predictor[S, I]) Start(t tick.Tick, state S) {
	p.started, p.latest, p.state = true, t, state
	p.restart(t)
}

// restart continues at another tick with the present state. The last input is too old to be
// repeated.
func (p *Predictor[S, I]) restart(t tick.Tick) {
	p.now, p.oldest, p.last, p.outdated = t, t, p.config.Rules.Neutral, false
	p.pending.restart(t)
	for _, f := range p.followers {
		f.restart(t)
	}
}

// Started reports whether there is a state.
func (p *Predictor[S, I]) Started() bool { return p.started }

// Tick returns the tick of the present state, which is also that of the next input.
func (p *Predictor[S, I]) Tick() tick.Tick { return p.now }

// State returns the present state, at Tick.
func (p *Predictor[S, I]) State() S { return p.state }

// Input returns the input of the newest step, the neutral one before the first.
func (p *Predictor[S, I]) Input() I { return p.last }

// Pending returns the inputs to send. They belong to the predictor. Callers may acknowledge them,
// and must not change them otherwise.
func (p *Predictor[S, I]) Pending() *Pending[I] { return p.pending }

// Advance takes the input of tick t, or of Config.Delay ticks later, runs that of t, and returns
// the state at t+1. Call it once per fixed step, with the tick of the clock. Before Start it
// panics. With a delay the first ticks run the neutral input.
//
// When the clock makes up for a stall by whole ticks, t lies ahead. The ticks between run with
// repeated inputs, which are sent like others (at most as many as the history; beyond that the
// prediction begins anew at t, and the next authoritative state corrects it). When the clock went
// back, t lies in the past. Inputs already given for t and later are unchanged, since the server
// may have them, and the new one adds only its presses to the next new input.
func (p *Predictor[S, I]) Advance(t tick.Tick, in I) S {
	if !p.started {
		panic("prediction: Advance before Start: predict when the first authoritative state has arrived")
	}
	switch gap := t.Sub(p.now); {
	case gap > 0 && int(gap) <= len(p.states):
		p.fill(t)
	case gap < 0 && !p.oldest.IsNewer(t):
		p.state, p.now = *p.at(t), t
		for _, f := range p.followers {
			f.load(t)
		}
	case gap != 0:
		p.restart(t)
	}
	if given := t.Add(p.config.Delay); p.known(given) {
		p.carry.add(in, &p.config.Rules)
	} else {
		p.fillPending(t, given)
		p.pending.Push(given, p.carry.take(in, &p.config.Rules))
	}
	in, _ = p.pending.At(t)
	p.step(in)
	return p.state
}

// known reports whether the input of a tick has been given.
func (p *Predictor[S, I]) known(t tick.Tick) bool {
	_, ok := p.pending.At(t)
	return ok
}

// fillPending repeats the newest input from tick t on until another tick, where none was given.
func (p *Predictor[S, I]) fillPending(t, until tick.Tick) {
	last := p.last
	for ; t != until; t++ {
		if in, ok := p.pending.At(t); ok {
			last = in
			continue
		}
		last = p.config.Rules.repeat(last)
		p.pending.Push(t, last)
	}
}

// fill runs the ticks up to t with the last input repeated.
func (p *Predictor[S, I]) fill(t tick.Tick) {
	for p.now != t {
		in, ok := p.pending.At(p.now)
		if !ok { // it exists if the clock went back before it went ahead
			in = p.config.Rules.repeat(p.last)
			p.pending.Push(p.now, in)
		}
		p.step(in)
	}
}

// step runs the present tick.
func (p *Predictor[S, I]) step(in I) {
	p.last = in
	p.run(in, p.now)
	p.now++
	if oldest := p.now.Add(-len(p.states)); oldest.IsNewer(p.oldest) {
		p.oldest = oldest
	}
}

// run brings the present states from a tick to the next, and stores the earlier ones as those at
// the tick.
func (p *Predictor[S, I]) run(in I, t tick.Tick) {
	*p.at(t) = p.state
	for _, f := range p.followers {
		f.keep(t)
	}
	p.state = p.config.Step(p.state, in, t)
	if p.together != nil {
		p.together(&p.state, in, t)
	}
}

// at returns the place of the state at a tick.
func (p *Predictor[S, I]) at(t tick.Tick) *S { return &p.states[int(t)&(len(p.states)-1)] }
