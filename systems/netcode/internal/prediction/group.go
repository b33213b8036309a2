package prediction

import (
	"cmp"
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Group is the set of players and bodies that move each other in a tick. On a server it is all of
// them. In a client's prediction it is the client's own player and the bodies and players near it.
type Group[S any, I comparable, B any] struct {
	Players []Actor[S, I] // by their numbers, on both ends
	// in the same order on both ends, that of their slots on the wire: a result that depends on the
	// order is then the same on both ends
	Bodies []Body[B]
}

// Actor is a player of a [Group]. Its own step for the tick has already run.
type Actor[S any, I comparable] struct {
	Number uint16 // of the player
	State  *S     // at the end of the tick; the group's step changes it where bodies push back
	Input  I      // that ran in the tick
}

// Body is a body of a [Group]. Its state is that at the tick's start when a step begins. The step
// brings it to the tick's end.
type Body[B any] struct {
	ID        uint32 // its identity on the wire, a snapshot.ID
	Archetype uint16
	State     B
}

// MaxBodies is the most bodies that can be predicted at once. DefaultBodies is their number if a
// configuration says 0.
const (
	MaxBodies     = 256
	DefaultBodies = 16
)

// BodiesConfig configures [Bodies].
type BodiesConfig[S any, I comparable, B any] struct {
	// Step brings a group to the end of tick t, after the own step of each player has run. It must
	// be the server's own function, depend on nothing but its arguments (and values that are a
	// function of the tick), neither add nor remove members, and keep no reference to the group.
	// Required.
	Step func(g *Group[S, I, B], t tick.Tick)
	// Distance returns the error of a prediction, at least 0, and NaN for an invalid state.
	// Required.
	Distance func(predicted, authoritative B) float64
	// Tolerance is the distance up to which a prediction counts as right. Choose it above the
	// quantum of bodies on the wire.
	Tolerance float64
	// Others configures how other players take part. With the zero value they do not.
	Others Others[S, I]
	// Max is the most bodies that are predicted: 0 means DefaultBodies, else 1 to MaxBodies. All
	// memory is allocated at the start.
	Max int
}

// Bodies predicts bodies together with a player: a body that the player pushes moves at once.
// Connect it to the player's predictor with [Accompany]. From then on the predictor steps and
// replays the bodies along with the player.
//
// # Different ticks
//
// The authoritative states of the members arrive at different ticks: a state that did not fit into
// a packet arrives with a later one, and packets overtake each other. Each member has the tick of
// its newest authoritative state. A replay begins at the oldest tick at which any member was
// predicted wrongly. Until a member's own tick it is held at its earlier prediction (which that
// state has just confirmed, or is about to replace). There it takes its authoritative state if it
// was wrong, and is simulated from there on. So no member is set back behind its newest known
// state, and no tick that the server has already decided is simulated again.
//
// # Cost
//
// Each Reconcile costs at most one replay, of at most History ticks with at most Max bodies each.
// It costs none while predictions are right.
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
	present []int // for each of group.Bodies its index in members.list
	stats   BodiesStats
}

// BodiesStats counts the work of a [Bodies].
type BodiesStats struct {
	States      uint64  // authoritative states of bodies compared with their prediction
	Stale       uint64  // refused: no newer than the last, or too old to replay from
	Corrections uint64  // of those compared, predicted wrongly
	Others      uint64  // states of other players compared,
	Surprises   uint64  // and of them those that were elsewhere, or did something else
	Replays     uint64  // for the player, the bodies or the others
	Steps       uint64  // steps of a body, those replayed included
	LastError   float64 // of the last wrong prediction, as BodiesConfig.Distance measures it
	MaxError    float64 // the greatest, likewise
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

// Accompany makes bodies step with a player from now on, under the player's number. Each Bodies
// belongs to one predictor.
func Accompany[S any, I comparable, B any](p *Predictor[S, I], number uint16, b *Bodies[S, I, B]) {
	p.company, p.together = b, b.step
	b.attach(p, number, len(p.states))
}

// bodyGroup is the group that steps with a player: [Bodies] without its type parameters.
type bodyGroup interface {
	keep(t tick.Tick) // stores the present states as those at t
	load(t tick.Tick) // restores the states at t
	// makes the present states those at t, without earlier history
	restart(t tick.Tick)
	wrong() (from tick.Tick, any bool) // the oldest tick at which a member was wrong
	begin(from tick.Tick)              // a replay begins
	hold(t, now tick.Tick)             // the replay has reached t
	end()                              // the replay is over
}

// window returns the ticks from which a replay can start: the states of oldest to now are kept.
func (p *Predictor[S, I]) window() (oldest, now tick.Tick) { return p.oldest, p.now }

func (b *Bodies[S, I, B]) attach(clock interface {
	window() (oldest, now tick.Tick)
}, number uint16, history int) {
	b.clock, b.number = clock, number
	b.members.attach(history)
	b.others.attach(history)
}

// Len returns how many bodies are predicted.
func (b *Bodies[S, I, B]) Len() int { return len(b.members.list) }

// Max returns how many bodies can be predicted at once.
func (b *Bodies[S, I, B]) Max() int { return b.config.Max }

// Stats returns the counters.
func (b *Bodies[S, I, B]) Stats() BodiesStats { return b.stats }

// State returns the predicted state of a body at the predictor's tick, and whether the body is
// predicted. After Add it is the authoritative state until the next Reconcile.
func (b *Bodies[S, I, B]) State(id uint32) (state B, ok bool) {
	i, ok := b.members.find(id)
	if !ok {
		return state, false
	}
	return b.members.list[i].state, true
}

// Add adds a body to the group, from an authoritative state at a tick on. The next Reconcile brings
// it to the present. Add returns false and changes nothing if the body is in already, if there is
// no room, if the state is invalid, or if no replay can start at the tick (try again with a newer
// one).
func (b *Bodies[S, I, B]) Add(id uint32, kind uint16, t tick.Tick, state B) bool {
	return b.sane(state) && b.replayable(t) && b.members.add(id, kind, t, state)
}

// Remove removes a body from the group, and reports whether it was in.
func (b *Bodies[S, I, B]) Remove(id uint32) bool { return b.members.remove(id) }

// Note takes the server's state of a member at a tick. The next Reconcile replays if the state
// differs from the prediction. Note refuses an invalid state (whose distance from itself is not 0),
// and one that is no newer than the last, or too old.
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

// sane reports whether a state is near itself. A state that holds a NaN is not.
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
