package prediction

import (
	"cmp"
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Group is what moves each other in a tick: players and bodies. On a server these are all that
// there are, in a client's prediction his own player and the bodies and players near him.
type Group[S any, I comparable, B any] struct {
	Players []Actor[S, I] // by their numbers, on both ends
	// in the same order on both ends, that of their slots on the wire, so that what depends on the
	// order comes out alike
	Bodies []Body[B]
}

// Actor is a player of a [Group]. His own step for the tick has run already.
type Actor[S any, I comparable] struct {
	Number uint16 // of the player
	State  *S     // at the end of the tick; to be changed where bodies push back
	Input  I      // that ran
}

// Body is a body of a [Group], at the tick's start when a step begins, to be brought to its end.
type Body[B any] struct {
	ID        uint32 // its name on the wire, a snapshot.ID
	Archetype uint16
	State     B
}

// MaxBodies is the most bodies that can be predicted at once, and DefaultBodies how many are if a
// configuration says 0.
const (
	MaxBodies     = 256
	DefaultBodies = 16
)

// BodiesConfig configures [Bodies].
type BodiesConfig[S any, I comparable, B any] struct {
	// Step brings a group to the end of tick t, after each of its players has been stepped by
	// himself. It must be the server's own function, depend on nothing but its arguments (and what
	// is a function of the tick), neither add nor remove members, and keep no reference to the
	// group. Required.
	Step func(g *Group[S, I, B], t tick.Tick)
	// Distance returns how far a prediction was off, at least 0, NaN for what makes no sense.
	// Required.
	Distance func(predicted, authoritative B) float64
	// Tolerance is the distance up to which a prediction counts as right; choose it above the
	// quantum of bodies on the wire.
	Tolerance float64
	// Others says how other players take part. The zero value: they do not.
	Others Others[S, I]
	// Max is how many bodies are predicted at most: 0 means DefaultBodies, else 1 to MaxBodies. All
	// memory is there from the start.
	Max int
}

// Bodies predicts bodies together with a player: what he pushes moves at once. Give it to his
// predictor with [Accompany], which from then on steps and replays them along with him.
//
// # Different ticks
//
// The authoritative states of the members come at different ticks: what did not fit into a packet
// comes with a later one, and packets overtake each other. Each member has the tick of its newest
// authoritative state. A replay begins at the oldest tick at which somebody was predicted wrongly;
// until a member's own tick it is held to what was predicted for it before (which that state has
// just confirmed, or is about to replace), takes its authoritative state there if it was wrong, and
// is simulated from there on. So nobody is put back behind what is known of him, and nobody
// simulates what the server has already decided.
//
// # Cost
//
// At most one replay for each Reconcile, of at most History ticks with at most Max bodies each;
// none while predictions are right.
type Bodies[S any, I comparable, B any] struct {
	config BodiesConfig[S, I, B]
	clock  interface {
		window() (oldest, now tick.Tick)
	}
	number  uint16
	members histories[B]
	others  histories[proxy[S, I]]
	actors  []Actor[S, I] // scratch
	group   Group[S, I, B]
	present []int // of group.Bodies: whose state each is
	stats   BodiesStats
}

// BodiesStats counts what a [Bodies] did.
type BodiesStats struct {
	States      uint64  // authoritative states of bodies compared with what was predicted
	Stale       uint64  // refused: no newer than the last, or too old to replay from
	Corrections uint64  // of those compared, wrong ones
	Others      uint64  // the same of other players: their states compared,
	Surprises   uint64  // and of them those who were elsewhere, or have done something else
	Replays     uint64  // for the player's sake, the bodies' or the others'
	Steps       uint64  // steps of a body, those replayed included
	LastError   float64 // of the last wrong one, as BodiesConfig.Distance measures it
	MaxError    float64 // the most, likewise
}

// NewBodies returns an empty group. It panics without Step or Distance, or for a Max out of range.
func NewBodies[S any, I comparable, B any](c BodiesConfig[S, I, B]) *Bodies[S, I, B] {
	if c.Step == nil || c.Distance == nil {
		panic("prediction: Bodies need BodiesConfig.Step and BodiesConfig.Distance")
	}
	c.Max = cmp.Or(c.Max, DefaultBodies)
	if c.Max < 1 || c.Max > MaxBodies {
		panic(fmt.Sprintf("prediction: at most %d bodies: use 1 to %d, or 0 for %d", c.Max, MaxBodies, DefaultBodies))
	}
	if c.Others.Max < 0 || c.Others.Max > MaxBodies || c.Others.Max > 0 && (c.Others.Step == nil || c.Others.Distance == nil) {
		panic(fmt.Sprintf("prediction: Others need Step and Distance, and a Max of 0 to %d", MaxBodies))
	}
	return &Bodies[S, I, B]{
		config:  c,
		members: newHistories[B](c.Max),
		others:  newHistories[proxy[S, I]](c.Others.Max),
		group:   Group[S, I, B]{Bodies: make([]Body[B], 0, c.Max)},
		present: make([]int, 0, c.Max),
		actors:  make([]Actor[S, I], 0, 1+c.Others.Max),
	}
}

// Accompany makes bodies step with a player from now on, under his number. Bodies go with one
// predictor.
func Accompany[S any, I comparable, B any](p *Predictor[S, I], number uint16, b *Bodies[S, I, B]) {
	p.company, p.together = b, b.step
	b.attach(p, number, len(p.states))
}

// bodyGroup is what steps with a player: [Bodies] without their type.
type bodyGroup interface {
	keep(t tick.Tick) // notes the present states as those at t
	load(t tick.Tick) // goes back to those at t
	// what is here is here at t, and nothing is known from before
	restart(t tick.Tick)
	wrong() (from tick.Tick, any bool) // the oldest tick at which somebody was wrong
	begin(from tick.Tick)              // a replay begins
	hold(t, now tick.Tick)             // has come to t
	end()                              // is over
}

// window is the ticks that can be replayed from: the states of oldest to now are there.
func (p *Predictor[S, I]) window() (oldest, now tick.Tick) { return p.oldest, p.now }

func (b *Bodies[S, I, B]) attach(clock interface {
	window() (oldest, now tick.Tick)
}, number uint16, history int) {
	b.clock, b.number = clock, number
	b.members.attach(history)
	b.others.attach(history)
}

// Len returns how many bodies are predicted, and Max how many can be.
func (b *Bodies[S, I, B]) Len() int { return len(b.members.list) }

// Max returns how many bodies can be predicted at once.
func (b *Bodies[S, I, B]) Max() int { return b.config.Max }

// Stats returns the counters.
func (b *Bodies[S, I, B]) Stats() BodiesStats { return b.stats }

// State returns the predicted state of a body, at the predictor's tick, and whether it is
// predicted. After Add that is the authoritative state until the next Reconcile.
func (b *Bodies[S, I, B]) State(id uint32) (state B, ok bool) {
	i, ok := b.members.find(id)
	if !ok {
		return state, false
	}
	return b.members.list[i].state, true
}

// Add takes a body into the group, from an authoritative state at a tick on; the next Reconcile
// brings it to the present. It returns false, and nothing has changed, if it is in already, if
// there is no room, if the state makes no sense, or if the tick is not one that can be replayed
// from (try again with a newer one).
func (b *Bodies[S, I, B]) Add(id uint32, kind uint16, t tick.Tick, state B) bool {
	return b.sane(state) && b.replayable(t) && b.members.add(id, kind, t, state)
}

// Remove takes a body out of the group, and reports whether it was in.
func (b *Bodies[S, I, B]) Remove(id uint32) bool { return b.members.remove(id) }

// Clear takes all bodies out.
func (b *Bodies[S, I, B]) Clear() { b.members.clear() }

// Note takes the server's state of a member at a tick. The next Reconcile replays if it is not what
// was predicted. A state that makes no sense (whose distance from itself is not 0) is refused; so
// is one that is no newer than the last, or too old.
func (b *Bodies[S, I, B]) Note(id uint32, t tick.Tick, state B) bool {
	i, in := b.members.find(id)
	if !in {
		return false
	}
	m := &b.members.list[i]
	if !t.IsNewer(m.known) || !b.replayable(t) || !m.fresh && m.since.IsNewer(t) || !b.sane(state) {
		b.stats.Stale++
		return false
	}
	b.stats.States++
	if m.fresh {
		b.members.begins(m, t, state)
		return true
	}
	_, now := b.clock.window()
	d := b.config.Distance(b.members.predicted(m, t, now), state)
	m.known, m.truth, m.wrong = t, state, !(d <= b.config.Tolerance)
	if m.wrong {
		b.stats.Corrections++
		b.stats.LastError, b.stats.MaxError = d, max(b.stats.MaxError, d)
	}
	return true
}

// sane reports whether a state is near itself, which nothing is that holds a NaN.
func (b *Bodies[S, I, B]) sane(state B) bool {
	return b.config.Distance(state, state) <= b.config.Tolerance
}

func (b *Bodies[S, I, B]) replayable(t tick.Tick) bool {
	oldest, now := b.clock.window()
	return !oldest.IsNewer(t) && !t.IsNewer(now)
}

// Known returns the tick of the newest authoritative state of a member.
func (b *Bodies[S, I, B]) Known(id uint32) (t tick.Tick, ok bool) {
	i, ok := b.members.find(id)
	if !ok {
		return 0, false
	}
	return b.members.list[i].known, true
}

// Ready reports whether a body is in the group and has been brought to the present.
func (b *Bodies[S, I, B]) Ready(id uint32) bool {
	i, in := b.members.find(id)
	return in && !b.members.list[i].fresh
}
