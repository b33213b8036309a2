package ecs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/ecs"
)

const ms = time.Millisecond

// once runs f in the stage's turns that fit.
func once(e *ecs.Engine, stage ecs.Stage, when func(now ecs.Time) bool, f func()) {
	e.Add(stage, ecs.SystemFunc(func(*arche.World) {
		if when(e.Time()) {
			f()
		}
	}))
}

// An entity leaves before the first frame that shows the time, and is there in every frame before
// and in every step that begins before. The times count from the step's start, and in a normal
// stage from the normal time, whatever the frames are.
func TestDespawnAfterMeetsItsFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]int{7, 20, 60}).Draw(t, "rate")
		frames := rapid.SliceOfN(rapid.IntRange(0, 200), 20, 60).Draw(t, "frames")
		e, err := ecs.New(ecs.Config{FixedRate: rate})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		w := e.World()
		type leaver struct {
			entity arche.Entity
			at     time.Duration
		}
		var all []leaver
		steps := map[arche.Entity]uint64{} // the newest step with it
		spawn := func(from time.Duration) {
			d := time.Duration(rapid.IntRange(1, 400).Draw(t, "after")) * ms
			switch rapid.IntRange(0, 9).Draw(t, "odd") {
			case 0:
				d = 1
			case 1: // at an edge of a step
				d = e.Time().StepEnd - from + time.Duration(rapid.IntRange(0, 3).Draw(t, "edge"))*e.Time().FixedDelta
			}
			l := leaver{w.NewEntity(), from + d}
			e.Commands().DespawnAfter(l.entity, d)
			if rapid.IntRange(0, 3).Draw(t, "twice") == 0 { // the earliest counts
				e.Commands().DespawnAfter(l.entity, d+5*ms)
			}
			all = append(all, l)
		}
		some := func(from func(ecs.Time) time.Duration) ecs.System {
			return ecs.SystemFunc(func(*arche.World) {
				if rapid.IntRange(0, 2).Draw(t, "spawn") == 0 {
					spawn(from(e.Time()))
				}
			})
		}
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			now := e.Time()
			for _, l := range all {
				if w.Alive(l.entity) != (l.at > now.StepStart) {
					t.Fatalf("step %d from %v: alive %v, to leave at %v", now.Tick, now.StepStart, w.Alive(l.entity), l.at)
				}
				steps[l.entity] = now.Tick
			}
		}))
		e.Add(ecs.FixedUpdate, some(func(now ecs.Time) time.Duration { return now.StepStart }))
		e.Add(ecs.FixedEnd, some(func(now ecs.Time) time.Duration { return now.StepStart }))
		look := ecs.SystemFunc(func(*arche.World) {
			now := e.Time()
			for _, l := range all {
				if w.Alive(l.entity) != (l.at > now.Normal) {
					t.Fatalf("frame at %v: alive %v, to leave at %v", now.Normal, w.Alive(l.entity), l.at)
				}
			}
		})
		e.AddAt(ecs.VisualSync, math.MinInt32, look)
		e.Add(ecs.NormalUpdate, some(func(now ecs.Time) time.Duration { return now.Normal }))
		e.Add(ecs.Render, look)
		for k, frame := range frames {
			switch k % 20 {
			case 5:
				_ = e.SetScale(rapid.SampledFrom([]float64{0, 0.3, 3}).Draw(t, "scale"))
			case 10:
				_ = e.SetScale(1)
			case 15:
				_ = e.SetRate(rapid.SampledFrom([]int{7, 20, 60}).Draw(t, "next rate"))
			}
			e.Update(time.Duration(frame) * ms)
			if rapid.IntRange(0, 4).Draw(t, "between") == 0 {
				spawn(e.Time().Normal)
			}
			all = slices.DeleteFunc(all, func(l leaver) bool { return l.at < e.Time().Normal-500*ms })
		}
	})
}

// The steps in which an entity takes part do not depend on the frames.
func TestDespawnAfterIsTheSameForAllFrames(t *testing.T) {
	play := func(frame func() time.Duration) (log string) {
		e := newEngine(t, ecs.Config{FixedRate: 20})
		defer e.Close()
		var all []arche.Entity
		e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
			now := e.Time()
			if now.Tick >= 60 {
				return
			}
			alive := 0
			for _, l := range all {
				if w.Alive(l) {
					alive++
				}
			}
			log += fmt.Sprintf("%d:%d ", now.Tick, alive)
			all = append(all, w.NewEntity())
			e.Commands().DespawnAfter(all[len(all)-1], time.Duration(now.Tick*7919%180)*ms)
		}))
		for e.Time().Tick < 60 {
			e.Update(frame())
		}
		return log
	}
	want := play(func() time.Duration { return ms })
	random := rand.New(rand.NewPCG(1, 2))
	for _, frame := range []func() time.Duration{
		func() time.Duration { return 16_666_667 }, func() time.Duration { return 91 * ms }, func() time.Duration { return 240 * ms },
		func() time.Duration { return time.Duration(random.IntN(200)) * ms },
	} {
		if got := play(frame); got != want {
			t.Errorf("%s\nwith frames of a millisecond\n%s", got, want)
		}
	}
}

func TestDespawnAfterNoTimeIsDespawn(t *testing.T) {
	e := newEngine(t, ecs.Config{FixedRate: 20})
	w := e.World()
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		victim := w.NewEntity()
		e.AddAt(ecs.FixedUpdate, 1, &probe{name: "after", log: new([]string), do: func(*arche.World) {
			if w.Alive(victim) {
				t.Errorf("after %v it outlives its system", d)
			}
		}})
		once(e, ecs.FixedUpdate, func(now ecs.Time) bool { return w.Alive(victim) }, func() {
			e.Commands().DespawnAfter(victim, d)
			if !w.Alive(victim) {
				t.Error("it does not wait for the system's end")
			}
		})
		e.Update(50 * ms)
	}
	// and the longest time is never over
	e.Commands().DespawnAfter(w.NewEntity(), math.MaxInt64)
	alive := w.Stats().Entities.Used
	for range 100 {
		e.Update(250 * ms)
	}
	if w.Stats().Entities.Used != alive {
		t.Error("292 years are over")
	}
}

// A pause waits. A step of a paused engine shows its end.
func TestDespawnAfterWaitsInAPause(t *testing.T) {
	e := newEngine(t, ecs.Config{FixedRate: 20})
	e.Update(0)
	victim := e.World().NewEntity()
	e.Commands().DespawnAfter(victim, 120*ms)
	if err := e.SetScale(0); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		e.Update(time.Second)
	}
	if !e.World().Alive(victim) {
		t.Fatal("despawned in a pause")
	}
	for step, want := range []bool{true, false} { // they show 100 ms and 150 ms, less a nanosecond
		if err := e.RequestStep(); err != nil {
			t.Fatal(err)
		}
		if e.Update(time.Second); e.World().Alive(victim) != want {
			t.Errorf("step %d at %v: alive %v", step, e.Time().Normal, !want)
		}
	}
}

// A call of a listener in a despawn is carried out, and its panic has its place.
func TestDespawnAfterAndListeners(t *testing.T) {
	e := newEngine(t, ecs.Config{FixedRate: 20})
	w := e.World()
	next, fault := w.NewEntity(), false
	l := listener.NewCallback(func(*arche.World, arche.EntityEvent) {
		if fault {
			panic("a fault")
		}
		e.Commands().DespawnAfter(next, 10*ms)
	}, event.EntityRemoved)
	w.SetListener(&l)
	e.Update(0)
	e.Commands().DespawnAfter(w.NewEntity(), 10*ms)
	e.Commands().DespawnAfter(w.NewEntity(), 10*ms)
	e.Update(15 * ms)
	if e.Update(9 * ms); !w.Alive(next) {
		t.Error("the listener's call was early")
	}
	if e.Update(ms); w.Alive(next) {
		t.Error("the listener's call was lost")
	}
	fault = true
	e.Commands().DespawnAfter(w.NewEntity(), ms)
	defer func() {
		p, ok := recover().(*ecs.SystemPanic)
		if !ok || p.System != "DespawnAfter" || p.Value != "a fault" {
			t.Errorf("the panic is %v", p)
		}
	}()
	e.Update(2 * ms)
}

// Entities that come and go allocate nothing, and those that were despawned by other means take no
// memory.
func TestDespawnAfterKeepsItsMemory(t *testing.T) {
	e := newEngine(t, ecs.Config{FixedRate: 20})
	w := e.World()
	ids := []arche.ID{arche.ComponentID[health](w)}
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		for k := range 50 {
			victim := w.NewEntity(ids...)
			e.Commands().DespawnAfter(victim, time.Duration(k)*3*ms)
			if k%2 == 0 {
				e.Commands().DespawnAfter(victim, time.Hour)
			}
		}
	}))
	for range 200 {
		e.Update(50 * ms)
	}
	if allocs := testing.AllocsPerRun(100, func() { e.Update(50 * ms) }); allocs != 0 {
		t.Errorf("a frame allocates %v times", allocs)
	}
}
