//go:build cgo && linux

package window

import (
	"errors"
	"fmt"
	"os/exec"

	"github.com/tandem-ecs/tandem/render"
)

func keyboard(w *Window) error {
	if _, err := exec.LookPath("xdotool"); err != nil {
		return nil
	}
	for _, test := range []struct {
		keys string
		key  render.Key
		mods render.Mods
		char rune
	}{
		{"a", 'A', 0, 'a'}, {"shift+b", 'B', render.ModShift, 'B'}, {"ctrl+s", 'S', render.ModControl, 0}, {"space", render.KeySpace, 0, ' '}, {"F1", render.KeyF1, 0, 0},
		{"Up", render.KeyUp, 0, 0}, {"bracketleft", render.KeyLeftBracket, 0, '['}, {"Escape", render.KeyEscape, 0, 0}, {"KP_Add", render.KeyPadAdd, 0, '+'}, {"5", '5', 0, '5'},
	} {
		if err := xdotool("key", test.keys); err != nil {
			return err
		}
		e, err := waitFor(w, "pressing "+test.keys, func(e render.Event) bool { return e.Kind == render.KeyPress && e.Key == test.key })
		if err != nil {
			return err
		}
		if e.Mods != test.mods {
			return fmt.Errorf("%s: modifiers %b, want %b", test.keys, e.Mods, test.mods)
		}
		if test.char != 0 {
			if _, err := waitFor(w, "the character of "+test.keys, func(e render.Event) bool { return e.Kind == render.Char && e.Rune == test.char }); err != nil {
				return err
			}
		}
		if _, err := waitFor(w, "releasing "+test.keys, func(e render.Event) bool { return e.Kind == render.KeyRelease && e.Key == test.key }); err != nil {
			return err
		}
	}
	if err := xdotool("keydown", "w"); err != nil {
		return err
	}
	if _, err := waitFor(w, "holding w", func(e render.Event) bool { return e.Kind == render.KeyPress && e.Key == 'W' }); err != nil {
		return err
	}
	if !w.Down('W') || w.Down('Q') {
		return errors.New("Down does not say which key is held")
	}
	if err := xdotool("keyup", "w"); err != nil {
		return err
	}
	_, err := waitFor(w, "releasing w", func(e render.Event) bool { return e.Kind == render.KeyRelease && e.Key == 'W' })
	if err == nil && w.Down('W') {
		return errors.New("Down reports a key that was released")
	}
	return err
}

func mouse(w *Window) error {
	if _, err := exec.LookPath("xdotool"); err != nil {
		return nil
	}
	x, y := w.window.GetPos()
	at := func(dx, dy int) []string { return []string{"mousemove", fmt.Sprint(x + dx), fmt.Sprint(y + dy)} }
	if err := xdotool(at(100, 50)...); err != nil {
		return err
	}
	if _, err := waitFor(w, "moving to 100, 50", func(e render.Event) bool { return e.Kind == render.MouseMove && e.X == 100 && e.Y == 50 }); err != nil {
		return err
	}
	for button, want := range map[string]render.MouseButton{"1": render.MouseLeft, "2": render.MouseMiddle, "3": render.MouseRight} {
		if err := xdotool("click", button); err != nil {
			return err
		}
		for _, kind := range []render.EventKind{render.MousePress, render.MouseRelease} {
			e, err := waitFor(w, "clicking", func(e render.Event) bool { return e.Kind == kind })
			if err != nil {
				return err
			}
			if e.Button != want || e.X != 100 || e.Y != 50 {
				return fmt.Errorf("button %s: %+v", button, e)
			}
		}
	}
	if err := xdotool("click", "4"); err != nil { // the wheel, upwards
		return err
	}
	_, err := waitFor(w, "turning the wheel", func(e render.Event) bool { return e.Kind == render.Scroll && e.Y == 1 })
	return err
}
