package netcode

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Servers with parts of one world pass players on: one exports a player and releases it, another
// one imports it. The player's client keeps its number, its secret and its session.

const (
	exportFormat = 1        // the first byte of an exported player
	maxExport    = 16 << 10 // bytes of an exported player
)

// Export returns a player as bytes for [Server.Import] on another server with the same protocol and
// InputMode: what its client goes on with after the move, which is its number, its secret, its
// token, its state, and the inputs that have arrived for ticks to come. They have at most 16 KiB,
// and include what it takes to play as this player: send them over encrypted connections only.
// Queued messages and counters are not included.
//
// The player plays on until [Server.Release]. Its state is the one after the newest step, so call
// Export between steps, or in a step after the players have been stepped. The error reports a bot,
// a player that has not confirmed its welcome or is about to be removed, and a state that is too
// large.
func (s *Server[S, I]) Export(p *Player[S, I]) ([]byte, error) {
	switch {
	case s.players[p.slot] != p:
		return nil, fmt.Errorf("netcode: no export of player %d, which is not on this server any more", p.number)
	case p.bot != nil:
		return nil, fmt.Errorf("netcode: no export of player %d, which is a bot; add another one there", p.number)
	case !p.confirmed:
		return nil, fmt.Errorf("netcode: no export of player %d, whose client has not confirmed its welcome; try again later", p.number)
	case p.kick.Code != transport.NoReason:
		return nil, fmt.Errorf("netcode: no export of player %d, which is removed: %v", p.number, p.kick)
	}
	data := make([]byte, maxExport)
	data[0] = exportFormat
	w := NewWriter(data[1:])
	s.protocol.schema.WriteHello(&w)
	w.Bool(s.config.InputMode == OnArrival)
	next := s.stepped
	if p.early {
		next = p.begins
	}
	w.Bits(uint64(next), 32)
	p.export(&w)
	if w.Err() != nil {
		return nil, fmt.Errorf("netcode: player %d takes more than %d bytes; write less in the Game's States and Inputs", p.number, maxExport)
	}
	return data[:1+len(w.Bytes())], nil
}

// export writes what import reads.
func (p *Player[S, I]) export(w *Writer) {
	game, now := &p.server.protocol.game, p.server.real()
	w.Bits(uint64(p.number), 16)
	p.secret.write(w)
	w.Bits(uint64(p.session), sessionBits)
	w.Append(p.previous[:], 8*len(p.previous))
	w.Uvarint(uint64(len(p.token)))
	w.Append(p.token, 8*len(p.token))
	w.Bits(uint64(p.rate), 8)
	w.Bits(uint64(p.mtu), 16)
	customer, _ := p.customer.MarshalBinary() // cannot fail
	w.Uvarint(uint64(len(customer)))
	w.Append(customer, 8*len(customer))
	w.Uvarint(uint64((now - p.joinedAt) / time.Second))
	game.States.Write(w, p.State)
	var zero I
	game.Inputs.Write(w, p.Input, zero)
	w.Bits(uint64(p.jumps), 8)
	for _, n := range p.launched[:len(p.server.shots)] {
		w.Bits(uint64(n), 8)
	}
	writePose(w, p.frame)
	switch in := p.inputs.(type) {
	case *tickInputs[S, I]:
		in.Carry(w, game.Inputs)
		in.views.carry(w, in.Tick())
	case *arrivalInputs[S, I]:
		in.Carry(w, game.Inputs)
		w.Varint(in.age)
	}
}

// maxCustomer is the most bytes of a netip.Prefix without a zone.
const maxCustomer = 17

// readBytes reads a number of bytes and then these.
func readBytes(r *Reader, most int) []byte {
	n := r.Uvarint()
	if n > uint64(most) || n > uint64(r.Remaining())/8 {
		r.Fail(packet.ErrMalformed)
		return nil
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Bits(8))
	}
	return b
}

func writePose(w *Writer, p components.Pose3D) {
	for _, v := range []float32{p.Position[0], p.Position[1], p.Position[2], p.Rotation.W, p.Rotation.V[0], p.Rotation.V[1], p.Rotation.V[2], p.Scale[0], p.Scale[1], p.Scale[2]} {
		w.Float32(v)
	}
}

func readPose(r *Reader) components.Pose3D {
	var v [10]float32
	for i := range v {
		if v[i] = r.Float32(); !(math.Abs(float64(v[i])) <= math.MaxFloat32) {
			r.Fail(packet.ErrMalformed)
		}
	}
	return components.Pose3D{Position: mgl32.Vec3(v[:3]), Rotation: mgl32.Quat{W: v[3], V: mgl32.Vec3(v[4:7])}, Scale: mgl32.Vec3(v[7:])}
}
