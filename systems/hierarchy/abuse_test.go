package hierarchy_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// abused is a hierarchy with all faults: cycles, parents of other worlds, edits of many entities at
// a time, poses that are not numbers, systems that panic, engines that are closed and followed by
// others. The expected results are computed from the components, by the rules alone.
type abused struct {
	testing.TB
	*rand.Rand
	keep bool
	w    *arche.World
	e    *ecs.Engine
	h    *hierarchy.Hierarchy3D
	ip   *interpolation.Interpolator[components.Pose3D]

	logicals generic.Map1[components.Transform3D]
	visuals  generic.Map1[components.Visual3D]
	parents  generic.Map1[components.Parent]
	ids      struct{ logical, visual, parent, mine arche.ID }
	mine     arche.Mask
	tables   *Shuffler
	before   map[arche.Entity]*components.Parent // who there was before a sweep, and their Parents
	// lost their Visual since the interpolator has looked
	hidden  map[arche.Entity]bool
	failure string
	swept   int // how many have gone with their parents, or been left by them
	rounds  int // members of cycles that were looked at
}

// belongs marks who has a part in it.
type belongs struct{}

var errAbuse = errors.New("a system has tripped")

func newAbused(t testing.TB, seed uint64, keep bool) *abused {
	w := arche.NewWorld()
	j := &abused{TB: t, Rand: rand.New(rand.NewPCG(seed, 41)), keep: keep, w: &w}
	j.logicals, j.visuals = generic.NewMap1[components.Transform3D](&w), generic.NewMap1[components.Visual3D](&w)
	j.parents = generic.NewMap1[components.Parent](&w)
	j.ids.logical, j.ids.visual = arche.ComponentID[components.Transform3D](&w), arche.ComponentID[components.Visual3D](&w)
	j.ids.parent, j.ids.mine = arche.ComponentID[components.Parent](&w), arche.ComponentID[belongs](&w)
	j.mine = arche.All(j.ids.mine)
	j.tables = NewShuffler(&w, seed)
	j.hidden = map[arche.Entity]bool{}
	j.open()
	return j
}

// open puts a new engine on the world.
func (j *abused) open() {
	options := []func(*hierarchy.Hierarchy3D){logTo(slog.New(slog.NewTextHandler(io.Discard, nil)))}
	if j.keep {
		options = append(options, keepOrphans)
	}
	e, err := ecs.New(ecs.Config{FixedRate: 20, World: j.w, MaxSteps: 4})
	if err != nil {
		j.Fatal(err)
	}
	j.e, j.h, j.ip = e, hierarchy.New3D(), interpolation.New3D()
	for _, o := range options {
		o(j.h)
	}
	do := func(stage ecs.Stage, order ecs.Order, f func()) {
		e.AddAt(stage, order, ecs.SystemFunc(func(*arche.World) { f() }))
	}
	some := func(n int) func() {
		return func() {
			for range j.IntN(n + 1) {
				j.operate()
			}
			if j.IntN(150) == 0 {
				panic(errAbuse)
			}
		}
	}
	do(ecs.FixedEnd, hierarchy.OrderSweep, j.remember)
	do(ecs.VisualSync, ecs.OrderSync-1, j.remember)
	e.Install(j.h, j.ip)
	do(ecs.FixedEnd, hierarchy.OrderSweep, j.checkSweep)
	do(ecs.VisualSync, ecs.OrderSync-1, j.checkSweep)
	do(ecs.VisualSync, ecs.OrderSync, func() { clear(j.hidden) })
	do(ecs.VisualSync, hierarchy.OrderPropagate+1, j.checkPass)
	do(ecs.VisualSync, ecs.OrderUser, j.checkAsked)
	do(ecs.FixedUpdate, ecs.OrderUser, some(3))
	do(ecs.FixedEnd, ecs.OrderUser, some(1))
	do(ecs.FixedEnd, hierarchy.OrderSweep+1, some(1))
	do(ecs.FixedEnd, ecs.OrderCapture+1, some(1))
	do(ecs.NormalUpdate, ecs.OrderUser, some(2))
	do(ecs.NormalUpdate, ecs.OrderUser+1, j.checkAsked)
	do(ecs.Render, ecs.OrderUser, some(1))
}

func (j *abused) fail(format string, args ...any) {
	if j.failure == "" {
		j.failure = fmt.Sprintf(format, args...)
	}
}

func (j *abused) all() []arche.Entity { return j.entities(&j.mine) }

// allEntities returns all entities of the world. Any of them may become a parent.
func (j *abused) allEntities() []arche.Entity { return j.entities(arche.All()) }

func (j *abused) entities(filter arche.Filter) (all []arche.Entity) {
	query := j.w.Query(filter)
	for query.Next() {
		all = append(all, query.Entity())
	}
	return all
}

func (j *abused) anyEntity() arche.Entity {
	all := j.all()
	if len(all) == 0 {
		return j.spawn()
	}
	return all[j.IntN(len(all))]
}

func (j *abused) pose() components.Pose3D {
	p := Turned(At(float64(j.IntN(9)-4), float64(j.IntN(9)-4), 1), Turn(float64(j.IntN(360)), 1, float64(j.IntN(3)), -1))
	switch j.IntN(14) {
	case 0:
		p.Scale = mgl32.Vec3{-1, 1, 1}
	case 1:
		p.Scale = mgl32.Vec3{0, 0, 0}
	case 2:
		p.Scale = mgl32.Vec3{1, 0, 1}
	case 3:
		p = components.Pose3D{}
	}
	return p
}

func (j *abused) spawn() arche.Entity {
	e := j.w.NewEntity(j.ids.mine)
	if j.IntN(6) > 0 {
		l := components.NewLogical(j.pose())
		j.logicals.Assign(e, &l)
	}
	if j.IntN(6) > 0 {
		v := components.NewVisual(j.pose())
		j.visuals.Assign(e, &v)
	}
	return e
}

// anyParent returns a living entity, the zero entity, a dead one, or one of another world.
func (j *abused) anyParent() arche.Entity {
	switch j.IntN(40) {
	case 0:
		return unknownEntity(j, uint32(j.IntN(400)), uint32(j.IntN(9)))
	case 1, 2, 3, 4:
		return arche.Entity{}
	case 5:
		e := j.w.NewEntity()
		j.w.RemoveEntity(e)
		return e
	}
	return j.anyEntity()
}

func (j *abused) operate() {
	e := j.anyEntity()
	toggle := func(id arche.ID) {
		if j.w.Has(e, id) {
			j.w.Remove(e, id)
		} else {
			j.w.Add(e, id)
		}
	}
	few := len(j.all()) < 20
	switch j.IntN(34) {
	case 0, 1, 2, 3, 4, 5:
		if few {
			n := j.spawn()
			if j.IntN(3) > 0 {
				j.parents.Assign(n, &components.Parent{Entity: j.anyParent()})
			}
		}
	case 6, 7, 8, 9:
		to := j.anyParent()
		if j.w.Has(e, j.ids.parent) {
			j.parents.Get(e).Entity = to
		} else {
			j.parents.Assign(e, &components.Parent{Entity: to})
		}
	case 10, 11, 12:
		to := j.anyParent()
		err := j.h.Reparent(e, to)
		if err == nil && j.w.Has(e, j.ids.parent) && j.parents.Get(e).Entity != to {
			j.fail("Reparent to %v has left the parent %v", to, j.parents.Get(e).Entity)
		}
		if err != nil && to == (arche.Entity{}) {
			j.fail("detached: %v", err)
		}
	case 13, 14:
		if j.w.Has(e, j.ids.parent) {
			j.parents.Remove(e)
		}
	case 15:
		j.w.RemoveEntity(e)
	case 16, 17:
		j.tables.Shuffle(e)
	case 18:
		k := j.IntN(len(j.tables.Groups))
		j.w.RemoveEntity(j.tables.Groups[k])
		j.tables.Groups[k] = j.w.NewEntity()
	case 19: // all of a group die at once
		if j.IntN(3) == 0 {
			of := arche.NewRelationFilter(&j.mine, j.tables.Groups[j.IntN(len(j.tables.Groups))])
			withGroup := arche.All(j.ids.mine, j.tables.Group)
			of.Filter = &withGroup
			j.w.Batch().RemoveEntities(&of)
		}
	case 20: // all with a hat lose their parents
		withHat := arche.All(j.ids.parent, j.tables.Hat)
		j.w.Batch().Remove(withHat, j.ids.parent)
	case 21: // all with a coat get a parent, who is nobody
		lacks := arche.All(j.ids.mine, j.tables.Coat).Without(j.ids.parent)
		j.w.Batch().Add(&lacks, j.ids.parent)
	case 22: // parents are exchanged for hats
		lacks := arche.All(j.ids.mine, j.ids.parent, j.tables.Coat).Without(j.tables.Hat)
		j.w.Batch().Exchange(&lacks, []arche.ID{j.tables.Hat}, []arche.ID{j.ids.parent})
	case 23:
		in := arche.All(j.tables.Group)
		j.w.Batch().SetRelation(in, j.tables.Group, j.tables.Groups[j.IntN(len(j.tables.Groups))])
	case 24:
		toggle(arche.ComponentID[components.NoInterpolation](j.w))
	case 25:
		toggle(arche.ComponentID[components.InterpolateOnGPU](j.w))
	case 26:
		j.ip.Shift(func(p components.Pose3D) components.Pose3D { p.Position[0]++; return p })
	case 27:
		toggle(j.ids.logical)
	case 28:
		if !j.hidden[e] {
			// within one stage a new visual value is not distinguished from the old one
			toggle(j.ids.visual)
			j.hidden[e] = !j.w.Has(e, j.ids.visual)
		}
	case 29:
		j.ip.SetEnabled(j.IntN(3) > 0)
	default:
		if j.w.Has(e, j.ids.logical) {
			l := j.logicals.Get(e)
			[]func(components.Pose3D){l.Set, l.Teleport, l.Correct, func(p components.Pose3D) { l.SetOver(p, time.Duration(j.IntN(200))*time.Millisecond) }}[j.IntN(4)](j.pose())
		} else if j.w.Has(e, j.ids.visual) {
			j.visuals.Get(e).Set(j.pose())
		}
	}
}

// parentOf returns the entity in an entity's Parent, and whether it has one.
func (j *abused) parentOf(e arche.Entity) (p arche.Entity, has bool) {
	if !j.w.Has(e, j.ids.parent) {
		return p, false
	}
	return j.parents.Get(e).Entity, true
}

func (j *abused) frame() {
	for range j.IntN(4) {
		j.operate()
	}
	if j.IntN(60) == 0 {
		j.e.Close()
		if query := j.w.Query(arche.All(j.ids.mine)); query.Count() > 0 {
			for query.Next() {
				for _, id := range j.w.Ids(query.Entity()) {
					info, _ := arche.ComponentInfo(j.w, id)
					if path := info.Type.PkgPath(); strings.HasPrefix(path, "github.com/tandem-ecs/tandem/systems/") && !strings.HasSuffix(path, "_test") {
						j.fail("%v keeps a %v of a closed engine", query.Entity(), info.Type)
					}
				}
			}
		} else {
			query.Close()
		}
		for range j.IntN(3) {
			j.w.RemoveEntity(j.anyEntity())
		}
		j.open()
	}
	func() {
		defer func() {
			if p := recover(); p != nil {
				if err, _ := p.(error); !errors.Is(err, errAbuse) {
					panic(p)
				}
				j.e.Close() // it takes no further Updates
				j.open()
			}
		}()
		j.e.Update(time.Duration(j.IntN(120)) * time.Millisecond)
	}()
	if j.failure != "" {
		j.Fatalf("at %+v: %s", j.e.Time(), j.failure)
	}
}

func TestRandomAbuseOfHierarchies(t *testing.T) {
	for _, keep := range []bool{false, true} {
		swept, rounds, n := 0, 0, Few(uint64(8))
		for seed := range n {
			j := newAbused(t, seed, keep)
			for range 80 {
				j.frame()
			}
			swept, rounds = swept+j.swept, rounds+j.rounds
		}
		if least := int(10 * n); !testing.Short() && (swept < least || rounds < least) {
			t.Errorf("orphans stay %v: only %d were bereft, %d looks at cycles; the test shows little", keep, swept, rounds)
		}
	}
}
