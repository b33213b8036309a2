package ecs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// probe is a system that writes down what is called on it.
type probe struct {
	name string
	log  *[]string
	do   func(w *arche.World) // in Update
	init func(w *arche.World)
	fin  func(w *arche.World)
}

func (p *probe) say(what string) {
	if p.log != nil {
		*p.log = append(*p.log, what+" "+p.name)
	}
}

func (p *probe) Initialize(w *arche.World) {
	p.say("init")
	if p.init != nil {
		p.init(w)
	}
}

func (p *probe) Update(w *arche.World) {
	p.say("update")
	if p.do != nil {
		p.do(w)
	}
}

func (p *probe) Finalize(w *arche.World) {
	p.say("fin")
	if p.fin != nil {
		p.fin(w)
	}
}

func (p *probe) Name() string { return p.name }

func checkLog(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// mustPanic runs f and returns what it panicked with, which must contain all the words.
func mustPanic(t *testing.T, f func(), words ...string) (value any) {
	t.Helper()
	defer func() {
		t.Helper()
		value = recover()
		if value == nil {
			t.Errorf("no panic, want one that says %q", words)
			return
		}
		for _, word := range words {
			if text := fmt.Sprint(value); !strings.Contains(text, word) {
				t.Errorf("panicked with %q, which does not say %q", text, word)
			}
		}
	}()
	f()
	return nil
}

func TestStagesRunInOrder(t *testing.T) {
	e := newEngine(t, ecs.Config{FixedRate: 10})
	var log []string
	// added in any order
	stages := []ecs.Stage{ecs.Render, ecs.VisualSync, ecs.FixedEnd, ecs.NormalUpdate, ecs.FixedUpdate}
	for _, stage := range stages {
		e.Add(stage, &probe{name: stage.String() + "1", log: &log}, &probe{name: stage.String() + "2", log: &log})
	}
	e.Update(0)
	for k := range 10 {
		if !strings.HasPrefix(log[k], "init") {
			t.Errorf("call %d is %q, before everything was initialised", k, log[k])
		}
	}
	frame := []string{"update VisualSync1", "update VisualSync2", "update NormalUpdate1", "update NormalUpdate2", "update Render1", "update Render2"}
	step := []string{"update FixedUpdate1", "update FixedUpdate2", "update FixedEnd1", "update FixedEnd2"}
	checkLog(t, log[10:], slices.Concat(step, frame)...)
	log = nil
	e.Update(50 * time.Millisecond)
	checkLog(t, log, frame...)
	log = nil
	e.Update(200 * time.Millisecond)
	checkLog(t, log, slices.Concat(step, step, frame)...)
}

func TestOrdersWithinAStage(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	add := func(name string, order ecs.Order) { e.AddAt(ecs.VisualSync, order, &probe{name: name, log: &log}) }
	add("late", 1000)
	e.Add(ecs.VisualSync, &probe{name: "user1", log: &log})
	add("early", ecs.OrderSync)
	add("later", 2000)
	add("early too", ecs.OrderSync)
	e.Add(ecs.VisualSync, &probe{name: "user2", log: &log})
	add("earliest", -9999)
	e.Update(0)
	checkLog(t, log[7:], "update earliest", "update early", "update early too", "update user1", "update user2", "update late", "update later")
}

// Time as a resource is the engine's time, inside and outside of steps.
func TestTimeDuringAStep(t *testing.T) {
	e := newEngine(t, ecs.Config{FixedRate: 100})
	var ticks []uint64
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		now := arche.GetResource[ecs.Time](w)
		if *now != e.Time() {
			t.Errorf("the resource says %+v, the engine %+v", *now, e.Time())
		}
		if now.Fixed != now.StepStart || now.Tick != uint64(now.StepStart/(10*time.Millisecond)) || now.FixedDelta != 10*time.Millisecond {
			t.Errorf("inside a step: %+v", *now)
		}
		ticks = append(ticks, now.Tick)
	}))
	e.Add(ecs.Render, ecs.SystemFunc(func(w *arche.World) {
		now := arche.GetResource[ecs.Time](w)
		if now.Fixed != now.StepEnd || now.Tick != uint64(len(ticks)) {
			t.Errorf("after the steps: %+v", *now)
		}
	}))
	for range 10 {
		e.Update(25 * time.Millisecond)
	}
	for k, tick := range ticks {
		if tick != uint64(k) {
			t.Fatalf("ticks %v", ticks)
		}
	}
	if got := e.Time().Frame; got != 10 {
		t.Errorf("%d frames, want 10", got)
	}
}

func TestStageNames(t *testing.T) {
	for stage, want := range map[ecs.Stage]string{ecs.FixedUpdate: "FixedUpdate", ecs.FixedEnd: "FixedEnd", ecs.VisualSync: "VisualSync", ecs.NormalUpdate: "NormalUpdate", ecs.Render: "Render", 77: "unknown stage"} {
		if got := stage.String(); got != want {
			t.Errorf("stage %d is called %q, want %q", uint8(stage), got, want)
		}
	}
	e := newEngine(t, ecs.Config{})
	mustPanic(t, func() { e.Add(77, &probe{}) }, "no stage 77", "FixedUpdate")
	mustPanic(t, func() { e.Add(ecs.Render, nil) }, "nil system", "Render")
	mustPanic(t, func() { e.Add(ecs.Render, ecs.SystemFunc(nil)) }, "nil system", "Render")
}
