package articles

// Pending is a client's list of the inputs that the server has not applied yet: pendingInputs of
// Multiplayer Platformer Log #3, and pendingPlayerInputs of Champions of Mirra. Ids count up. The
// client pushes each input, drops those up to the last id that the server has applied, and replays
// the rest on the state that came with it; see [Replay]. The zero value is empty.
//
// Its faults:
//
//   - The list grows for as long as the server is silent.
//   - Every state causes a replay, whether or not the prediction was right.
//
// The product's client keeps a bounded ring, and replays only after a wrong prediction.
type Pending[I any] struct {
	inputs []I
	newest Tick // id of the last one
}

// Push adds the input of the id, which is one after the last (any, if the list is empty).
func (p *Pending[I]) Push(id Tick, in I) {
	p.inputs = append(p.inputs, in)
	p.newest = id
}

// first returns the id of the oldest input.
func (p *Pending[I]) first() Tick { return p.newest.Add(1 - len(p.inputs)) }

// Len returns how many inputs are held.
func (p *Pending[I]) Len() int { return len(p.inputs) }

// DropThrough removes the inputs up to and with the id: the server has applied them. Ids that were
// never pushed, and ids older than before, change nothing. This is deleteBelowId of Log #3 and
// removeServerAcknowledgedInputs of Champions of Mirra.
func (p *Pending[I]) DropThrough(id Tick) {
	if n := int(id.Sub(p.first())) + 1; n > 0 && n <= len(p.inputs) {
		p.inputs = append(p.inputs[:0], p.inputs[n:]...)
	}
}

// Replay returns the state after all inputs that the server has not applied: the client's present,
// given the server's past.
func Replay[S, I any](p *Pending[I], state S, step func(state S, input I, id Tick) S) S {
	for i, in := range p.inputs {
		state = step(state, in, p.first().Add(i))
	}
	return state
}
