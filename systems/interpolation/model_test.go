package interpolation_test

import (
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// modelValue is a value of the model: a position and a turn about the y axis, in float64.
type modelValue struct{ x, degrees float64 }

func (a modelValue) plus(b modelValue) modelValue {
	return modelValue{a.x + b.x, a.degrees + b.degrees}
}

func (a modelValue) times(f float64) modelValue { return modelValue{a.x * f, a.degrees * f} }

func (a modelValue) minus(b modelValue) modelValue { return a.plus(b.times(-1)) }

// modelWrite says what the writes since the last capture add up to.
type modelWrite int

const (
	unwritten modelWrite = iota
	moves
	arrives
	mended
	jumps // also every fresh value
)

// modelBody is one entity as the documentation describes it, the naive way: all that is known of it
// in one place, looked at anew in every step and frame.
type modelBody struct {
	entity                   arche.Entity
	logical, visual, samples bool // what it has
	still, spins             bool
	// its value is a copy of another's that no capture has seen yet
	borrowed                    bool
	value                       modelValue
	born                        *modelValue // where it appears in motion, until its first capture
	write                       modelWrite
	over                        time.Duration
	start                       *modelValue // of a mended path, if known
	prev, cur                   modelValue
	from, to                    time.Duration
	fading, shown               bool
	offset                      modelValue
	age                         time.Duration
	drawn                       modelValue // by the user, when it is only visual
	jumpsSeen, movesSeen, mends int
	departures                  int // in motion
}

// note takes account of one write.
func (b *modelBody) note(kind modelWrite, over time.Duration) {
	switch {
	case b.born != nil && kind == jumps:
		b.born, b.write = nil, jumps
	case b.born != nil:
		if b.write = moves; kind == arrives {
			b.write, b.over = arrives, over
		}
	case b.write == jumps:
	case kind == jumps || kind == mended:
		b.write = kind
	case b.write == mended:
	default:
		b.write, b.over = kind, over
	}
}

// at is the value that the samples say for a time.
func (b *modelBody) at(t time.Duration) modelValue {
	if b.to <= b.from || t >= b.to {
		return b.cur
	}
	f := math.Max(0, float64(t-b.from)/float64(b.to-b.from))
	return b.prev.plus(b.cur.minus(b.prev).times(f))
}

// left is what an offset that has been drawn has left when another real time has passed.
func (b *modelBody) left(real, halfLife time.Duration) modelValue {
	if !b.fading {
		return modelValue{}
	}
	age := b.age
	if b.shown {
		age += max(real, 0)
	}
	return b.offset.times(math.Exp2(-float64(age) / float64(halfLife)))
}

// moveOut takes samples away where they have no place any more.
func (b *modelBody) moveOut() {
	if b.samples && !(b.logical && b.visual) {
		b.samples, b.fading = false, false
	}
}

// settle gives samples to a body that is to have some.
func (b *modelBody) settle() {
	b.moveOut()
	if b.logical && b.visual && !b.samples {
		b.samples, b.fading, b.borrowed = true, false, false
		b.prev, b.cur, b.from, b.to = b.value, b.value, 0, 0
		if b.born != nil {
			b.prev, b.cur, b.born = *b.born, *b.born, nil
			b.departures++
		} else {
			b.write = unwritten
		}
	}
}

// capture ends the step [from, to) after the step last, in a frame that takes the real time.
func (b *modelBody) capture(last, step [2]time.Duration, real, halfLife time.Duration) {
	b.settle()
	defer func() { b.start = nil }()
	if !b.samples {
		return
	}
	if b.write == unwritten {
		if b.to <= step[0] || b.still {
			b.prev, b.to = b.cur, b.from
		}
		return
	}
	kind := b.write
	b.write, b.borrowed = unwritten, false
	old := b.at(step[0])
	motion := modelValue{}
	if b.from == last[0] && b.to == last[1] && b.from < b.to {
		motion = b.cur.minus(b.prev).times(float64(step[1]-step[0]) / float64(last[1]-last[0]))
	}
	if b.still && kind == mended {
		kind = moves
	}
	from, to := old, step[1]
	switch {
	case kind == jumps:
		from, b.fading = b.value, false
		b.jumpsSeen++
	case b.still:
		from = b.value
	case kind == mended:
		from = b.value.minus(motion)
		if b.start != nil {
			from = *b.start
		}
		b.offset = old.plus(b.left(real, halfLife)).minus(from)
		b.fading, b.shown, b.age = true, false, 0
		b.mends++
	case kind == arrives:
		to = step[0] + b.over
		if b.over <= 0 {
			from = b.value
		}
		b.movesSeen++
	}
	b.prev, b.cur, b.from, b.to = from, b.value, step[0], to
}

// draw returns what is to be seen at a normal time, real time after the last picture.
func (b *modelBody) draw(now, real time.Duration, disabled bool, halfLife time.Duration) modelValue {
	b.moveOut()
	if b.fading {
		if b.shown {
			b.age += max(real, 0)
		}
		b.shown = true
	}
	switch {
	case !b.logical:
		return b.drawn
	case !b.samples && b.born != nil && b.visual:
		if b.still {
			*b.born = b.value
		}
		return *b.born
	case !b.samples:
		return b.value
	case disabled || b.still:
		return b.cur
	}
	return b.at(now).plus(b.left(0, halfLife))
}

func (b *modelBody) shift(d float64) {
	by := modelValue{x: d}
	for _, v := range []*modelValue{&b.value, &b.prev, &b.cur, &b.drawn} {
		*v = v.plus(by)
	}
	if b.start != nil {
		moved := b.start.plus(by)
		b.start = &moved
	}
	if b.born != nil && b.visual {
		*b.born = b.born.plus(by)
	}
}

// size is about how large the numbers are that the body's picture was computed from.
func (b *modelBody) size() float64 {
	born := 0.0
	if b.born != nil {
		born = math.Abs(b.born.x)
	}
	return 1 + born + math.Abs(b.value.x) + math.Abs(b.prev.x) + math.Abs(b.cur.x) + math.Abs(b.offset.x)
}
