package interpolation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// rig is a value of a user's own, with a function of two values.
type rig struct{ a, b float64 }

func blendRig(from, to rig, t float32) rig {
	return rig{from.a + (to.a-from.a)*float64(t), from.b + (to.b-from.b)*float64(t)}
}

// valued is one type of value in a world of several.
type valued[T any] struct {
	w        *arche.World
	ip       *interpolation.Interpolator[T] // nil: not interpolated here
	logicals generic.Map1[components.Logical[T]]
	visuals  generic.Map1[components.Visual[T]]
	value    func(n int) T
}

// valueKind is a valued of any type.
type valueKind interface {
	install(e *ecs.Engine)
	spawn(e arche.Entity, n int)
	write(e arche.Entity, how, n int, d time.Duration)
	toggle(e arche.Entity, visual bool, n int)
	shift()
	state(e arche.Entity) string
	interpolated() bool
}

func (v *valued[T]) install(e *ecs.Engine) {
	v.w = e.World()
	v.logicals, v.visuals = generic.NewMap1[components.Logical[T]](v.w), generic.NewMap1[components.Visual[T]](v.w)
	if v.ip != nil {
		e.Install(v.ip)
	}
}

func (v *valued[T]) interpolated() bool { return v.ip != nil }

func (v *valued[T]) spawn(e arche.Entity, n int) {
	l := components.NewLogical(v.value(n))
	v.logicals.Assign(e, &l)
	v.visuals.Add(e)
}

func (v *valued[T]) write(e arche.Entity, how, n int, d time.Duration) {
	if !v.w.Has(e, arche.ComponentID[components.Logical[T]](v.w)) {
		return
	}
	l := v.logicals.Get(e)
	switch how {
	case 0:
		l.Teleport(v.value(n))
	case 1:
		l.SetOver(v.value(n), d)
	case 2:
		l.Correct(v.value(n))
	case 3:
		*l = components.NewLogical(v.value(n))
	case 4:
		l.Set(l.Get())
	default:
		l.Set(v.value(n))
	}
}

func (v *valued[T]) toggle(e arche.Entity, visual bool, n int) {
	switch has := v.w.Has(e, arche.ComponentID[components.Logical[T]](v.w)); {
	case visual && v.w.Has(e, arche.ComponentID[components.Visual[T]](v.w)):
		v.visuals.Remove(e)
	case visual:
		x := components.NewVisual(v.value(n))
		v.visuals.Assign(e, &x)
	case has:
		v.logicals.Remove(e)
	default:
		l := components.NewLogical(v.value(n))
		v.logicals.Assign(e, &l)
	}
}

func (v *valued[T]) shift() {
	if v.ip != nil {
		v.ip.Shift(func(x T) T { return x })
	}
}

// state is all that can be seen of an entity.
func (v *valued[T]) state(e arche.Entity) string {
	text := ""
	if v.w.Has(e, arche.ComponentID[components.Logical[T]](v.w)) {
		text = fmt.Sprintf("logical %v ", v.logicals.Get(e).Get())
	}
	if v.w.Has(e, arche.ComponentID[components.Visual[T]](v.w)) {
		text += fmt.Sprintf("visual %v ", v.visuals.Get(e).Get())
	}
	both, ok := v.ip.Samples(e)
	prev, cur, from, to := both.From, both.To, both.Start, both.End
	return text + fmt.Sprint("samples ", prev, cur, from, to, ok)
}

// troupe is a random program on entities that have values of several types. What it decides depends
// on its seed alone, and so must everything that is seen: not on the tables in which entities
// stand, nor on who else interpolates.
type troupe struct {
	*ecs.Engine
	*rand.Rand
	w      *arche.World
	kinds  []valueKind
	all    []arche.Entity
	born   int
	tables *Shuffler // nil: entities stay where they are
	states []string
	watch  int // whose states are kept
}

func newTroupe(t testing.TB, seed uint64, watch int, alone bool, shuffled bool) *troupe {
	e, err := ecs.New(ecs.Config{FixedRate: 20, MaxSteps: 5})
	if err != nil {
		t.Fatal(err)
	}
	p := &troupe{Engine: e, Rand: rand.New(rand.NewPCG(seed, 99)), w: e.World(), watch: watch}
	poses := &valued[components.Pose3D]{ip: interpolation.New3D(), value: func(n int) components.Pose3D {
		return Turned(At(float64(n%17), 1, float64(n%5)), TurnY(float64(n%180)))
	}}
	plane := &valued[components.Pose2D]{ip: interpolation.New2D(), value: func(n int) components.Pose2D {
		return components.Pose2D{Position: components.At2D(float32(n%13), 2).Position, Rotation: float32(n % 3)}
	}}
	numbers := &valued[float32]{ip: interpolation.NewLinear[float32](), value: func(n int) float32 { return float32(n % 100) }}
	rigs := &valued[rig]{ip: interpolation.New(blendRig), value: func(n int) rig { return rig{float64(n % 100), float64(n % 7)} }}
	if alone {
		for k, drop := range []func(){func() { poses.ip = nil }, func() { plane.ip = nil }, func() { numbers.ip = nil }, func() { rigs.ip = nil }} {
			if k != watch {
				drop()
			}
		}
	} else {
		e.Install(hierarchy.New3D())
	}
	p.kinds = []valueKind{poses, plane, numbers, rigs}
	for _, kind := range p.kinds {
		kind.install(e)
	}
	if shuffled {
		p.tables = NewShuffler(p.w, seed)
	}
	do := func(stage ecs.Stage, order ecs.Order, n int) {
		e.AddAt(stage, order, ecs.SystemFunc(func(*arche.World) {
			for range p.IntN(n + 1) {
				p.operate()
			}
			p.shuffle()
		}))
	}
	do(ecs.FixedUpdate, ecs.OrderBegin-1, 1)
	do(ecs.FixedUpdate, ecs.OrderUser, 4)
	do(ecs.FixedEnd, ecs.OrderUser, 1)
	do(ecs.FixedEnd, ecs.OrderCapture+1, 1)
	do(ecs.VisualSync, ecs.OrderSync-1, 1)
	e.AddAt(ecs.VisualSync, ecs.OrderSync+1, ecs.SystemFunc(func(*arche.World) { p.note(); p.shuffle() }))
	do(ecs.NormalUpdate, ecs.OrderUser, 2)
	do(ecs.Render, ecs.OrderUser, 1)
	return p
}

// shuffle moves entities to other tables, by ones and by many.
func (p *troupe) shuffle() {
	s := p.tables
	if s == nil || len(p.all) == 0 {
		return
	}
	for range s.IntN(4) {
		s.Shuffle(p.all[s.IntN(len(p.all))])
	}
	has, lacks := arche.All(s.Hat), arche.All(arche.ComponentID[components.Logical[float32]](p.w)).Without(s.Hat)
	in := arche.All(s.Group)
	to := s.Groups[s.IntN(len(s.Groups))]
	switch s.IntN(12) {
	case 0:
		p.w.Batch().Remove(has, s.Hat)
	case 1:
		p.w.Batch().Add(&lacks, s.Hat)
	case 2:
		without := has.Without(s.Coat)
		p.w.Batch().Exchange(&without, []arche.ID{s.Coat}, []arche.ID{s.Hat})
	case 3:
		p.w.Batch().SetRelation(in, s.Group, to)
	case 4:
		p.w.Batch().SetRelation(in, s.Group, arche.Entity{})
	case 5:
		p.w.Batch().Remove(in, s.Group)
	case 6: // the target dies with its tables full
		k := s.IntN(len(s.Groups))
		p.w.RemoveEntity(s.Groups[k])
		s.Groups[k] = p.w.NewEntity()
	case 7: // strangers come between, and go
		for range s.IntN(5) {
			e := p.w.NewEntity(s.Hat)
			for _, kind := range p.kinds {
				if s.IntN(2) == 0 {
					kind.spawn(e, 3)
				}
			}
			p.w.Add(e, arche.ComponentID[passing](p.w))
		}
	case 8:
		p.w.Batch().RemoveEntities(arche.All(arche.ComponentID[passing](p.w)))
	}
}

// passing marks who has no part in the program.
type passing struct{}

func (p *troupe) operate() {
	// All that is drawn by lot is drawn before anything is looked at.
	who, what, kind, how, n, d := p.IntN(1<<20), p.IntN(30), p.IntN(len(p.kinds)), p.IntN(9), p.IntN(1000), time.Duration(p.IntN(200))*time.Millisecond
	if len(p.all) < 3 || what == 0 && len(p.all) < 25 {
		e := p.w.NewEntity()
		for k, kind := range p.kinds {
			if k == p.watch || n%(k+2) > 0 {
				kind.spawn(e, n+k)
			}
		}
		p.all = append(p.all, e)
		p.born++
		return
	}
	k := who % len(p.all)
	e := p.all[k]
	flag := func(id arche.ID) {
		if p.w.Has(e, id) {
			p.w.Remove(e, id)
		} else {
			p.w.Add(e, id)
		}
	}
	switch what {
	case 1:
		p.w.RemoveEntity(e)
		p.all = append(p.all[:k], p.all[k+1:]...)
	case 2:
		flag(arche.ComponentID[components.NoInterpolation](p.w))
	case 3:
		flag(arche.ComponentID[components.InterpolateOnGPU](p.w))
	case 4:
		flag(arche.ComponentID[components.Parent](p.w)) // of nobody
	case 5, 6:
		p.kinds[kind].toggle(e, how%2 == 0, n)
	case 7:
		p.kinds[kind].shift()
	default:
		p.kinds[kind].write(e, how, n, d)
	}
}

func (p *troupe) note() {
	p.states = p.states[:0]
	for k, e := range p.all {
		p.states = append(p.states, fmt.Sprintf("%d of %d: %s", k, p.born, p.kinds[p.watch].state(e)))
	}
}

// The drawn value does not depend on the tables of the entities, on movements between tables, or on
// the interpolators of other types.
func TestPicturesDoNotDependOnTables(t *testing.T) {
	for seed := range Few(uint64(8)) {
		watch := int(seed % 4)
		quiet, busy := newTroupe(t, seed, watch, true, false), newTroupe(t, seed, watch, false, true)
		frames := rand.New(rand.NewPCG(seed, 98))
		for frame := range 120 {
			dt := time.Duration(frames.IntN(60)) * time.Millisecond
			quiet.Update(dt)
			busy.Update(dt)
			if len(quiet.states) != len(busy.states) {
				t.Fatalf("seed %d, frame %d: %d entities and %d", seed, frame, len(quiet.states), len(busy.states))
			}
			for k := range quiet.states {
				if quiet.states[k] != busy.states[k] {
					t.Fatalf("seed %d, frame %d, kind %d:\nalone at rest: %s\nmoved about:   %s", seed, frame, watch, quiet.states[k], busy.states[k])
				}
			}
		}
		if quiet.born < 10 {
			t.Errorf("seed %d: only %d were born; the test shows little", seed, quiet.born)
		}
	}
}
