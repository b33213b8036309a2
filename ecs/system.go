package ecs

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"

	arche "github.com/mlange-42/arche/ecs"
)

// System is a piece of a stage's work. It has the methods of arche-model's systems, so those fit.
//
// Initialize is called once, before the first Update: when the engine first updates, or at once
// when the system is added later. Finalize is called by [Engine.Remove] and [Engine.Close], once,
// if Initialize was.
//
// Systems are compared by ==: pass a pointer to be able to remove or disable one. Panics name a
// system by its method Name() string if it has one, otherwise by its type, and a [SystemFunc] by
// its function too.
type System interface {
	// Initialize prepares the system: filters, resources. It may change the world's structure.
	Initialize(w *arche.World)
	// Update does its share of the stage. It must close every query that it opens.
	Update(w *arche.World)
	// Finalize releases the resources of the system.
	Finalize(w *arche.World)
}

// SystemFunc is a system that consists of its Update. Functions cannot be compared, so it can be
// neither removed nor disabled; use a pointer type of your own for that.
type SystemFunc func(w *arche.World)

// Initialize does nothing.
func (f SystemFunc) Initialize(*arche.World) {}

// Update calls f.
func (f SystemFunc) Update(w *arche.World) { f(w) }

// Finalize does nothing.
func (f SystemFunc) Finalize(*arche.World) {}

// namer may be implemented by a system that is to have another name than its type's in a panic.
type namer interface{ Name() string }

func systemName(s System) string {
	if n, ok := s.(namer); ok {
		return n.Name()
	}
	if f, ok := s.(SystemFunc); ok && f != nil {
		if function := runtime.FuncForPC(reflect.ValueOf(f).Pointer()); function != nil {
			// -fm: the value of a method
			return fmt.Sprintf("%T %s", s, strings.TrimSuffix(function.Name(), "-fm"))
		}
	}
	return fmt.Sprintf("%T", s)
}

// SystemPanic is the value of [Engine.Update]'s panic when a system panics: the original value and
// the place where it happened.
type SystemPanic struct {
	System string // the system's name
	Stage  Stage  // in which it runs
	Method string // Initialize, Update or Finalize
	Tick   uint64 // [Time.Tick] at that moment
	Value  any    // the value of the system's panic
	Stack  []byte // the stack of the original panic
	reset  bool   // the world has lost the engine's resources
}

// lockedWorld is arche's panic when the world's structure is to be changed while a query is open.
// It names no remedy.
const lockedWorld = "attempt to modify a locked world"

// resetWorld says why the engine's resources are gone, with the remedy.
const resetWorld = "the world has lost the resources of its engine, as by World.Reset: close the engine before that and make a new one after it, or empty the world by " +
	"World.Batch().RemoveEntities"

// Error makes the panic readable; the stack is part of it, because the re-panic would lose it
// otherwise.
func (p *SystemPanic) Error() string { return fmt.Sprintf("ecs: %s\n\n%s", p.summary(), p.Stack) }

// summary returns the text of Error before the stack.
func (p *SystemPanic) summary() string {
	remedy := ""
	switch {
	case p.reset:
		remedy = "; " + resetWorld
	case p.Value == lockedWorld:
		remedy = "; a query is open: give the edit to ecs.Commands, or make it when the query has come to its end"
	}
	return fmt.Sprintf("system %s panicked in %s of %s at tick %d: %v%s", p.System, p.Method, p.Stage, p.Tick, p.Value, remedy)
}

// Unwrap returns the original value if that was an error.
func (p *SystemPanic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
