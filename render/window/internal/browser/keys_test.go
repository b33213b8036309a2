package browser

import (
	"math"
	"testing"

	"github.com/tandem-ecs/tandem/render"
)

func TestKey(t *testing.T) {
	for _, c := range []struct {
		code, key string
		want      render.Key
	}{
		{"KeyW", "w", 'W'},
		{"KeyW", "z", 'W'}, // a French keyboard: the place counts
		{"Digit7", "&", '7'},
		{"Numpad7", "7", '7'},
		{"Numpad7", "Home", '7'},
		{"NumpadEnter", "Enter", render.KeyEnter},
		{"NumpadAdd", "+", render.KeyPadAdd},
		{"NumpadMultiply", "*", render.KeyUnknown},
		{"Space", " ", render.KeySpace},
		{"Slash", "-", render.KeySlash},
		{"ArrowUp", "ArrowUp", render.KeyUp},
		{"ShiftRight", "Shift", render.KeyShift},
		{"F11", "F11", render.KeyF11},
		{"IntlBackslash", "<", render.KeyUnknown},
		{"Keyw", "w", render.KeyUnknown},
		// Screen keyboards.
		{"", "w", 'W'}, {"", "W", 'W'}, {"", "7", '7'}, {"", " ", ' '}, {"", "Enter", render.KeyEnter},
		{"Unidentified", "Backspace", render.KeyBackspace},
		{"", "ä", render.KeyUnknown}, {"", "Unidentified", render.KeyUnknown}, {"", "", render.KeyUnknown}, {"", "\xff", render.KeyUnknown},
	} {
		if got := Key(c.code, c.key); got != c.want {
			t.Errorf("Key(%q, %q) = %v, want %v", c.code, c.key, got, c.want)
		}
	}
}

// Every key that has a name in package render can be pressed in a browser.
func TestAllKeys(t *testing.T) {
	reached := map[render.Key]bool{}
	for _, k := range named {
		reached[k] = true
	}
	for k := render.KeyEscape; k <= render.KeyF12; k++ {
		if !reached[k] {
			t.Errorf("no code gives %v", k)
		}
	}
	for k := render.KeySpace; k <= render.KeyGrave; k++ {
		if printed := Key("", string(rune(k))); printed != k {
			t.Errorf("the character of %v gives %v", k, printed)
		}
	}
}

func TestRune(t *testing.T) {
	for key, want := range map[string]rune{"a": 'a', "Ä": 'Ä', "€": '€', " ": ' ', "Enter": 0, "F1": 0, "": 0, "\t": 0} {
		if r, ok := Rune(key); ok != (want != 0) || ok && r != want {
			t.Errorf("Rune(%q) = %q, %v", key, r, ok)
		}
	}
}

// The browser keeps the keys that a page must not take.
func TestClaimed(t *testing.T) {
	for _, k := range []render.Key{render.KeySpace, render.KeyTab, render.KeyUp, render.KeySlash} {
		if !Claimed(k) {
			t.Errorf("the browser would use %v", k)
		}
	}
	for _, k := range []render.Key{render.KeyF5, render.KeyF11, render.KeyF12, render.KeyEscape, 'W'} {
		if Claimed(k) {
			t.Errorf("the page takes %v", k)
		}
	}
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		delta float64
		mode  int
		pinch bool
		want  float32
	}{{-100, 0, false, 1}, {250, 0, false, -2.5}, {-3, 1, false, 1}, {1, 2, false, -1}, {-10, 0, true, 1}, {-3, 1, true, 1}} {
		if got := Steps(c.delta, c.mode, c.pinch); math.Abs(float64(got-c.want)) > 1e-6 {
			t.Errorf("Steps(%v, %d, %v) = %v, want %v", c.delta, c.mode, c.pinch, got, c.want)
		}
	}
}
