package prediction

import "github.com/tandem-ecs/tandem/systems/netcode/internal/tick"

// Others configures how other players take part in the prediction of a group. Each is simulated
// like the own player, from its newest authoritative state on, with assumed inputs. So it pushes
// bodies, and bodies push it back. This is how Rocket League predicts other cars (Cone, "It IS
// Rocket Science", Game Developers Conference 2018).
type Others[S any, I comparable] struct {
	// Step is a player's own step, as Config.Step of a [Predictor]. Required if there are others.
	Step func(state S, in I, t tick.Tick) S
	// Guess returns the input that a player is assumed to give, so many ticks (1 or more) after its
	// last known input. Nil means that the last input continues.
	Guess func(last I, ticks int) I
	// Distance returns the error of a prediction, at least 0, and Tolerance is the distance up to
	// which it counts as right. Distance is required if there are others.
	Distance  func(predicted, authoritative S) float64
	Tolerance float64
	// Max is the most others that are predicted, up to MaxBodies; 0 means none.
	Max int
}

// proxy is another player at a tick.
type proxy[S any, I comparable] struct {
	state S
	last  I // of an authoritative state: the input that led to it
	ran   I // the input that leads on from here
}

// NoteOther takes the server's state of another player at a tick, with the input of the tick
// before, which led to it. It adds the player if it is not in yet. The next Reconcile replays if
// the prediction had the player elsewhere or assumed another input. NoteOther returns false and
// changes nothing for a state that is no newer than the last, too old or invalid, and if there is
// no room.
func (b *Bodies[S, I, B]) NoteOther(id uint32, number uint16, t tick.Tick, state S, in I) bool {
	if b.config.Others.Max == 0 || !b.replayable(t) || !(b.config.Others.Distance(state, state) <= b.config.Others.Tolerance) {
		return false
	}
	news := proxy[S, I]{state: state, last: in, ran: in}
	i, known := b.others.find(id)
	if !known {
		return b.others.add(id, number, t, news)
	}
	m := &b.others.list[i]
	if !t.IsNewer(m.known) || !m.fresh && m.since.IsNewer(t) {
		return false
	}
	b.stats.Others++
	if m.fresh {
		b.others.begins(m, t, news)
		return true
	}
	_, now := b.clock.window()
	d := b.config.Others.Distance(b.others.predicted(m, t, now).state, state)
	m.known, m.truth, m.wrong = t, news, !(d <= b.config.Others.Tolerance)
	for k := t; k != now && !m.wrong; k++ {
		m.wrong = b.others.at(m, k).ran != b.guess(m, k)
	}
	if m.wrong {
		b.stats.Surprises++
	}
	return true
}

// RemoveOther removes another player from the group, and reports whether it was in.
func (b *Bodies[S, I, B]) RemoveOther(id uint32) bool { return b.others.remove(id) }

// Other returns the predicted state of another player at the predictor's tick, and whether it is
// predicted.
func (b *Bodies[S, I, B]) Other(id uint32) (state S, ok bool) {
	i, ok := b.others.find(id)
	if !ok || b.others.list[i].fresh {
		return state, false
	}
	return b.others.list[i].state.state, true
}

// OtherKnown returns the tick of the newest authoritative state of another player.
func (b *Bodies[S, I, B]) OtherKnown(id uint32) (t tick.Tick, ok bool) {
	i, ok := b.others.find(id)
	if !ok {
		return 0, false
	}
	return b.others.list[i].known, true
}

// guess returns the assumed input of another player in tick t, which is not before that of its
// newest state.
func (b *Bodies[S, I, B]) guess(m *history[proxy[S, I]], t tick.Tick) I {
	if b.config.Others.Guess == nil {
		return m.truth.last
	}
	return b.config.Others.Guess(m.truth.last, int(t.Sub(m.known))+1)
}

// walk runs the own steps of the others for tick t, and adds them to the actors.
func (b *Bodies[S, I, B]) walk(t tick.Tick) {
	for i := range b.others.list {
		m := &b.others.list[i]
		if !b.others.here(m, t) {
			continue
		}
		if !m.known.IsNewer(t) {
			m.state.ran = b.guess(m, t)
			b.others.at(m, t).ran = m.state.ran
		}
		m.state.state = b.config.Others.Step(m.state.state, m.state.ran, t)
		b.actors = append(b.actors, Actor[S, I]{Number: m.kind, State: &m.state.state, Input: m.state.ran})
	}
}
