package netcode

import arche "github.com/mlange-42/arche/ecs"

// forgetSaved removes, before the first registration, the states that entities have from a file, of
// a saver that writes every component of an entity. They come without their content, and an entity
// that has one would count as registered.
func (s *Server[S, I]) forgetSaved() {
	t := &s.replication
	if !t.begun {
		t.begun = true
		s.world.Batch().Remove(arche.All(t.track), t.track)
	}
}
