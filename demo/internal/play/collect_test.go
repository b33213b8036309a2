package play

import (
	"runtime/debug"
	"testing"
)

func TestCollectRarely(t *testing.T) {
	for _, test := range []struct {
		environment string
		want        int
	}{{"", 400}, {"70", 123}} {
		t.Setenv("GOGC", test.environment)
		first := debug.SetGCPercent(123)
		undo := collectRarely()
		during := debug.SetGCPercent(test.want)
		undo()
		after := debug.SetGCPercent(first)
		if during != test.want || after != 123 {
			t.Errorf("GOGC=%q: %d per cent of growth while serving, %d afterwards, want %d and 123", test.environment, during, after, test.want)
		}
	}
}
