package systems_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

func mustSay(t *testing.T, what string, f func(), words ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		text, _ := recover().(string)
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s panicked with %q, which does not say %q", what, text, word)
			}
		}
	}()
	f()
	t.Errorf("%s did not panic", what)
}

type labelled struct {
	X    float32
	Text string
}

// Whatever the order in which plugins are installed and the game's own systems are added, a frame is the same.
func TestPluginsInAnyOrder(t *testing.T) {
	var reference []mgl32.Mat4
	for _, order := range permutations(4) {
		e, err := ecs.New(ecs.Config{FixedRate: 10})
		if err != nil {
			t.Fatal(err)
		}
		w := e.World()
		h := systems.Hierarchy3D()
		logicals := generic.NewMap1[components.Transform3D](w)
		var child, parent arche.Entity
		var got []mgl32.Mat4
		game := func() {
			// The last of the user's systems writes, and the first one of the frame looks.
			e.Add(ecs.FixedEnd, ecs.SystemFunc(func(*arche.World) {
				p := at(0, float64(e.Time().Tick), 0)
				logicals.Get(child).Set(p)
			}))
			e.Add(ecs.VisualSync, ecs.SystemFunc(func(*arche.World) { got = append(got, h.VisualWorld(child)) }))
		}
		plugins := []func(){
			func() { e.Install(systems.Interpolation3D()) }, func() { e.Install(h) }, func() { e.Install(systems.Motion3D()) }, game,
		}
		for _, k := range order {
			plugins[k]()
		}
		m := generic.NewMap2[components.Transform3D, components.Visual3D](w)
		l := components.NewLogical(components.Identity3D())
		parent = m.NewWith(&l, &components.Visual3D{})
		child = m.NewWith(&l, &components.Visual3D{})
		velocities, parents := generic.NewMap1[components.Velocity3D](w), generic.NewMap1[components.Parent](w)
		velocities.Assign(parent, &components.Velocity3D{Linear: mgl32.Vec3{1, 0, 0}, Angular: mgl32.Vec3{0, 1, 0}})
		parents.Assign(child, &components.Parent{Entity: parent})
		for range 50 {
			e.Update(17 * time.Millisecond)
		}
		if reference == nil {
			reference = got
		}
		for k := range reference {
			if got[k] != reference[k] {
				t.Fatalf("order %v: frame %d differs", order, k)
			}
		}
	}
}

func TestPluginsAreInstalledOnce(t *testing.T) {
	e, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ip, h := systems.Interpolation3D(), systems.Hierarchy3D()
	mustSay(t, "Shift", func() { ip.Shift(func(p components.Pose3D) components.Pose3D { return p }) }, "Install")
	mustSay(t, "Samples", func() { ip.Samples(arche.Entity{}) }, "Install")
	mustSay(t, "Fraction", func() { ip.Fraction() }, "Install")
	mustSay(t, "LogicalWorld", func() { h.LogicalWorld(arche.Entity{}) }, "Install")
	mustSay(t, "VisualWorld", func() { h.VisualWorld(arche.Entity{}) }, "Install")
	mustSay(t, "Reparent", func() { _ = h.Reparent(arche.Entity{}, arche.Entity{}) }, "Install")
	e.Install(ip, h, systems.Interpolation2D())
	mustSay(t, "a second interpolator of one type", func() { e.Install(systems.Interpolation3D()) }, "already installed")
	mustSay(t, "a second hierarchy", func() { e.Install(systems.Hierarchy3D()) }, "already installed")
	other, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, "an interpolator for two engines", func() { other.Install(ip) }, "one per engine")
	mustSay(t, "a hierarchy for two engines", func() { other.Install(h) }, "one per engine")
	mustSay(t, "no blend", func() { systems.Interpolation[float64](nil) }, "blend")
	mustSay(t, "a pointer", func() {
		systems.Interpolation(func(a, _ labelled, _ float32) labelled { return a })
	}, "holds a pointer (Text string)", "an index or an array of fixed size")
	mustSay(t, "no size", func() { systems.Interpolation(func(a, _ struct{}, _ float32) struct{} { return a }) }, "no size")
	mustSay(t, "half a difference", func() { systems.Interpolation3D().WithDifference(systems.Difference[components.Pose3D]{}) }, "Between")
	mustSay(t, "no half-life", func() { systems.Interpolation3D().WithHalfLife(0) }, "positive")
	mustSay(t, "no logger", func() { systems.WithLogger(nil) }, "slog.Default")
	dead := e.World().NewEntity()
	e.World().RemoveEntity(dead)
	mustSay(t, "no way to shift", func() { ip.Shift(nil) }, "pass one")
	mustSay(t, "the dead", func() { h.VisualWorld(dead) }, "dead")
	if _, _, _, _, ok := ip.Samples(dead); ok {
		t.Error("the dead have samples")
	}
	e.Update(0)
	e.Close()
	mustSay(t, "after Close", func() { ip.Fraction() }, "any more")
}

// An engine that was closed before it ran leaves nothing in the way of the next one.
func TestClosedBeforeTheFirstUpdate(t *testing.T) {
	s := newStage(t, 10, systems.Hierarchy3D())
	e := s.spawn(at(1, 0, 0))
	s.Close()
	next := newStageWith(t, ecs.Config{World: s.w}, systems.Hierarchy3D())
	next.Update(0)
	next.near("drawn", next.x(e), 1, 0)
}

// A system between the synchronizer and the propagation may change the world's structure.
func TestStructureChangedBetweenSyncAndPropagation(t *testing.T) {
	f := newFamily(t, 10)
	root := f.spawn(at(0, 0, 0))
	var all []arche.Entity
	for range 50 {
		all = append(all, f.child(root, at(0, 0, 0)))
	}
	f.fixed(func(now ecs.Time) {
		for _, e := range all {
			f.logical(e).Set(at(float64(now.Tick)+1, 0, 0))
		}
	})
	sh := newShuffler(f.w, 3)
	f.AddAt(ecs.VisualSync, (ecs.OrderSync+ecs.OrderPropagate)/2, ecs.SystemFunc(func(*arche.World) {
		if f.Time().Frame > 3 {
			for range 10 {
				sh.shuffle(all[sh.IntN(len(all))])
			}
			k := sh.IntN(len(all))
			f.w.RemoveEntity(all[k])
			all = append(all[:k], all[k+1:]...)
		}
	}))
	f.run(40, fps(60, 1), func(now ecs.Time) {
		told := 0
		f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
			if e != root {
				told++
				f.near("drawn", float64(m[12]), 10*seconds(now.Normal), 1e-4)
			}
		})
		if told != len(all) {
			t.Fatalf("told of %d, want %d", told, len(all))
		}
	})
}

// arche takes an emptied table whose relation's target is dead out of its caches; entities in such tables get and lose samples like others.
func TestTablesOfDeadTargets(t *testing.T) {
	s := newStage(t, 10, systems.Hierarchy3D())
	g := arche.ComponentID[group](s.w)
	parents := generic.NewMap1[components.Parent](s.w)
	var all, targets []arche.Entity
	for k := range 8 {
		target := s.w.NewEntity()
		e := s.spawn(at(float64(k), 0, 0))
		s.w.Add(e, g)
		s.w.Relations().Set(e, g, target)
		parents.Assign(e, &components.Parent{})
		all, targets = append(all, e), append(targets, target)
	}
	for _, target := range targets {
		s.w.RemoveEntity(target)
	}
	check := func() {
		t.Helper()
		for k, e := range all {
			s.near("drawn", s.x(e), float64(k), 0)
		}
	}
	s.Update(0)
	check()
	for _, e := range all {
		s.visuals.Remove(e)
	}
	s.Update(100 * time.Millisecond)
	for _, e := range all {
		s.visuals.Add(e)
	}
	s.Update(100 * time.Millisecond)
	check()
	s.Close()
}

// Only visual entities take part in hierarchies, under simulated parents and over them.
func TestVisualOnlyEntitiesInHierarchies(t *testing.T) {
	f := newFamily(t, 10)
	ship := f.spawn(at(0, 0, 0))
	v := components.NewVisual(at(0, 1, 0))
	smoke := f.visuals.NewWith(&v)
	f.parents.Assign(smoke, &components.Parent{Entity: ship})
	spark := f.visuals.NewWith(&v)
	f.parents.Assign(spark, &components.Parent{Entity: smoke})
	probe := f.child(spark, at(0, 0, 1)) // simulated, under something that is not
	f.fixed(func(now ecs.Time) { f.logical(ship).Set(at(float64(now.Tick)+1, 0, 0)) })
	f.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
		f.visuals.Get(smoke).Set(at(0, 1+math.Floor(seconds(f.Time().Normal)*4), 0))
	}))
	rise := 0.0
	f.run(100, fps(60, 1), func(now ecs.Time) {
		want := mgl32.Vec3{float32(10 * seconds(now.Normal)), float32(2 + rise), 0}
		told := false
		f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
			if e == spark {
				told = true
				if got := m.Col(3).Vec3(); got.Sub(want).Len() > 1e-4 {
					t.Fatalf("the pass has the spark at %v, want %v", got, want)
				}
			}
		})
		if !told {
			t.Fatal("the pass leaves the spark out")
		}
		rise = math.Floor(seconds(now.Normal) * 4) // is in the picture of the next frame
		want[1] = float32(2 + rise)
		if got := f.h.VisualWorld(spark).Col(3).Vec3(); got.Sub(want).Len() > 1e-4 {
			t.Fatalf("the spark is at %v, want %v", got, want)
		}
		// The simulation knows nothing of what is only seen.
		if got := f.h.LogicalWorld(probe).Col(3).Vec3(); got != (mgl32.Vec3{float32(now.Tick), 0, 1}) {
			t.Fatalf("logically the probe is at %v", got)
		}
	})
}

func TestTurnOfWhatHasNoDirection(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	half := mgl32.Quat{W: 0.5}
	for name, c := range map[string]struct {
		rotation mgl32.Quat
		angular  mgl32.Vec3
	}{
		"too short, at rest": {half, mgl32.Vec3{}},
		"zero, at rest":      {mgl32.Quat{}, mgl32.Vec3{}},
		"zero, turning":      {mgl32.Quat{}, mgl32.Vec3{0, 1, 0}},
		"no number":          {mgl32.QuatIdent(), mgl32.Vec3{nan, 0, 0}},
		"infinite":           {mgl32.QuatIdent(), mgl32.Vec3{0, inf, 0}},
	} {
		if got := systems.Turn(c.rotation, c.angular, 0.5); got != mgl32.QuatIdent() {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := systems.Turn(turnY(40), mgl32.Vec3{}, 1); got != turnY(40) {
		t.Errorf("at rest: %v, want %v", got, turnY(40))
	}
}

func TestMotionIntegratesVelocities(t *testing.T) {
	s := newStage(t, 50, systems.Motion3D(), systems.Motion2D(), systems.Interpolation2D())
	velocities := generic.NewMap1[components.Velocity3D](s.w)
	mover, idle := s.spawn(components.Identity3D()), s.spawn(components.Identity3D())
	velocities.Assign(mover, &components.Velocity3D{Linear: mgl32.Vec3{1, -2, 3}, Angular: mgl32.Vec3{0, 2, 0}})
	velocities.Assign(idle, &components.Velocity3D{})
	flat := generic.NewMap3[components.Transform2D, components.Visual2D, components.Velocity2D](s.w)
	l := components.NewLogical(components.Identity2D())
	disc := flat.NewWith(&l, &components.Visual2D{}, &components.Velocity2D{Linear: mgl32.Vec2{1, -2}, Angular: -20})
	s.Update(0)
	revision := s.logical(idle).Revision()
	s.run(500, fps(144, 1), func(now ecs.Time) {
		tm := seconds(now.Normal)
		v := s.visual(mover)
		if want := (mgl32.Vec3{float32(tm), float32(-2 * tm), float32(3 * tm)}); v.Position.Sub(want).Len() > 1e-3 {
			t.Fatalf("at %v, want %v", v.Position, want)
		}
		if d := degreesApart(v.Rotation, turnY(2*tm*180/math.Pi)); !(d < 0.02) {
			t.Fatalf("turned %v degrees off", d)
		}
		_, dv, _ := flat.Get(disc)
		s.near("disc", float64(dv.Get().Position[1]), -2*tm, 1e-4)
		if off := math.Remainder(float64(dv.Get().Rotation)+20*tm, 2*math.Pi); math.Abs(off) > 1e-3 {
			t.Fatalf("the disc's angle is %v off", off)
		}
	})
	if s.logical(idle).Revision() != revision {
		t.Error("a body without velocity was written")
	}
	if r := flat; math.Abs(float64(func() float32 { l, _, _ := r.Get(disc); return l.Get().Rotation }())) > math.Pi+1e-5 {
		t.Error("an angle grows without bound")
	}
}

// Normal systems may turn what is only visual by any quaternion that points the right way.
func TestVisualOnlyRotationsAreNormalised(t *testing.T) {
	f := newFamily(t, 10)
	v := components.NewVisual(at(0, 0, 0))
	rig := f.visuals.NewWith(&v)
	v = components.NewVisual(at(1, 0, 0))
	lens := f.visuals.NewWith(&v)
	f.parents.Assign(lens, &components.Parent{Entity: rig})
	for _, length := range []float32{1, 2, 1e-3, 0} {
		pose := at(0, 0, 0)
		pose.Rotation = mgl32.QuatRotate(math.Pi/2, mgl32.Vec3{0, 1, 0}).Scale(length)
		f.visuals.Get(rig).Set(pose)
		f.Update(time.Millisecond)
		want := mgl32.Vec3{0, 0, -1}
		if length == 0 {
			want = mgl32.Vec3{1, 0, 0} // no direction: unrotated
		}
		if got := f.h.VisualWorld(lens).Col(3).Vec3(); got.Sub(want).Len() > 1e-6 {
			t.Errorf("under a quaternion of length %v the lens is at %v, want %v", length, got, want)
		}
	}
}
