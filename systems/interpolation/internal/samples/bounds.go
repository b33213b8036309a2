package samples

import arche "github.com/mlange-42/arche/ecs"

// Bounds says which values have a place in a picture. The zero value lets all pass.
type Bounds[T any] struct {
	Finite  func(*T) bool
	Default T // is drawn for an entity that never had a finite value
	// Refused is called once for an entity with a value that is not finite.
	Refused func(e arche.Entity, value T)
}

// SetBounds sets which values become samples.
func (s *Store[T]) SetBounds(b Bounds[T]) { s.bounds = b }

// Finite reports whether a value may become a sample.
func (s *Store[T]) Finite(v *T) bool { return s.bounds.Finite == nil || s.bounds.Finite(v) }

// Check returns the function behind Finite, nil if all values are.
func (s *Store[T]) Check() func(*T) bool { return s.bounds.Finite }

// Refuse reports the value of a row that is not finite, once.
func (s *Store[T]) Refuse(t *Table[T], row uint32) {
	s.refuse(&t.span[row], *t.records[row].Value())
}

func (s *Store[T]) refuse(of *span, value T) {
	if !of.reported && s.bounds.Refused != nil {
		of.reported = true
		s.bounds.Refused(of.owner, value)
	}
}

// first returns the first sample of an entity: the value that is given, unless it is not finite.
func (s *Store[T]) first(from *T, r *Row[T]) T {
	switch {
	case s.Finite(from):
		return s.Normal(*from)
	case s.Finite(r.record.Value()):
		return s.Normal(*r.record.Value())
	}
	return s.bounds.Default
}
