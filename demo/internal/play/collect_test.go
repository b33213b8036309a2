package play

import (
	"bytes"
	"io"
	"runtime/debug"
	"testing"
)

// collected notes the garbage collector's goal when a server says that it is done.
type collected struct{ percent int }

func (c *collected) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte("msg=done")) {
		c.percent = debug.SetGCPercent(1)
		debug.SetGCPercent(c.percent)
	}
	return len(text), nil
}

func TestCollectRarely(t *testing.T) {
	for _, test := range []struct {
		environment string
		want        int
	}{{"", 400}, {"70", 123}} {
		t.Setenv("GOGC", test.environment)
		first := debug.SetGCPercent(123)
		var during collected
		err := Server(t.Context(), []string{"-listen", "127.0.0.1:0", "-console=false", "-crates", "0", "-seconds", "0.01"}, io.Discard, &during)
		after := debug.SetGCPercent(first)
		if err != nil || during.percent != test.want || after != 123 {
			t.Errorf("GOGC=%q: %d per cent of growth while serving, %d afterwards, want %d and 123; %v", test.environment, during.percent, after, test.want, err)
		}
	}
}
