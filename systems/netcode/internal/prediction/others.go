package prediction

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Others configures how other players take part in the prediction of a group. Each is simulated
// like the own player, from its newest authoritative state on, with assumed inputs. So it pushes
// bodies, and bodies push it back. This is how Rocket League predicts other cars (Cone, "It IS
// Rocket Science", Game Developers Conference 2018).
type Others[S any, I comparable] struct {
	// Step is a player's own step, as Config.Step of a [Predictor]. Required if there are others.
	Step func(state S, in I, t tick.Tick) S
	// Guess returns the input that a player is assumed to give, so many ticks (1 or more) after its
	// last known input. Required if there are others.
	Guess func(last I, ticks int) I
	// Distance returns the error of a prediction, at least 0, and Tolerance is the distance up to
	// which it counts as right. Distance is required if there are others.
	Distance  func(predicted, authoritative S) float64
	Tolerance float64
	// Max is the most others that are predicted, up to MaxBodies; 0 means none.
	Max int
}

// Proxy is another player at a tick.
type Proxy[S any, I comparable] struct {
	State S
	last  I // of an authoritative state: the input that led to it
	ran   I // the input that leads on from here
}

// NoteOther takes the server's state of another player at a tick, with the input of the tick
// before, which led to it. It adds the player if it is not in yet. The next Reconcile replays if
// the prediction had the player elsewhere or assumed another input. NoteOther returns false and
// changes nothing for a state that is no newer than the last, too old or invalid, and if there is
// no room.
func (b *Bodies[S, I, B]) NoteOther(id snapshot.ID, number uint16, t tick.Tick, state S, in I) bool {
	news := Proxy[S, I]{State: state, last: in, ran: in}
	m, _ := b.Others.find(id)
	if m == nil {
		return b.Others.Add(id, number, t, news)
	}
	if !b.Others.Note(id, t, news) {
		return false
	}
	for k := t; k != b.window.now && !m.wrong; k++ {
		m.wrong = b.Others.at(m, k).ran != b.guess(m, k)
	}
	return true
}

// guess returns the assumed input of another player in tick t, which is not before that of its
// newest state.
func (b *Bodies[S, I, B]) guess(m *history[Proxy[S, I]], t tick.Tick) I {
	return b.config.Others.Guess(m.truth.last, int(t.Sub(m.known))+1)
}

// walk runs the own steps of the others for tick t, and adds them to the actors.
func (b *Bodies[S, I, B]) walk(t tick.Tick) {
	for i := range b.Others.list {
		m := &b.Others.list[i]
		if !b.Others.here(m, t) {
			continue
		}
		if !m.known.IsNewer(t) {
			m.state.ran = b.guess(m, t)
			b.Others.at(m, t).ran = m.state.ran
		}
		m.state.State = b.config.Others.Step(m.state.State, m.state.ran, t)
		b.actors = append(b.actors, Actor[S, I]{Number: m.kind, State: &m.state.State, Input: m.state.ran})
	}
}
