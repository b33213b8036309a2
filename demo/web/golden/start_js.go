package main

import (
	"fmt"
	"slices"
	"syscall/js"

	"github.com/tandem-ecs/tandem/demo/internal/app"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/window"
)

// start draws on the page's canvas what the page asks for: window.golden has the names of the
// pictures, and draw(name), which returns a promise of an error's text, or of an empty one.
func start() {
	win, err := window.Open(window.Config{Quality: render.QualityBalanced})
	if err != nil {
		panic(err)
	}
	type request struct {
		name string
		done js.Value
	}
	asked := make(chan request, 1)
	draw := js.FuncOf(func(_ js.Value, args []js.Value) any {
		ask := js.FuncOf(func(_ js.Value, settle []js.Value) any {
			asked <- request{args[0].String(), settle[0]}
			return nil
		})
		defer ask.Release()
		return js.Global().Get("Promise").New(ask)
	})
	pictures := app.Goldens()
	var names []any
	for _, p := range pictures {
		names = append(names, p.Name)
	}
	js.Global().Set("golden", map[string]any{"names": names, "draw": draw})
	for r := range asked {
		i := slices.IndexFunc(pictures, func(g app.Golden) bool { return g.Name == r.name })
		err := fmt.Errorf("there is no picture %s", r.name)
		if i >= 0 {
			err = pictures[i].Draw(win)
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		r.done.Invoke(text)
	}
}
