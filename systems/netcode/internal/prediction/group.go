package prediction

import (
	"cmp"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
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
	ID        snapshot.ID // its identity on the wire
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
	histories[B]
	// Others are the other players that take part.
	Others  histories[Proxy[S, I]]
	config  BodiesConfig[S, I, B]
	number  uint16
	actors  []Actor[S, I] // scratch
	group   Group[S, I, B]
	present []int // for each of group.Bodies its index in the list of members
}

// NewBodies returns an empty group.
func NewBodies[S any, I comparable, B any](c BodiesConfig[S, I, B]) *Bodies[S, I, B] {
	c.Max = cmp.Or(c.Max, DefaultBodies)
	return &Bodies[S, I, B]{
		config:    c,
		histories: newHistories(c.Max, func(p, a B) bool { return c.Distance(p, a) <= c.Tolerance }),
		Others: newHistories(c.Others.Max, func(p, a Proxy[S, I]) bool {
			return c.Others.Distance(p.State, a.State) <= c.Others.Tolerance
		}),
		group:   Group[S, I, B]{Bodies: make([]Body[B], 0, c.Max)},
		present: make([]int, 0, c.Max),
		actors:  make([]Actor[S, I], 0, 1+c.Others.Max),
	}
}

// Accompany makes bodies step with a player from now on, under the player's number. Each Bodies
// belongs to one predictor.
func Accompany[S any, I comparable, B any](p *Predictor[S, I], number uint16, b *Bodies[S, I, B]) {
	b.number = number
	b.attach(&p.window, len(p.states))
	b.Others.attach(&p.window, len(p.states))
	p.followers, p.together = []follower{&b.histories, &b.Others}, b.step
}

// Max returns how many bodies can be predicted at once.
func (b *Bodies[S, I, B]) Max() int { return b.config.Max }

// step moves the group from a tick to the next. The player's own step has run.
func (b *Bodies[S, I, B]) step(state *S, in I, t tick.Tick) {
	b.group.Bodies, b.present = b.group.Bodies[:0], b.present[:0]
	for i := range b.list {
		if m := &b.list[i]; b.here(m, t) {
			b.group.Bodies = append(b.group.Bodies, Body[B]{m.id, m.kind, m.state})
			b.present = append(b.present, i)
		}
	}
	b.actors = append(b.actors[:0], Actor[S, I]{Number: b.number, State: state, Input: in})
	b.walk(t)
	if len(b.actors) > 1 {
		SortActors(b.actors)
	}
	b.group.Players = b.actors
	b.config.Step(&b.group, t)
	if len(b.group.Players) != len(b.actors) || len(b.group.Bodies) != len(b.present) {
		panic("prediction: the step of a group has added or removed members; change what they are instead")
	}
	for k, i := range b.present {
		b.list[i].state = b.group.Bodies[k].State
	}
}

// SortActors sorts players by their numbers. A [Group] has them in this order on both ends.
func SortActors[S any, I comparable](players []Actor[S, I]) {
	slices.SortFunc(players, func(a, b Actor[S, I]) int { return cmp.Compare(a.Number, b.Number) })
}
