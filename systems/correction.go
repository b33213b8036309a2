package systems

import (
	"fmt"
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// Difference is what an interpolator needs to know of a type to let a corrected prediction fade: offsets between values.
//
// Apply(a, Between(a, b)) is b; Scale(offset, 0) is no offset and Scale(offset, 1) the offset itself.
type Difference[T any] struct {
	Between func(from, to T) T               // the offset that leads from one value to another
	Apply   func(base, offset T) T           // the value to which an offset leads
	Scale   func(offset T, factor float32) T // a part of an offset, factor 0 to 1
	// Size returns how long an offset is, in units of length. Only CorrectGently needs it: nil means that nothing fades gently.
	Size func(offset T) float32
}

const (
	// defaultHalfLife makes an offset fall to 1 % within 0.7 s.
	defaultHalfLife = 100 * time.Millisecond
	// forgottenAfter is the number of half-lives after which an offset, a millionth of its size by then, is dropped.
	forgottenAfter = 20
)

// WithDifference teaches the interpolator to subtract values, which [components.Logical.Correct] needs. The interpolators of poses and linear values know it. It returns
// the interpolator, and panics if Between, Apply or Scale is missing.
func (i *Interpolator[T]) WithDifference(d Difference[T]) *Interpolator[T] {
	if d.Between == nil || d.Apply == nil || d.Scale == nil {
		panic("systems: a Difference needs all of Between, Apply and Scale")
	}
	i.diff = &d
	return i
}

// WithHalfLife sets the real time in which the offset of a corrected prediction halves; the default is 100 ms. It returns the interpolator, and panics if the time is not positive.
func (i *Interpolator[T]) WithHalfLife(d time.Duration) *Interpolator[T] {
	if d <= 0 {
		panic(fmt.Sprintf("systems: a half-life of %v; it must be positive", d))
	}
	i.halfLife = d
	return i
}

// Correct mends the prediction of an entity within the current fixed step, knowing the corrected value at the step's start and at its end: the samples take exactly
// that path, and what was drawn becomes an offset that fades. To be called from FixedUpdate. It reports whether the entity has
// samples; one that has none is simply written. It panics for one that is dead or has no Logical.
func (i *Interpolator[T]) Correct(e arche.Entity, start, end T) bool {
	return i.correct(e, pathStart[T]{value: start}, end)
}

// CorrectGently is a Correct of something whose offset is not to fade faster than at a speed, in units of length per second: what is long shortens steadily, until it is so short that the
// half-life makes it slower. The speed is slow, but up to fast for what would take more than a second. It is for what somebody
// else has pushed, a crate or the player himself, and is to be seen as motion. It also panics for speeds that are not positive, and for a fast below slow.
func (i *Interpolator[T]) CorrectGently(e arche.Entity, start, end T, slow, fast float32) bool {
	if !(slow > 0) || !(fast >= slow) {
		panic(fmt.Sprintf("systems: CorrectGently at %v to %v units per second; the speeds must be positive, and fast not below slow", slow, fast))
	}
	return i.correct(e, pathStart[T]{value: start, slow: slow, fast: fast}, end)
}

func (i *Interpolator[T]) correct(e arche.Entity, start pathStart[T], end T) bool {
	i.mustBeInstalled("Correct")
	if !i.world.Alive(e) || !i.world.Has(e, i.cols.ids.logical) {
		panic(fmt.Sprintf("systems: Correct of %v, which is dead or has no Logical of %T", e, end))
	}
	r, ok := i.row(e)
	if !ok {
		(*components.Logical[T])(i.world.GetUnchecked(e, i.cols.ids.logical)).Set(end)
		return false
	}
	r.logical.Correct(end)
	i.fixes.known(e, start)
	return true
}

// pathStart is where the corrected path begins, and how fast its offset may fade: 0 means as fast as the half-life wants.
type pathStart[T any] struct {
	value      T
	slow, fast float32
}

// correctedStart returns where the corrected path begins: known, or else the step's end less the motion of the step before.
func (i *Interpolator[T]) correctedStart(e arche.Entity, end, prev, cur T, moved bool, last interval) pathStart[T] {
	if start, ok := i.fixes.takeKnown(e); ok {
		start.value = i.normal(start.value)
		return start
	}
	if !moved || last.to <= last.from {
		return pathStart[T]{value: end}
	}
	ratio := float32(float64(i.step.to-i.step.from) / float64(last.to-last.from))
	return pathStart[T]{value: i.normal(i.diff.Apply(end, i.diff.Scale(i.diff.Between(cur, prev), ratio)))}
}

// corrections are the offsets that are still to be seen.
type corrections[T any] struct {
	list   []correction[T]
	index  map[arche.Entity]int
	starts map[arche.Entity]pathStart[T] // given to Correct, for the capture of this step
}

type correction[T any] struct {
	entity arche.Entity
	offset T // when it was made
	age    time.Duration
	shown  bool
	steady fade
}

// fade is the way on which a long offset shortens at a constant speed, before the half-life takes over. The zero value is none.
type fade struct {
	length time.Duration // how long it does
	share  float32       // of the offset, that is left then
}

// left returns the share of an offset that is left of it at an age.
func (f fade) left(age, halfLife time.Duration) float32 {
	if age < f.length {
		return 1 - (1-f.share)*float32(float64(age)/float64(f.length))
	}
	share := f.share
	if f.length == 0 {
		share = 1
	}
	return share * float32(math.Exp2(-float64(age-f.length)/float64(halfLife)))
}

// fadeOf returns the way on which an offset of a size shortens at most so fast.
func fadeOf(size, speed float32, halfLife time.Duration) fade {
	rest := speed * float32(halfLife.Seconds()/math.Ln2) // from where on the half-life is slower
	seconds := (size - rest) / speed
	if !(seconds > 0 && seconds < 3600) {
		return fade{}
	}
	return fade{time.Duration(float64(seconds) * float64(time.Second)), rest / size}
}

func (c *corrections[T]) known(e arche.Entity, start pathStart[T]) {
	if c.starts == nil {
		c.starts = map[arche.Entity]pathStart[T]{}
	}
	c.starts[e] = start
}

func (c *corrections[T]) takeKnown(e arche.Entity) (start pathStart[T], ok bool) {
	if start, ok = c.starts[e]; ok {
		delete(c.starts, e)
	}
	return start, ok
}

// add makes the picture go on from where it is drawn at the moment at which the new path parts from the old one.
func (c *corrections[T]) add(d *Difference[T], e arche.Entity, newPath pathStart[T], drawn T, halfLife time.Duration) {
	at, ok := c.index[e]
	if !ok {
		if c.index == nil {
			c.index = map[arche.Entity]int{}
		}
		at = len(c.list)
		c.index[e] = at
		c.list = append(c.list, correction[T]{})
	}
	fix := correction[T]{entity: e, offset: d.Between(newPath.value, drawn)}
	if newPath.slow > 0 && d.Size != nil {
		size := d.Size(fix.offset)
		fix.steady = fadeOf(size, min(max(size, newPath.slow), newPath.fast), halfLife)
	}
	c.list[at] = fix
}

// forget drops the offset of an entity that has jumped.
func (c *corrections[T]) forget(e arche.Entity) {
	if at, ok := c.index[e]; ok {
		c.remove(at)
	}
	delete(c.starts, e)
}

func (c *corrections[T]) remove(at int) {
	delete(c.index, c.list[at].entity)
	last := len(c.list) - 1
	if at != last {
		c.list[at] = c.list[last]
		c.index[c.list[at].entity] = at
	}
	c.list = c.list[:last]
}

// corrected adds to a value of an entity what this frame shows of its offset, if one fades and is drawn.
func (i *Interpolator[T]) corrected(e arche.Entity, value T) T {
	if i.isRaw(e) {
		return value
	}
	return i.withOffset(e, value)
}

// isRaw reports whether an entity shows its newest sample, without interpolation and without an offset.
func (i *Interpolator[T]) isRaw(e arche.Entity) bool {
	return i.disabled || i.world.HasUnchecked(e, i.cols.ids.still)
}

// plus adds to a value what is left of an offset at an age.
func (i *Interpolator[T]) plus(value T, fix *correction[T], age time.Duration) T {
	return i.diff.Apply(value, i.diff.Scale(fix.offset, fix.steady.left(age, i.halfLife)))
}

// withOffset adds to a value of an entity what is left of its offset in this frame, if one fades. Within a step the frame is still to be drawn, and its real time is to pass before: else an
// offset would never fade where every frame brings another correction.
func (i *Interpolator[T]) withOffset(e arche.Entity, value T) T {
	at, ok := i.fixes.index[e]
	if !ok {
		return value
	}
	fix, now := &i.fixes.list[at], i.clock
	age := fix.age
	if fix.shown && now.Fixed == now.StepStart {
		age = older(age, now.RealDelta)
	}
	return i.plus(value, fix, age)
}

// uncorrected takes from a value that was drawn of an entity what was in it of an offset. An offset that has not been drawn yet is forgotten: what is drawn
// next goes on from there without it.
func (i *Interpolator[T]) uncorrected(e arche.Entity, drawn T) T {
	at, ok := i.fixes.index[e]
	if !ok || i.isRaw(e) {
		return drawn
	}
	fix := &i.fixes.list[at]
	if !fix.shown {
		i.fixes.forget(e)
		return drawn
	}
	return i.diff.Apply(drawn, i.diff.Between(i.plus(drawn, fix, fix.age), drawn))
}

// drawCorrections adds what is left of the offsets to the visual values, and lets them grow older by the frame's real time.
func (i *Interpolator[T]) drawCorrections(now, real time.Duration) {
	c := &i.fixes
	for at := len(c.list) - 1; at >= 0; at-- {
		fix := &c.list[at]
		if fix.shown {
			fix.age = older(fix.age, real)
		}
		fix.shown = true
		r, ok := i.row(fix.entity)
		if !ok {
			c.remove(at)
			continue
		}
		i.touch(fix.entity)
		gone := (fix.age-fix.steady.length)/forgottenAfter > i.halfLife
		switch {
		case i.isRaw(fix.entity):
			*r.visual = *r.cur
		case gone:
			*r.visual = i.at(r, now)
		default:
			*r.visual = i.plus(i.at(r, now), fix, fix.age)
		}
		if gone {
			c.remove(at)
		}
	}
}

// older adds real time to an age. A host that says that centuries have passed makes it no younger.
func older(age, real time.Duration) time.Duration { return age + min(real, math.MaxInt64-age) }
