package ecs

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// Engine runs systems in stages on one world, by one clock. Make it with [New]; the zero value is
// of no use. Update, Install, Add and AddAt of an engine that was closed panic.
type Engine struct {
	world    *arche.World
	timeID   arche.ResID
	clock    clock
	adaptive *adaptive
	commands Commands
	holder   string // the owner that holds the clock, or ""

	stages  [stageCount][]*entry
	plugins map[reflect.Type]bool

	log     *slog.Logger
	advised map[arche.ID]bool // component types whose advice was logged

	begun, updating, closed bool
	broken                  *SystemPanic // the first panic of a system
	closing                 bool         // Close is under way
	calling                 bool         // a method of a system is under way
}

// entry is a system in its place.
type entry struct {
	system   System
	stage    Stage
	order    Order
	disabled bool
	removed  bool
	begun    bool
}

// Plugin adds systems and resources to an engine.
type Plugin interface {
	// Install is called once, by [Engine.Install]. It panics for settings that make no sense, with
	// the remedy in the text.
	Install(e *Engine)
}

// New makes an engine. The error names every fault of the configuration, or says that the world
// belongs to another engine.
func New(c Config) (*Engine, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if c.World == nil {
		w := arche.NewWorld()
		c.World = &w
	}
	timeID := arche.ResourceID[Time](c.World)
	if c.World.Resources().Has(timeID) {
		return nil, errors.New("ecs: this world already belongs to an engine; close that one first, or make a new world")
	}
	e := &Engine{
		world:    c.World,
		timeID:   timeID,
		clock:    newClock(c),
		adaptive: newAdaptive(c),
		plugins:  map[reflect.Type]bool{},
		advised:  map[arche.ID]bool{},
		log:      c.Log,
	}
	e.commands.engine = e
	arche.AddResource(e.world, &e.clock.time)
	arche.AddResource(e.world, &e.commands)
	return e, nil
}

// World returns the world that the engine works on. To empty it while the engine runs, remove its
// entities (World.Batch): World.Reset takes away resources that the engine and its plugins rely on,
// so the next Update panics. It is for a world whose engine has been closed.
func (e *Engine) World() *arche.World { return e.world }

// Commands returns the buffer for structural edits, also a resource of the world.
func (e *Engine) Commands() *Commands { return &e.commands }

// Time returns a copy of the clock's readings, which are also a resource of the world.
func (e *Engine) Time() Time { return e.clock.time }

// Install installs plugins, in the order given. Two of one kind would do their work twice, so the
// second one panics, and so does nil.
func (e *Engine) Install(plugins ...Plugin) {
	e.mustBeOpen("Install")
	for _, p := range plugins {
		if p == nil {
			panic("ecs: a nil plugin was given to Install; pass a plugin")
		}
		kind := reflect.TypeOf(p)
		if e.plugins[kind] {
			panic(fmt.Sprintf("ecs: a %v is already installed on this engine; install one of each kind, and share it", kind))
		}
		e.plugins[kind] = true
		p.Install(e)
	}
}

// Add adds systems to the end of a stage. One that is added after the first Update is initialised
// at once and runs from the next stage on. One system may be added to several stages. A nil system
// panics, and so does a stage that does not exist.
func (e *Engine) Add(stage Stage, systems ...System) { e.AddAt(stage, OrderUser, systems...) }

// AddAt adds systems to a stage at a place relative to others; see [Order].
func (e *Engine) AddAt(stage Stage, order Order, systems ...System) {
	e.mustBeOpen("Add")
	if stage >= stageCount {
		panic(fmt.Sprintf("ecs: there is no stage %d; use one of FixedUpdate, FixedEnd, VisualSync, NormalUpdate, Render", stage))
	}
	for _, s := range systems {
		if f, isFunc := s.(SystemFunc); s == nil || isFunc && f == nil {
			panic(fmt.Sprintf("ecs: a nil system was added to %v; pass a system", stage))
		}
		en := &entry{system: s, stage: stage, order: order}
		list := e.stages[stage]
		at := len(list)
		for at > 0 && list[at-1].order > order {
			at--
		}
		// A new list, so that a stage that is running keeps the one it has.
		e.stages[stage] = slices.Insert(slices.Clone(list), at, en)
		if e.begun {
			e.initialize(en)
		}
	}
}

// Remove takes a system out of every stage that it was added to and finalises it. It reports
// whether it was there. It does not run again, not even in the current stage. It panics for a
// system that cannot be compared, such as a [SystemFunc].
func (e *Engine) Remove(s System) bool {
	found := e.find(s, "Remove")
	for _, en := range found {
		en.removed = true
		list := slices.Clone(e.stages[en.stage])
		e.stages[en.stage] = slices.DeleteFunc(list, func(o *entry) bool { return o == en })
	}
	// One system in several stages is initialised in each of them, and finalised as often.
	for _, en := range found {
		e.finalize(en)
	}
	return len(found) > 0
}

// SetEnabled lets a system's Update run or rest, from now on, in every stage that it was added to.
// A system that is not there is left alone. It panics for a system that cannot be compared.
func (e *Engine) SetEnabled(s System, on bool) {
	for _, en := range e.find(s, "SetEnabled") {
		en.disabled = !on
	}
}

func (e *Engine) find(s System, what string) (found []*entry) {
	if s == nil || !reflect.ValueOf(s).Comparable() {
		panic(fmt.Sprintf("ecs: %s needs a system that can be compared, and %T cannot; add a pointer, and pass the same one here", what, s))
	}
	for _, list := range e.stages {
		for _, en := range list {
			if reflect.TypeOf(en.system) == reflect.TypeOf(s) && en.system == s {
				found = append(found, en)
			}
		}
	}
	return found
}

// Update advances the world by one frame that took real time: as many fixed steps as became due,
// then the normal stages, once. The time may be zero and, if the host's clock went back, negative,
// which counts as zero. It panics if it is called by a system, while a query of the host's is open,
// or after World.Reset.
//
// A system's panic is passed on as a [*SystemPanic]. It ends the engine: further Updates panic with
// its text, and only Close may follow.
func (e *Engine) Update(real time.Duration) {
	e.mustBeOpen("Update")
	if e.broken != nil {
		panic("ecs: Update was called after the panic of a system; close the engine and make a new one with ecs.New: " + e.broken.summary())
	}
	if e.updating {
		panic("ecs: Update was called from inside Update; a system must not drive its own engine")
	}
	if !e.ownsWorld() {
		panic("ecs: " + resetWorld)
	}
	if e.world.IsLocked() {
		panic("ecs: Update was called while a query is open, which locks the world; iterate it to the end or call its Close")
	}
	e.updating = true
	e.begin()

	e.clock.begin(real)
	for e.clock.nextStep() {
		e.step()
	}
	e.despawn(VisualSync)
	e.runStage(VisualSync)
	e.runStage(NormalUpdate)
	e.runStage(Render)
	e.advise()
	e.clock.time.Frame++
	e.updating = false
}

func (e *Engine) step() {
	var start time.Duration
	if e.adaptive != nil {
		start = e.adaptive.now()
	}
	e.despawn(FixedUpdate)
	e.runStage(FixedUpdate)
	e.runStage(FixedEnd)
	if e.adaptive != nil {
		cost := e.adaptive.now() - start
		t := &e.clock.time
		if rate, change := e.adaptive.measured(cost, t.Scale*t.Stretch); change {
			e.clock.setRate(rate)
		}
	}
	e.clock.endStep()
}

// despawn carries out the calls of DespawnAfter that are due before a stage. It does so before a
// step too, so that the steps in which an entity takes part do not depend on the frames.
func (e *Engine) despawn(before Stage) {
	if e.commands.due() {
		e.call(&entry{system: (*despawns)(nil), stage: before}, "Update", e.commands.despawnDue)
	}
}

// despawns stands for [Commands.DespawnAfter] in the panic of a listener.
type despawns struct{ SystemFunc }

// Name names the system in panics.
func (*despawns) Name() string { return "DespawnAfter" }

func (e *Engine) begin() {
	if e.begun {
		return
	}
	e.begun = true
	// Initialize may add further systems; those are initialised by Add.
	for _, list := range e.stages {
		for _, en := range list {
			e.initialize(en)
		}
	}
}

func (e *Engine) runStage(stage Stage) {
	for _, en := range e.stages[stage] {
		if en.disabled || en.removed {
			continue
		}
		e.call(en, "Update", en.system.Update)
	}
}

func (e *Engine) initialize(en *entry) {
	if en.begun || en.removed {
		return
	}
	en.begun = true
	e.call(en, "Initialize", en.system.Initialize)
}

func (e *Engine) finalize(en *entry) {
	if !en.begun {
		return
	}
	en.begun = false
	e.call(en, "Finalize", en.system.Finalize)
}

// call runs one method of a system, wraps its panic, and carries out its commands.
func (e *Engine) call(en *entry, method string, run func(w *arche.World)) {
	locked := e.world.IsLocked()
	defer e.explain(en, method)
	// A system may add or remove another one, even with a query open. It closes the query itself,
	// and its commands wait until it has returned.
	inner := e.calling
	e.calling = true
	run(e.world)
	e.calling = inner
	if e.world.IsLocked() && !locked {
		panic("the system left a query open, which locks the world; iterate it to the end or call its Close")
	}
	if !inner && !locked { // a host may add or remove systems with a query of its own open, too
		e.commands.flush(e.world)
	}
}

// explain wraps the panic of a system, which ends the engine.
func (e *Engine) explain(en *entry, method string) {
	value := recover()
	if value == nil {
		return
	}
	p, inner := value.(*SystemPanic)
	if !inner {
		p = &SystemPanic{
			System: systemName(en.system),
			Stage:  en.stage,
			Method: method,
			Tick:   e.clock.time.Tick,
			Value:  value,
			Stack:  debug.Stack(),
			reset:  !e.ownsWorld(),
		}
	}
	if e.broken == nil {
		e.broken = p
	}
	e.updating, e.calling = false, false
	e.commands = Commands{engine: e} // half a list of edits is worse than none
	panic(p)
}

// Close finalises all systems, last added first within each stage, last stage first, and gives the
// world back: another engine may take it. Systems that were never initialised, because there was no
// Update, are not finalised either. A closed engine panics when used; closing it again does
// nothing. It panics if a system calls it in an Update.
func (e *Engine) Close() {
	if e.closed || e.closing {
		return
	}
	if e.updating {
		panic("ecs: Close was called from inside Update; close the engine after Update has returned")
	}
	e.closing = true
	defer func() { e.closing = false }() // a Finalize that panics leaves the rest to another Close
	for stage := len(e.stages) - 1; stage >= 0; stage-- {
		for _, en := range slices.Backward(e.stages[stage]) {
			e.finalize(en)
		}
	}
	e.closed = true
	if e.ownsWorld() {
		e.world.Resources().Remove(e.timeID)
		e.world.Resources().Remove(arche.ResourceID[Commands](e.world))
	}
}

// ownsWorld reports whether the world's resources are still this engine's. After a World.Reset
// there are none, or those of another engine.
func (e *Engine) ownsWorld() bool {
	t, _ := e.world.Resources().Get(e.timeID).(*Time)
	return t == &e.clock.time
}

func (e *Engine) mustBeOpen(what string) {
	if e.closed {
		panic("ecs: " + what + " was called on a closed engine; make a new one with ecs.New")
	}
}
