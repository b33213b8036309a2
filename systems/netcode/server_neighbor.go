package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Neighbor shows a part of a server's entities to another server, which simulates another part of
// the same world. The other one reads the packets with [Protocol.NewDecoder]. Make it with
// [Server.Neighbor], and use it on the engine's goroutine.
type Neighbor struct {
	encoder *snapshot.Encoder
	idOf    func(e arche.Entity) EntityID
	tick    func() Tick
	close   func()
}

// Neighbor returns a Neighbor that shows nothing yet. As long as it is not closed, the server
// prepares the state of every tick for sending.
func (s *Server[S, I]) Neighbor() *Neighbor {
	if s.engine == nil {
		panic("netcode: a Neighbor of a server without an engine; install the server first")
	}
	s.neighbors++
	return &Neighbor{
		encoder: snapshot.NewEncoder(s.net),
		idOf: func(e arche.Entity) EntityID {
			if s.InFlight(e) {
				return NoEntity
			}
			return s.idOf(e)
		},
		tick:  func() Tick { return s.committed },
		close: func() { s.neighbors-- },
	}
}

// Relevant sets the weight of an entity for the other server, as that of an entity for a client:
// the greater, the more often it is sent if there is no room for all; zero or less means that it is
// not shown. An entity that is not replicated is ignored, which a new one is until the end of its
// first step. So are flying shots of [Shots]: they are simulated where they were fired.
func (n *Neighbor) Relevant(e arche.Entity, weight float32) {
	n.encoder.SetRelevance(n.idOf(e), weight)
}

// Encode writes into packet number, as the last in it, what has changed up to the end of the newest
// step, as far as there is room. It returns the number of entities for which there was none: with
// another packet more of them follow. The numbers rise, and a packet that is not acknowledged
// counts as lost.
func (n *Neighbor) Encode(w *Writer, number packet.Number) (waiting int) {
	return n.encoder.Encode(w, number, n.tick()).Waiting
}

// Delivered reports that the other server has decoded a packet.
func (n *Neighbor) Delivered(number packet.Number) { n.encoder.Delivered(number) }

// Close ends the Neighbor. A second call does nothing.
func (n *Neighbor) Close() {
	n.close()
	n.close = func() {}
}

// NewDecoder returns a decoder for the packets of a [Neighbor] with the same protocol. IDs in its
// changes are those of the other server.
func (p *Protocol[S, I]) NewDecoder() *snapshot.Decoder { return snapshot.NewDecoder(p.schema) }

// ApplyRemote gives an entity the replicated components of an entity of another server, according
// to a change of the newest snapshot of a decoder of this server's protocol. It adds, writes and
// removes components, so call it while no query is open. It does nothing for a removed entity and
// for a change that is [snapshot.Change].Late. Owner, parent and pose are the caller's: see
// [Relayed].
func (s *Server[S, I]) ApplyRemote(e arche.Entity, from *snapshot.Decoder, change *snapshot.Change) {
	if change.Late || change.Op == snapshot.Removed || !s.world.Alive(e) {
		return
	}
	for _, m := range s.components {
		if m.changedIn(change) {
			m.release(m.store(from, change), e)
		}
	}
	if s.bodies != nil {
		s.bodies.restore(e, poseOf(change.State.Position, change.State.Rotation, change.State.Scale.Vec3()))
	}
}
