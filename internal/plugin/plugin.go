// Package plugin has the common parts of plugins: their systems, and their own state in the world.
package plugin

import arche "github.com/mlange-42/arche/ecs"

// System is a system of a plugin.
type System struct {
	What  string // its name in panics
	Run   func()
	Start func() // before the first Run; nil: nothing to do
	Stop  func() // when the engine closes; nil: nothing to do
}

// Initialize starts the system.
func (s *System) Initialize(*arche.World) {
	if s.Start != nil {
		s.Start()
	}
}

// Update runs the system.
func (s *System) Update(*arche.World) { s.Run() }

// Finalize stops the system.
func (s *System) Finalize(*arche.World) {
	if s.Stop != nil {
		s.Stop()
	}
}

// Name names the system in panics.
func (s *System) Name() string { return s.What }

// Put makes r the world's resource of its type. There may be one already, of an engine that was
// closed before it ran and so finalised nothing.
func Put[T any](w *arche.World, r *T) {
	id := arche.ResourceID[T](w)
	if w.Resources().Has(id) {
		w.Resources().Remove(id)
	}
	w.Resources().Add(id, r)
}

// Take removes the world's resource if that is r. It reports whether it was r and the world's
// structure may be changed. After a World.Reset the resource may be gone, or belong to another
// engine. After a system's panic within a query the world is locked, and the components that
// plugins have added stay.
func Take[T any](w *arche.World, r *T) bool {
	id := arche.ResourceID[T](w)
	if held, _ := w.Resources().Get(id).(*T); held != r {
		return false
	}
	w.Resources().Remove(id)
	return !w.IsLocked()
}

// Serving is the resource of a world whose engine has a plugin for a component C of entities with
// poses P. By it a component finds out that its plugin is missing.
type Serving[C, P any] struct{ _ byte }

// Serves reports whether the world's engine has a plugin for C of entities with poses P.
func Serves[C, P any](w *arche.World) bool {
	return w.Resources().Has(arche.ResourceID[Serving[C, P]](w))
}
