package netcode

import (
	"hash/fnv"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Servers with parts of one world pass entities on: one writes the components of an entity, another
// one reads them, for an entity that shows the same thing there.

// WriteComponents writes all replicated components that an entity has, as its clients get them, for
// [Server.ReadComponents] on another server of the same protocol. Owner, parent and pose are the
// caller's.
func (s *Server[S, I]) WriteComponents(w *Writer, e arche.Entity) {
	for _, m := range s.components {
		m.write(w, e)
	}
}

// ReadComponents gives an entity the replicated components that [Server.WriteComponents] has
// written, and removes those that the other one did not have. A body of [PredictBodies] is
// completed by Restore from the pose that the entity has. It adds and removes components, so call
// it while no query is open. The bits may come from anywhere: if they are malformed, r has an error
// and the entity is as it was.
func (s *Server[S, I]) ReadComponents(r *Reader, e arche.Entity) {
	var places [snapshot.MaxComponents]int32
	for i, m := range s.components {
		places[i] = m.read(r)
	}
	to := e
	if r.Err() != nil {
		to = arche.Entity{}
	}
	for i, m := range s.components {
		m.release(places[i], to)
	}
	if s.bodies != nil && s.has(to) {
		s.bodies.restore(to, s.transforms.Get(to).Get())
	}
}

// State returns the motion of a replicated entity after the newest step that was committed, in the
// frame of its nearest replicated ancestor, or in the world: what clients are sent, before it is
// rounded. False means that the entity is not replicated, or is new.
func (s *Server[S, I]) State(e arche.Entity) (state EntityState, ok bool) {
	if !s.marked(e) || !s.has(e) || !s.world.Has(e, s.replication.track) {
		return state, false
	}
	tr := (*replicationState)(s.world.Get(e, s.replication.track))
	return EntityState{
		Position: tr.last.Position, Rotation: tr.last.Rotation, Velocity: tr.velocity, Angular: tr.angular,
		Scale:         snapshot.ScaleOf(tr.last.Scale),
		Discontinuity: tr.jumps, AtRest: tr.rests,
	}, true
}

// Hash returns a hash of all that two ends compare when a client joins. Ends with different hashes
// do not understand each other.
func (p *Protocol[S, I]) Hash() uint64 {
	buf := make([]byte, 16+4*(len(p.components)+len(p.messages)+snapshot.MaxComponents))
	w := NewWriter(buf)
	p.schema.WriteHello(&w)
	h := fnv.New64a()
	h.Write(w.Bytes())
	return h.Sum64()
}

// NameOf returns the name of an entity that a decoder of this protocol has, or zero: see
// [ReplicateName].
func (p *Protocol[S, I]) NameOf(d *snapshot.Decoder, id EntityID) uint64 { return p.nameOf(d, id) }
