// Package resource adds a plugin's own state to its world, and removes it.
package resource

import arche "github.com/mlange-42/arche/ecs"

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
