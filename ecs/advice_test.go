package ecs_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/ecs"
)

// needy is a component that advises as long as entities have it.
type needy struct{ X float32 }

func (needy) Advise(w *arche.World) string {
	filter := arche.All(arche.ComponentID[needy](w))
	query := w.Query(&filter)
	defer query.Close()
	if query.Count() == 0 {
		return ""
	}
	return "install the plugin of needy components"
}

// An engine logs the advice of a component type once, also for entities that come in the first
// frames.
func TestAdviceIsLoggedOnce(t *testing.T) {
	for _, spawned := range []int{0, 5, 40} {
		var log bytes.Buffer
		e := newEngine(t, ecs.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
		all := generic.NewMap1[needy](e.World())
		for frame := range 100 {
			if frame == spawned {
				all.New()
			}
			if e.Update(0); frame < spawned && log.Len() > 0 {
				t.Fatalf("frame %d logs %q before there are entities", frame, log.String())
			}
		}
		if n := strings.Count(log.String(), "install the plugin of needy components"); n != 1 {
			t.Errorf("entities of frame %d: the advice was logged %d times", spawned, n)
		}
	}
}

// A name that Config.Log has is in the engine's lines.
func TestAdviceNamesItsEngine(t *testing.T) {
	var log bytes.Buffer
	all := slog.New(slog.NewTextHandler(&log, nil))
	for _, name := range []string{"server", "client"} {
		e := newEngine(t, ecs.Config{Log: all.With("engine", name)})
		needies := generic.NewMap1[needy](e.World())
		needies.New()
		for range 100 {
			e.Update(0)
		}
		if !strings.Contains(log.String(), "install the plugin of needy components\" engine="+name) {
			t.Errorf("the lines do not name the engine %s: %q", name, log.String())
		}
	}
}
