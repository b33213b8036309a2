package render

import "testing"

// Most colour-blind people confuse red and green, and all of these see blue: what is good and what
// is bad differ by it.
func TestGoodAndBadDifferByBlue(t *testing.T) {
	apart := func(a, b Color) int { return max(int(a.B)-int(b.B), int(b.B)-int(a.B)) }
	for name, theme := range map[string]Theme{"daylight": Daylight(), "dusk": Dusk()} {
		if d := apart(theme.Good, theme.Bad); d < 128 {
			t.Errorf("%s: the blue of Good and Bad differs by %d of 255, want 128", name, d)
		}
	}
	if apart(Hex(0x7ccf8f), Hex(0xf08066)) >= 128 {
		t.Error("green and salmon, as they were, count as different")
	}
}
