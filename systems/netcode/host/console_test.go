package host

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// talk lets a host without players run an input to its end, and returns the answers.
func talk(t *testing.T, in io.Reader) (answers string, quit bool) {
	t.Helper()
	var out strings.Builder
	h := serve(t, open(t, Config{}), nil).host
	h.Console(in, &out)
	for h.console != nil && !h.quit {
		h.obey()
	}
	return out.String(), h.quit
}

// A line that is too long is left out, an input that fails ends, and the operator is shown both
// errors. The lines after the first and before the second still run.
func TestConsoleGoesOn(t *testing.T) {
	long := "kick 1 " + strings.Repeat("x", maxLine)
	whole := "dance" + strings.Repeat(" ", maxLine-len("dance"))
	for _, test := range []struct {
		name, in string
		want     []string // of the answers, in this order
		quit     bool
	}{
		{"long, then another", long + "\nbans\n", []string{"more than 4096 bytes", "0 bans"}, false},
		{"very long, then another", strings.Repeat(long, 40) + "\nbans\n", []string{"more than 4096 bytes", "0 bans"}, false},
		{"as long as may be", whole + "\r\nbans\r\n", []string{`no command "dance"`, "0 bans"}, false},
		{"a byte longer", whole + " \nbans\n", []string{"more than 4096 bytes", "0 bans"}, false},
		{"long at the end", "bans\n" + long, []string{"0 bans", "more than 4096 bytes"}, false},
		{"without an end of line", "bans\nquit", []string{"0 bans"}, true},
		{"what comes after quit", "quit\nbans\n", nil, true},
		{"nothing", "", nil, false},
		{"empty lines", "\n\r\n  \nbans", []string{"0 bans"}, false},
	} {
		answers, quit := talk(t, strings.NewReader(test.in))
		at := 0
		for _, want := range test.want {
			i := strings.Index(answers[at:], want)
			if i < 0 {
				t.Errorf("%s: the answers are %q, want %q in them", test.name, answers, test.want)
				break
			}
			at += i + len(want)
		}
		if quit != test.quit || strings.Count(answers, "\n") != len(test.want) {
			t.Errorf("%s: quit is %v, and the answers are %q", test.name, quit, answers)
		}
	}
	if answers, _ := talk(t, io.MultiReader(strings.NewReader("bans\n"), iotest.ErrReader(errors.New("hung up")))); !strings.Contains(answers, "0 bans\n") || !strings.Contains(answers, "hung up") {
		t.Errorf("of an input that breaks the operator is told %q", answers)
	}
}

// An input without an end runs a few lines at a time, and the game continues between them.
func TestConsoleWithoutEnd(t *testing.T) {
	var out strings.Builder
	h := serve(t, open(t, Config{}), nil).host
	lines := make(chan consoleLine, 10*maxLines)
	for range cap(lines) {
		lines <- consoleLine{text: "bans"}
	}
	h.console = &console{lines, &out}
	h.obey()
	if n := strings.Count(out.String(), "0 bans"); n != maxLines {
		t.Errorf("%d lines were obeyed between two steps, want %d", n, maxLines)
	}
}
