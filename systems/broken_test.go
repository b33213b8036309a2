package systems_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

// A user's blend panics in the middle of a capture, and the host goes on: nobody is left on the way, and who moves afterwards moves as ever.
func TestCaptureBrokenOffByAPanic(t *testing.T) {
	for _, pause := range []bool{false, true} {
		e, err := ecs.New(ecs.Config{FixedRate: 10})
		if err != nil {
			t.Fatal(err)
		}
		bad := false
		e.Install(systems.Interpolation(func(from, to, t float32) float32 {
			if bad {
				bad = false
				panic("a blend")
			}
			return from + (to-from)*t
		}))
		m := generic.NewMap2[components.Logical[float32], components.Visual[float32]](e.World())
		// Before and after the one whose capture breaks off: those that stop in that step, and those that go on.
		var all [5]arche.Entity
		for k := range all {
			all[k] = m.New()
		}
		const slow, broken = 2, 6
		step := 0
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			step++
			for k, body := range all {
				l, _ := m.Get(body)
				switch {
				case k == slow && step == 4:
					l.SetOver(100, time.Second)
				case k == slow && step == broken:
					l.Set(50) // what it overtakes is blended
					bad = true
				case k != slow && (step < broken || k%2 == 1):
					l.Set(float32(step))
				}
			}
		}))
		broke := 0
		for range 120 {
			func() {
				defer func() {
					if recover() != nil {
						broke++
					}
				}()
				e.Update(13 * time.Millisecond)
			}()
			if pause && broke == 1 {
				pause = false
				if err := e.SetScale(0); err != nil {
					t.Fatal(err)
				}
				e.Update(13 * time.Millisecond)
				if err := e.SetScale(1); err != nil {
					t.Fatal(err)
				}
			}
			if step <= broken+2 {
				continue
			}
			// Each step after the one that broke off runs with a number one higher.
			now := float32(e.Time().Normal.Seconds()*10) + 1
			for k, body := range all {
				_, v := m.Get(body)
				want := now
				switch {
				case k == slow:
					want = 50
				case k%2 == 0:
					want = broken - 1
				}
				if d := v.Get() - want; d > 1e-3 || d < -1e-3 {
					t.Fatalf("body %d is drawn at %v, want %v (normal %v)", k, v.Get(), want, e.Time().Normal)
				}
			}
		}
		if broke != 1 || step <= broken+3 {
			t.Fatalf("broke off %d times, %d steps", broke, step)
		}
	}
}

// Plugins may be installed from inside any stage of a running engine.
func TestInstallingFromInsideAStage(t *testing.T) {
	for stage := ecs.FixedUpdate; stage <= ecs.Render; stage++ {
		e, err := ecs.New(ecs.Config{FixedRate: 10})
		if err != nil {
			t.Fatal(err)
		}
		m := generic.NewMap3[components.Transform3D, components.Visual3D, components.Parent](e.World())
		root, child := m.New(), m.New()
		for _, body := range []arche.Entity{root, child} {
			l, _, _ := m.Get(body)
			*l = components.NewLogical(at(1, 0, 0))
		}
		_, _, parent := m.Get(child)
		parent.Entity = root
		h := systems.Hierarchy3D()
		installed := false
		e.Add(stage, ecs.SystemFunc(func(*arche.World) {
			if e.Time().Tick >= 3 && !installed {
				installed = true
				e.Install(h, systems.Interpolation3D())
			}
		}))
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			l, _, _ := m.Get(root)
			l.Set(at(10*seconds(e.Time().StepEnd), 0, 0))
		}))
		for range 100 {
			e.Update(13 * time.Millisecond)
			if e.Time().Tick <= 5 {
				continue
			}
			if x, want := float64(h.VisualWorld(child)[12]), 1+10*seconds(e.Time().Normal); x-want > 1e-4 || want-x > 1e-4 {
				t.Fatalf("installed in %v: the child is at %v, want %v", stage, x, want)
			}
		}
	}
}

// A closed engine leaves nothing of its own in the world.
func TestClosingTakesAllHiddenComponentsAway(t *testing.T) {
	f := newFamily(t, 10)
	root := f.spawn(at(1, 0, 0))
	child := f.child(root, at(1, 0, 0))
	f.run(3, constant(100*time.Millisecond), nil)
	if n := len(f.w.Ids(root)); n == 2 {
		t.Fatal("there is nothing to take away")
	}
	f.Close()
	if is, want := len(f.w.Ids(root)), 2; is != want {
		t.Errorf("the root has %d components, was given %d: %v", is, want, f.w.Ids(root))
	}
	if is, want := len(f.w.Ids(child)), 3; is != want {
		t.Errorf("the child has %d components, was given %d: %v", is, want, f.w.Ids(child))
	}
}
