package page

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall/js"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/app"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render/window"
)

// Arena opens a match on the server of the page, for the link whose part behind the # is the token.
// State adds to what tests read.
type Arena func(o *options.Options, token string) (content app.Content, state func(map[string]any), err error)

// Replay shows a recorded match.
type Replay func(o *options.Options, data []byte) (app.Content, error)

// Main runs what the page's address asks for, and returns at its end. arena and replay are nil for
// a page of scenes alone.
func Main(arena Arena, replay Replay) {
	// The heap of a page is small. At the usual 100 percent a collection, which shares the one
	// thread with the frames, comes so often that it takes a tenth of the time of scene physics.
	debug.SetGCPercent(400)
	text, err := run(arena, replay)
	if err != nil {
		text = err.Error()
	}
	detail := map[string]any{"detail": map[string]any{"error": err != nil, "text": text}}
	js.Global().Get("document").Call("dispatchEvent", js.Global().Get("CustomEvent").New("tandem", detail))
}

func run(arena Arena, replay Replay) (end string, err error) {
	location := js.Global().Get("location")
	token := strings.TrimPrefix(location.Get("hash").String(), "#")
	if token != "" && arena == nil {
		return "", errors.New("this address is a link to a match, but this page has scenes only: open the link that the server printed")
	}
	o, err := options.ParsePage(parameters(location), token != "")
	if err != nil {
		return "", fmt.Errorf("the page's address: %w", err)
	}
	var open func(settings.Settings) (app.Content, error)
	more := func(map[string]any) {}
	if token != "" {
		open = func(set settings.Settings) (app.Content, error) {
			o.Settings = set
			content, state, err := arena(&o, token)
			if err == nil {
				more = state
			}
			return content, err
		}
	}
	if o.Recording != "" {
		if replay == nil {
			return "", errors.New("this page has scenes only: a replay opens in the page of a server")
		}
		data, err := download(location, o.Recording)
		if err != nil {
			return "", fmt.Errorf("the recording %s: %w", o.Recording, err)
		}
		open = func(set settings.Settings) (app.Content, error) {
			o.Settings = set
			return replay(&o, data)
		}
	}
	r := app.New(&o, os.Stdout, os.Stderr, open)
	r.Touch = js.Global().Call("matchMedia", "(pointer: coarse)").Get("matches").Bool()
	if replay != nil {
		defer acceptFiles(r, replay)()
	}
	defer expose(r, func(s map[string]any) { more(s) })()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// A page that is left says so to the server: the hidden page's loop ends.
	leave := js.FuncOf(func(js.Value, []js.Value) any {
		cancel()
		return nil
	})
	defer leave.Release()
	js.Global().Call("addEventListener", "pagehide", leave)
	defer js.Global().Call("removeEventListener", "pagehide", leave)
	switch err := r.Window(ctx); {
	case errors.Is(err, window.ErrNoOpenGL):
		return "", errors.New("this browser has no WebGL2: update it, or switch on hardware acceleration in its settings")
	case err != nil:
		return "", err
	}
	return "The demo has ended.", nil
}

// parameters returns the names and values of the address's query.
func parameters(location js.Value) (all [][2]string) {
	list := js.Global().Get("Array").Call("from", js.Global().Get("URLSearchParams").New(location.Get("search")))
	for i := range list.Length() {
		all = append(all, [2]string{list.Index(i).Index(0).String(), list.Index(i).Index(1).String()})
	}
	return all
}

// expose makes the hook for tests, and returns a function that removes it. Browsers call it between
// two frames.
func expose(r *app.Run, more func(map[string]any)) (remove func()) {
	state := js.FuncOf(func(js.Value, []js.Value) any {
		s, ok := r.State()
		if !ok {
			return map[string]any{"frames": 0}
		}
		set := s.Settings
		all := map[string]any{
			"scene": set.Scene, "frames": s.Frames, "rate": set.Rate, "speed": set.Speed, "paused": set.Paused,
			"update": milliseconds(s.Cost.Update), "draw": milliseconds(s.Cost.Draw), "steps": s.Steps,
			"summary": s.Summary,
		}
		more(all)
		return all
	})
	js.Global().Set("tandem", map[string]any{"state": state})
	return func() {
		js.Global().Delete("tandem")
		state.Release()
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
