// Package offset keeps the differences between the drawn values and the corrected paths of
// mispredicted values, and fades them. It knows no world and no clock.
package offset

import (
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// Arithmetic calculates with offsets between two values, each written as a T. See
// interpolation.Offset.
type Arithmetic[T any] struct {
	Sub   func(to, from T) T
	Add   func(base, offset T) T
	Scale func(offset T, factor float32) T
	Len   func(offset T) float32
}

// forgottenAfter is the number of half-lives after which an offset, a millionth of its size by
// then, is dropped.
const forgottenAfter = 20

// Path holds the beginning of a corrected path, and how fast its offset may fade.
type Path[T any] struct {
	Start T
	// in units of length per second; 0 means as fast as the half-life gives
	Slow, Fast float32
	Over       time.Duration // after which it is gone; 0 means by the speeds
}

// Set holds the offsets that fade, at most one for each entity.
type Set[T any] struct {
	arithmetic Arithmetic[T]
	normalize  func(T) T
	halfLife   time.Duration

	list  []fading[T]
	index map[arche.Entity]int
	paths map[arche.Entity]Path[T] // given by Know, for the capture of this step
}

type fading[T any] struct {
	entity arche.Entity
	offset T // when it was made
	age    time.Duration
	shown  bool
	steady fade
}

// New returns an empty set. Values that come out of the arithmetic go through normalize.
func New[T any](a Arithmetic[T], normalize func(T) T, halfLife time.Duration) *Set[T] {
	return &Set[T]{
		arithmetic: a, normalize: normalize, halfLife: halfLife,
		index: map[arche.Entity]int{}, paths: map[arche.Entity]Path[T]{},
	}
}

// Known reports whether there is arithmetic. Without it the set stays empty.
func (s *Set[T]) Known() bool { return s.arithmetic.Sub != nil }

// Know notes where the corrected path of an entity begins in this step.
func (s *Set[T]) Know(e arche.Entity, p Path[T]) { s.paths[e] = p }

// ForgetPaths drops the paths that were noted and not used.
func (s *Set[T]) ForgetPaths() { clear(s.paths) }

// PathTo returns the corrected path of an entity to a value at the step's end. Without a noted path
// it begins at that value minus the motion of the step before, from prev to cur, times a ratio.
func (s *Set[T]) PathTo(end T, e arche.Entity, prev, cur T, ratio float32) Path[T] {
	if p, ok := s.paths[e]; ok {
		delete(s.paths, e)
		p.Start = s.normalize(p.Start)
		return p
	}
	if ratio == 0 {
		return Path[T]{Start: end}
	}
	a := &s.arithmetic
	return Path[T]{Start: s.normalize(a.Add(end, a.Scale(a.Sub(prev, cur), ratio)))}
}

// Add makes the picture continue from the drawn value at the time at which the new path leaves the
// old one.
func (s *Set[T]) Add(e arche.Entity, p Path[T], drawn T) {
	at, ok := s.index[e]
	if !ok {
		at = len(s.list)
		s.index[e] = at
		s.list = append(s.list, fading[T]{})
	}
	f := fading[T]{entity: e, offset: s.arithmetic.Sub(drawn, p.Start)}
	if p.Over > 0 {
		f.steady = fade{length: p.Over}
	} else if p.Slow > 0 && s.arithmetic.Len != nil {
		size := s.arithmetic.Len(f.offset)
		f.steady = fadeOf(size, min(max(size, p.Slow), p.Fast), s.halfLife)
	}
	s.list[at] = f
}

// Forget drops the offset of an entity, which has jumped.
func (s *Set[T]) Forget(e arche.Entity) {
	if at, ok := s.index[e]; ok {
		s.Remove(at)
	}
	delete(s.paths, e)
}

// Remove drops the offset at a place. The last one takes the place.
func (s *Set[T]) Remove(at int) {
	delete(s.index, s.list[at].entity)
	last := len(s.list) - 1
	if at != last {
		s.list[at] = s.list[last]
		s.index[s.list[at].entity] = at
	}
	s.list = s.list[:last]
}

// Fades reports whether an entity has an offset.
func (s *Set[T]) Fades(e arche.Entity) bool {
	_, ok := s.index[e]
	return ok
}

// plus adds to a value the rest of an offset at an age.
func (s *Set[T]) plus(value T, f *fading[T], age time.Duration) T {
	return s.arithmetic.Add(value, s.arithmetic.Scale(f.offset, f.steady.left(age, s.halfLife)))
}

// On adds the rest of an entity's offset to a value, if it has one. If the offset has been drawn,
// it is older by the real time given.
func (s *Set[T]) On(e arche.Entity, value T, real time.Duration) T {
	at, ok := s.index[e]
	if !ok {
		return value
	}
	f := &s.list[at]
	age := f.age
	if f.shown {
		age = older(age, real)
	}
	return s.plus(value, f, age)
}

// Off subtracts the offset from a drawn value of an entity. It drops an offset that has not been
// drawn yet: the next drawn value continues without it.
func (s *Set[T]) Off(e arche.Entity, drawn T) T {
	at, ok := s.index[e]
	if !ok {
		return drawn
	}
	f := &s.list[at]
	if !f.shown {
		s.Forget(e)
		return drawn
	}
	return s.arithmetic.Add(drawn, s.arithmetic.Sub(drawn, s.plus(drawn, f, f.age)))
}

// Shift maps the offset and the path of an entity to other coordinates. The function may turn, so
// it needs the value to which the offset is added.
func (s *Set[T]) Shift(f func(T) T, e arche.Entity, base T) {
	if p, ok := s.paths[e]; ok {
		p.Start = f(p.Start)
		s.paths[e] = p
	}
	if at, ok := s.index[e]; ok {
		a, fix := &s.arithmetic, &s.list[at]
		fix.offset = a.Sub(s.normalize(f(a.Add(base, fix.offset))), s.normalize(f(base)))
	}
}

// Len returns how many offsets there are.
func (s *Set[T]) Len() int { return len(s.list) }

// Age makes the offset at a place older by the real time of a frame, which draws it, and returns
// its entity and whether it has faded. A first drawing does not make it older.
func (s *Set[T]) Age(at int, real time.Duration) (e arche.Entity, gone bool) {
	f := &s.list[at]
	if f.shown {
		f.age = older(f.age, real)
	}
	f.shown = true
	return f.entity, (f.age-f.steady.length)/forgottenAfter > s.halfLife
}

// Drawn adds to a value the rest of the offset at a place.
func (s *Set[T]) Drawn(at int, value T) T {
	f := &s.list[at]
	return s.plus(value, f, f.age)
}

// older adds real time to an age. A host that reports centuries does not make it younger by an
// overflow.
func older(age, real time.Duration) time.Duration { return age + min(real, math.MaxInt64-age) }

// fade is the phase in which a long offset shortens at a constant speed, before the half-life takes
// over. If nothing is left then, it begins and ends slowly. The zero value is none.
type fade struct {
	length time.Duration // its length in time
	share  float32       // of the offset, that is left then
}

// left returns the share of an offset that is left at an age.
func (f fade) left(age, halfLife time.Duration) float32 {
	if age < f.length {
		x := float32(float64(age) / float64(f.length))
		if f.share == 0 {
			x = eased(x)
		}
		return 1 - (1-f.share)*x
	}
	share := f.share
	if f.length == 0 {
		share = 1
	}
	return share * float32(math.Exp2(-float64(age-f.length)/float64(halfLife)))
}

// eased returns how much of a way is done at a share of its time. The speed rises in the first
// fifth, and falls in the last.
func eased(x float32) float32 {
	const ramp, most = 0.2, 1 / (1 - 0.2)
	switch {
	case x < ramp:
		return most / (2 * ramp) * x * x
	case x > 1-ramp:
		return 1 - most/(2*ramp)*(1-x)*(1-x)
	}
	return most * (x - ramp/2)
}

// fadeOf returns the phase in which an offset of a size shortens at most at a speed.
func fadeOf(size, speed float32, halfLife time.Duration) fade {
	rest := speed * float32(halfLife.Seconds()/math.Ln2) // from here on the half-life is slower
	seconds := (size - rest) / speed
	if !(seconds > 0 && seconds < 3600) {
		return fade{}
	}
	return fade{time.Duration(float64(seconds) * float64(time.Second)), rest / size}
}
