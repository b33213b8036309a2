package prediction

import "github.com/tandem-ecs/tandem/systems/netcode/internal/tick"

// Others says how players who are not the own one take part in the prediction of a group: each is
// simulated like the own player, from his newest authoritative state on, with the inputs that he is
// believed to give; so bodies are pushed by him, and push him back. This is how Rocket League
// predicts other cars (Cone, "It IS Rocket Science", Game Developers Conference 2018).
type Others[S any, I comparable] struct {
	// Step is a player's own step, as Config.Step of a [Predictor]. Required if there are others.
	Step func(state S, in I, t tick.Tick) S
	// Guess returns what a player is believed to do so many ticks after the last input that is
	// known of him, 1 or more. Nil: still the same.
	Guess func(last I, ticks int) I
	// Distance returns how far a prediction was off, at least 0, and Tolerance is what counts as
	// right. Distance is required if there are others.
	Distance  func(predicted, authoritative S) float64
	Tolerance float64
	// Max is how many others there are at most, up to MaxBodies; 0 means none.
	Max int
}

// proxy is another player at a tick.
type proxy[S any, I comparable] struct {
	state S
	last  I // of an authoritative state: the input that led to it
	ran   I // the input that leads on from here
}

// NoteOther takes the server's state of another player at a tick, with the input of the tick
// before, which led to it, and takes him in if he is not in yet. The next Reconcile replays if he
// was predicted elsewhere, or to do something else. It returns false, and nothing has changed, for
// news that are no newer than the last or too old, for a state that makes no sense, and if there is
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

// RemoveOther takes another player out of the group, and reports whether he was in.
func (b *Bodies[S, I, B]) RemoveOther(id uint32) bool { return b.others.remove(id) }

// Other returns the state in which another player is predicted, at the predictor's tick, and
// whether he is.
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

// guess is what another player is believed to do in tick t, which is not before that of his newest
// state.
func (b *Bodies[S, I, B]) guess(m *history[proxy[S, I]], t tick.Tick) I {
	if b.config.Others.Guess == nil {
		return m.truth.last
	}
	return b.config.Others.Guess(m.truth.last, int(t.Sub(m.known))+1)
}

// walk lets the others take their own steps of tick t, and adds them to those who act.
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
