package play

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/seat"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/remote"
)

// binding is a key of a player's window. The keys that are held down, to run and to aim, are read elsewhere and stand here for the help.
type binding struct {
	keys []render.Key
	cap  string
	text string
	flag string // the flag that does the same; "" where none does

	do     func(c *controls, index int)
	action action
}

// action is what a key asks of the window.
type action uint8

const (
	noAction action = iota
	quit
	fullscreen
	screenshot
	clip
	pushNow
)

// controls are what keys change.
type controls struct {
	on   seat.Switches
	link seat.Link
	help bool
}

func bindings() []binding {
	latencies := []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 350 * time.Millisecond, 500 * time.Millisecond}
	jitters := []time.Duration{0, 10 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond, 80 * time.Millisecond}
	losses := []float64{0, 0.02, 0.05, 0.15, 0.3, 0.5}
	return []binding{
		{cap: "W A S D", text: "run; the arrow keys do, too"},
		{cap: "Mouse", text: "aim, and shoot while its left button is down; the wheel zooms"},
		{cap: "Space", text: "jump"},
		{keys: []render.Key{'E'}, cap: "E", text: "push everything near away; the right button does, too", action: pushNow},
		{keys: []render.Key{'P'}, cap: "P", text: "prediction of the own player on, off", flag: "predict", do: func(c *controls, _ int) { c.on.Predict = !c.on.Predict }},
		{keys: []render.Key{'R'}, cap: "R", text: "reconciliation on, off", flag: "reconcile", do: func(c *controls, _ int) { c.on.Reconcile = !c.on.Reconcile }},
		{keys: []render.Key{'I', 'U'}, cap: "I U", text: "the next, the previous way to draw others between snapshots", flag: "kind",
			do: func(c *controls, i int) { c.on.Kind = neighbour(remote.Kinds(), c.on.Kind, i) }},
		{keys: []render.Key{'G'}, cap: "G", text: "ghosts: the newest state from the server", flag: "ghosts", do: func(c *controls, _ int) { c.on.Ghosts = !c.on.Ghosts }},
		{keys: []render.Key{'N'}, cap: "N", text: "graphs of the network", flag: "graphs", do: func(c *controls, _ int) { c.on.Graphs = !c.on.Graphs }},
		{keys: []render.Key{'O'}, cap: "O", text: "text and graphs", flag: "overlay", do: func(c *controls, _ int) { c.on.Overlay = !c.on.Overlay }},
		{keys: []render.Key{'C'}, cap: "C", text: "the camera follows, stands still", flag: "still", do: func(c *controls, _ int) { c.on.Still = !c.on.Still }},
		{keys: []render.Key{render.KeyRightBracket, render.KeyLeftBracket}, cap: "[ ]", text: "latency: 0, 50, 100, 200, 350, 500 ms", flag: "latency",
			do: func(c *controls, i int) { c.link.Latency = rung(latencies, c.link.Latency, i) }},
		{keys: []render.Key{render.KeyApostrophe, render.KeySemicolon}, cap: "; '", text: "jitter: 0, 10, 20, 40, 80 ms", flag: "jitter",
			do: func(c *controls, i int) { c.link.Jitter = rung(jitters, c.link.Jitter, i) }},
		{keys: []render.Key{render.KeyPeriod, render.KeyComma}, cap: ", .", text: "loss: 0, 2, 5, 15, 30, 50 %", flag: "loss",
			do: func(c *controls, i int) { c.link.Loss = rung(losses, c.link.Loss, i) }},
		{keys: []render.Key{'B'}, cap: "B", text: "losses in bursts", flag: "burst", do: func(c *controls, _ int) { c.link.Burst = !c.link.Burst }},
		{keys: []render.Key{render.KeyF12}, cap: "F12", text: "save a picture", flag: "screenshot", action: screenshot},
		{keys: []render.Key{render.KeyF10}, cap: "F10", text: "record a clip, and stop", flag: "record", action: clip},
		{keys: []render.Key{render.KeyF11, 'F'}, cap: "F F11", text: "full screen", action: fullscreen},
		{keys: []render.Key{'H', render.KeyF1}, cap: "H F1", text: "this panel", do: func(c *controls, _ int) { c.help = !c.help }},
		{keys: []render.Key{render.KeyEscape}, cap: "Esc", text: "leave the panel, leave the game", action: quit},
	}
}

// rung returns the next value of an ascending ladder, or with i = 1 the one before; it stops at the ends.
func rung[T ~int64 | ~float64](ladder []T, v T, i int) T {
	if i == 0 {
		for _, next := range ladder {
			if next > v {
				return next
			}
		}
		return v
	}
	for k := len(ladder) - 1; k >= 0; k-- {
		if ladder[k] < v {
			return ladder[k]
		}
	}
	return v
}

// neighbour goes round a list, backwards with i = 1.
func neighbour[T comparable](list []T, v T, i int) T {
	for k, at := range list {
		if at == v {
			if i == 0 {
				return list[(k+1)%len(list)]
			}
			return list[(k+len(list)-1)%len(list)]
		}
	}
	return list[0]
}

// press obeys a key.
func (c *controls) press(all []binding, key render.Key) action {
	if key == render.KeyEscape && c.help {
		c.help = false
		return noAction
	}
	for _, b := range all {
		for i, k := range b.keys {
			if k == key {
				if b.do != nil {
					b.do(c, i)
				}
				return b.action
			}
		}
	}
	return noAction
}

// describe says in words what a key has changed.
func describe(a, b controls) string {
	onOff := func(what string, on bool) string {
		if on {
			return what + " on"
		}
		return what + " off"
	}
	switch {
	case a.on.Predict != b.on.Predict:
		return onOff("prediction", b.on.Predict)
	case a.on.Reconcile != b.on.Reconcile:
		return onOff("reconciliation", b.on.Reconcile)
	case a.on.Kind != b.on.Kind:
		return "others: " + b.on.Kind.Display()
	case a.on.Ghosts != b.on.Ghosts:
		return onOff("ghosts", b.on.Ghosts)
	case a.on.Graphs != b.on.Graphs:
		return onOff("graphs", b.on.Graphs)
	case a.on.Overlay != b.on.Overlay:
		return onOff("overlay", b.on.Overlay)
	case a.on.Still != b.on.Still:
		if b.on.Still {
			return "the camera stands still"
		}
		return "the camera follows"
	case a.link != b.link:
		text := fmt.Sprintf("round trip %v ± %v, loss %.0f %%", b.link.Latency, b.link.Jitter, 100*b.link.Loss)
		if b.link.Burst {
			text += " in bursts"
		}
		return text
	}
	return ""
}
