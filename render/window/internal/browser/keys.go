// Package browser turns what a browser reports of keyboard, wheel and touches into the values of
// package render. It calls no browser, so its tests run anywhere.
package browser

import (
	"strings"
	"unicode/utf8"

	"github.com/tandem-ecs/tandem/render"
)

// named are the keys with names: the codes of KeyboardEvent, and the values of its key where those
// are the same. The standard: "UI Events KeyboardEvent code Values".
var named = map[string]render.Key{
	"Space": render.KeySpace, "Quote": render.KeyApostrophe, "Comma": render.KeyComma, "Minus": render.KeyMinus, "Period": render.KeyPeriod,
	"Slash": render.KeySlash, "Semicolon": render.KeySemicolon, "Equal": render.KeyEqual, "BracketLeft": render.KeyLeftBracket,
	"Backslash": render.KeyBackslash, "BracketRight": render.KeyRightBracket, "Backquote": render.KeyGrave,
	"Escape": render.KeyEscape, "Enter": render.KeyEnter, "Tab": render.KeyTab, "Backspace": render.KeyBackspace, "Insert": render.KeyInsert, "Delete": render.KeyDelete,
	"ArrowRight": render.KeyRight, "ArrowLeft": render.KeyLeft, "ArrowDown": render.KeyDown, "ArrowUp": render.KeyUp,
	"PageUp": render.KeyPageUp, "PageDown": render.KeyPageDown, "Home": render.KeyHome, "End": render.KeyEnd, "Pause": render.KeyPause,
	"ShiftLeft": render.KeyShift, "ShiftRight": render.KeyShift, "Shift": render.KeyShift,
	"ControlLeft": render.KeyControl, "ControlRight": render.KeyControl, "Control": render.KeyControl,
	"AltLeft": render.KeyAlt, "AltRight": render.KeyAlt, "Alt": render.KeyAlt,
	"MetaLeft": render.KeySuper, "MetaRight": render.KeySuper, "Meta": render.KeySuper,
	"NumpadAdd": render.KeyPadAdd, "NumpadSubtract": render.KeyPadSubtract, "NumpadEnter": render.KeyEnter,
	"F1": render.KeyF1, "F2": render.KeyF2, "F3": render.KeyF3, "F4": render.KeyF4, "F5": render.KeyF5, "F6": render.KeyF6,
	"F7": render.KeyF7, "F8": render.KeyF8, "F9": render.KeyF9, "F10": render.KeyF10, "F11": render.KeyF11, "F12": render.KeyF12,
}

// Key returns the key of a KeyboardEvent. The code is the key's place, as on a US keyboard. Screen
// keyboards leave it empty: then the key counts, which is the character or the name.
func Key(code, key string) render.Key {
	if k, ok := named[code]; ok {
		return k
	}
	for _, prefix := range [...]string{"Key", "Digit", "Numpad"} {
		if c, ok := strings.CutPrefix(code, prefix); ok && len(c) == 1 && (c[0] >= 'A' && c[0] <= 'Z' || c[0] >= '0' && c[0] <= '9') {
			return render.Key(c[0])
		}
	}
	if code != "" && code != "Unidentified" {
		return render.KeyUnknown
	}
	if k, ok := named[key]; ok {
		return k
	}
	if r, size := utf8.DecodeRuneInString(key); size == len(key) && r >= ' ' && r < 0x7f {
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		return render.Key(r)
	}
	return render.KeyUnknown
}

// Rune returns the character of a KeyboardEvent's key, and false for a key with a name.
func Rune(key string) (rune, bool) {
	r, size := utf8.DecodeRuneInString(key)
	return r, size > 0 && size == len(key) && r >= ' '
}

// Claimed reports whether a window takes a key from the browser, which would scroll, search or move
// the focus by it.
func Claimed(k render.Key) bool {
	switch k {
	case render.KeySpace, render.KeyTab, render.KeyBackspace, render.KeyRight, render.KeyLeft, render.KeyDown, render.KeyUp,
		render.KeyPageUp, render.KeyPageDown, render.KeyHome, render.KeyEnd, render.KeyApostrophe, render.KeySlash, render.KeyAlt,
		render.KeyF1, render.KeyF2, render.KeyF3, render.KeyF4, render.KeyF10:
		return true
	}
	return false
}

// Steps returns the steps of a wheel that a WheelEvent's delta means, upwards positive. mode is its
// deltaMode. A pinch on a touch pad is reported as a wheel with the Control key held.
func Steps(delta float64, mode int, pinch bool) float32 {
	const pixels, lines, pixelsOfPinch = 100, 3, 10 // of a step
	switch {
	case mode == 2: // pages
		return float32(-delta)
	case mode == 1:
		return float32(-delta / lines)
	case pinch:
		return float32(-delta / pixelsOfPinch)
	}
	return float32(-delta / pixels)
}
