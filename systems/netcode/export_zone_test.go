package netcode

import "github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"

// ReceiveForTest makes an input arrive for a player now.
func (p *Player[S, I]) ReceiveForTest(t Tick, in I) {
	pending := prediction.NewPending[I](1)
	pending.Push(t, in)
	w := NewWriter(make([]byte, 256))
	pending.Write(&w, p.server.protocol.game.Inputs, prediction.Redundancy{})
	r := NewReader(w.Bytes())
	var inputs prediction.Inputs[I]
	if err := inputs.Read(&r, p.server.protocol.game.Inputs); err != nil {
		panic(err)
	}
	p.inputs.Receive(&inputs, p.server.now())
}

// FeedbackForTest returns what the next snapshot reports about the inputs of a player, without
// their ages.
func (p *Player[S, I]) FeedbackForTest() (heard bool, ack, newest Tick, starved int) {
	f := p.inputs.Feedback()
	return f.Heard, f.Ack, f.Newest, f.Starved
}

// JumpsForTest returns the number of a player's jumps.
func (p *Player[S, I]) JumpsForTest() uint8 { return p.jumps }
