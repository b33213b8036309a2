//go:build cgo

package window

import (
	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/tandem-ecs/tandem/render"
)

// Poll returns the next event of this frame, and false when there are no more. Call it in every
// frame until it returns false:
//
//	for e, ok := win.Poll(); ok; e, ok = win.Poll() {
//		...
//	}
func (w *Window) Poll() (render.Event, bool) {
	if !w.pumped {
		w.pumped = true
		w.events = w.events[:0]
		w.next = 0
		if w.minimised {
			glfw.WaitEventsTimeout(minimisedWait)
		} else {
			glfw.PollEvents()
		}
	}
	if w.next == len(w.events) {
		w.pumped = false
		return render.Event{}, false
	}
	w.next++
	return w.events[w.next-1], true
}

// Down reports whether a key is held down, as of the last Poll.
func (w *Window) Down(k render.Key) bool { return w.down[k] }

func (w *Window) push(e render.Event) { w.events = append(w.events, e) }

func (w *Window) listen() {
	w.window.SetKeyCallback(func(_ *glfw.Window, key glfw.Key, _ int, action glfw.Action, mods glfw.ModifierKey) {
		e := render.Event{Key: keyOf(key), Mods: modsOf(mods)}
		switch action {
		case glfw.Press:
			e.Kind = render.KeyPress
			w.down[e.Key] = true
		case glfw.Release:
			e.Kind = render.KeyRelease
			w.down[e.Key] = false
		default:
			e.Kind = render.KeyRepeat
		}
		w.mods = e.Mods
		w.push(e)
	})
	w.window.SetCharCallback(func(_ *glfw.Window, r rune) {
		w.push(render.Event{Kind: render.Char, Rune: r})
	})
	w.window.SetMouseButtonCallback(func(_ *glfw.Window, b glfw.MouseButton, action glfw.Action, mods glfw.ModifierKey) {
		e := render.Event{Kind: render.MousePress, Button: buttonOf(b), Mods: modsOf(mods), X: w.cursorX, Y: w.cursorY}
		if action == glfw.Release {
			e.Kind = render.MouseRelease
		}
		w.push(e)
	})
	w.window.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) {
		w.cursorX, w.cursorY = w.points(x, y)
		w.push(render.Event{Kind: render.MouseMove, X: w.cursorX, Y: w.cursorY, Mods: w.mods})
	})
	w.window.SetScrollCallback(func(_ *glfw.Window, x, y float64) {
		w.push(render.Event{Kind: render.Scroll, X: float32(x), Y: float32(y), Mods: w.mods})
	})
	w.window.SetFocusCallback(func(_ *glfw.Window, focused bool) {
		if !focused {
			clear(w.down) // GLFW has sent the releases
			w.mods = 0
		}
		w.push(render.Event{Kind: render.Focus, Focus: focused})
	})
	w.window.SetCloseCallback(func(*glfw.Window) {
		w.push(render.Event{Kind: render.CloseRequest})
	})
	w.window.SetIconifyCallback(func(_ *glfw.Window, iconified bool) {
		w.minimised = iconified
		w.resized()
	})
	w.window.SetFramebufferSizeCallback(func(*glfw.Window, int, int) { w.resized() })
	w.window.SetContentScaleCallback(func(*glfw.Window, float32, float32) { w.resized() })
}

func (w *Window) resized() {
	before := w.size
	w.measure()
	if w.size != before {
		w.push(render.Event{Kind: render.Resize, Size: w.size})
	}
}

// points converts a place in the window's screen coordinates to the overlay's points. Screen
// coordinates are pixels on some systems and points on others.
func (w *Window) points(x, y float64) (float32, float32) {
	width, height := w.window.GetSize()
	pw, ph := w.size.Points()
	if width == 0 || height == 0 {
		return float32(x), float32(y)
	}
	return float32(x) * pw / float32(width), float32(y) * ph / float32(height)
}

// modsOf converts modifier keys, which have the same bits in both packages.
func modsOf(m glfw.ModifierKey) render.Mods {
	return render.Mods(m) & (render.ModShift | render.ModControl | render.ModAlt | render.ModSuper)
}

// buttonOf converts a button. Both packages count left, right, middle from 0.
func buttonOf(b glfw.MouseButton) render.MouseButton {
	return min(render.MouseButton(b), render.MouseOther)
}

// keyOf converts a key of GLFW. Both packages give printable keys their ASCII codes, and the keys
// from Escape to End the same numbers. Digits and Enter of the number pad count as those of the
// main block. All other keys are [render.KeyUnknown].
func keyOf(k glfw.Key) render.Key {
	switch {
	case k >= glfw.KeySpace && k <= glfw.KeyGraveAccent, k >= glfw.KeyEscape && k <= glfw.KeyEnd:
		return render.Key(k)
	case k >= glfw.KeyF1 && k <= glfw.KeyF12:
		return render.KeyF1 + render.Key(k-glfw.KeyF1)
	case k >= glfw.KeyKP0 && k <= glfw.KeyKP9:
		return render.Key('0' + k - glfw.KeyKP0)
	case k >= glfw.KeyLeftShift && k <= glfw.KeyRightSuper: // four on the left, then on the right
		return render.KeyShift + render.Key(k-glfw.KeyLeftShift)%4
	case k == glfw.KeyPause:
		return render.KeyPause
	case k == glfw.KeyKPEnter:
		return render.KeyEnter
	case k == glfw.KeyKPAdd:
		return render.KeyPadAdd
	case k == glfw.KeyKPSubtract:
		return render.KeyPadSubtract
	}
	return render.KeyUnknown
}
