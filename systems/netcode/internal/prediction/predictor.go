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
	// Always sets each authoritative state and replays, whether or not the prediction was right, as
	// Multiplayer Platformer Log #3 and Champions of Mirra do. By default only a misprediction
	// causes a replay.
	Always bool
}

// Predictor runs a player's own simulation ahead of the server. State k is the state after k steps.
// Input k takes state k to k+1. Create it with [NewPredictor], and pass the first authoritative
// state to [Predictor.Start].
type Predictor[S any, I comparable] struct {
	config   Config[S, I]
	started  bool
	now      tick.Tick // state is the state at this tick
	state    S
	oldest   tick.Tick // oldest tick in states
	states   []S       // the states at oldest to now-1, a ring as long as the one of the inputs
	pending  *Pending[I]
	latest   tick.Tick // newest tick of the authoritative states that were accepted
	last     I         // the input of the last step
	carry    presses[I]
	company  bodyGroup                            // nil: the player is alone
	together func(state *S, input I, t tick.Tick) // step of the group
	stats    Stats
}

// Stats counts the work of a [Predictor].
type Stats struct {
	Steps  uint64 // new ticks predicted
	Filled uint64 // of them skipped ticks, with made-up inputs
	States uint64 // authoritative states accepted
	// authoritative states refused: no newer than the last, or too old to replay from
	Stale       uint64
	Rollbacks   uint64    // mispredictions that were corrected
	Replayed    uint64    // steps run again
	Jumps       uint64    // times the prediction began anew elsewhere
	Rewinds     uint64    // times the tick went back
	LastDepth   int       // ticks that the last rollback replayed
	MaxDepth    int       // the most that any rollback replayed
	LastError   float64   // of the last misprediction, as Config.Distance measures it
	MaxError    float64   // the greatest, likewise
	LastCorrect tick.Tick // newest tick with a right prediction
}

// NewPredictor returns a predictor that waits for Start. It panics without Step or Distance, or for
// a history out of range.
func NewPredictor[S any, I comparable](c Config[S, I]) *Predictor[S, I] {
	if c.Step == nil || c.Distance == nil {
		panic("prediction: a Predictor needs Config.Step and Config.Distance")
	}
	size := ringSize(c.History)
	return &Predictor[S, I]{config: c, states: make([]S, size), pending: NewPending[I](size)}
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
	p.now, p.oldest, p.last = t, t, p.config.Rules.Neutral
	p.pending.restart(t)
	if p.company != nil {
		p.company.restart(t)
	}
}

// Started reports whether there is a state.
func (p *Predictor[S, I]) Started() bool { return p.started }

// Tick returns the tick of the present state, which is also that of the next input.
func (p *Predictor[S, I]) Tick() tick.Tick { return p.now }

// State returns the present state, at Tick.
func (p *Predictor[S, I]) State() S { return p.state }

// Pending returns the inputs to send. They belong to the predictor. Callers may acknowledge them,
// and must not change them otherwise.
func (p *Predictor[S, I]) Pending() *Pending[I] { return p.pending }

// Stats returns the counters since the predictor was made.
func (p *Predictor[S, I]) Stats() Stats { return p.stats }

// Advance runs input k at tick t and returns the state at t+1. Call it once per fixed step, with
// the tick of the clock. Before Start it panics.
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
		p.stats.Rewinds++
		p.state, p.now = *p.at(t), t
		if p.company != nil {
			p.company.load(t)
		}
	case gap != 0:
		p.stats.Jumps++
		p.restart(t)
	}
	if old, ok := p.pending.At(t); ok {
		p.carry.add(in, &p.config.Rules)
		p.step(old)
		return p.state
	}
	in = p.carry.take(in, &p.config.Rules)
	p.pending.Push(t, in)
	p.step(in)
	return p.state
}

// fill runs the ticks up to t with the last input repeated.
func (p *Predictor[S, I]) fill(t tick.Tick) {
	for p.now != t {
		in, ok := p.pending.At(p.now)
		if !ok { // it exists if the clock went back before it went ahead
			in = p.config.Rules.repeat(p.last)
			p.pending.Push(p.now, in)
			p.stats.Filled++
		}
		p.step(in)
	}
}

// step runs the present tick.
func (p *Predictor[S, I]) step(in I) {
	p.stats.Steps++
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
	if p.company != nil {
		p.company.keep(t)
	}
	p.state = p.config.Step(p.state, in, t)
	if p.company != nil {
		p.together(&p.state, in, t)
	}
}

// at returns the place of the state at a tick.
func (p *Predictor[S, I]) at(t tick.Tick) *S { return &p.states[int(t)&(len(p.states)-1)] }
