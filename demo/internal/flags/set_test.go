package flags

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// The help of a command, and the errors for values that do not parse.
func TestHelpOfFlags(t *testing.T) {
	set := func() *Set {
		fs := New("some")
		fs.Duration("latency", 0, "simulated round-trip `time`")
		fs.Int("hz", 60, "steps per second, `10 to 240`")
		fs.Bool("predict", true, "simulate the own player at once")
		fs.Float64("loss", 0, "`share` that is lost")
		fs.Uint64("seed", 1, "of everything random")
		fs.String("a-flag-with-a-long-name", "", "a text that is "+strings.Repeat("rather ", 20)+"long")
		return fs
	}
	var out bytes.Buffer
	if err := set().Read([]string{"-h"}, &out, "Something.\n", "The end.\n"); !errors.Is(err, ErrHelp) {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Something.\n\nFlags\n  -a-flag",
		"\nThe end.\n",
		"  -latency TIME       simulated round-trip time\n",
		"  -hz N               steps per second, 10 to 240 (default 60)\n",
		"  -predict            simulate the own player at once (on; off with -predict=false)\n",
		"  -a-flag-with-a-long-name STRING\n                      a text that is rather",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help lacks %q:\n%s", want, &out)
		}
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if len(line) > helpWidth {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	for args, want := range map[string]string{
		"-nonsense":    "there is no flag -nonsense",
		"-latency":     "-latency needs a value",
		"-latency=5":   `-latency "5": it takes a time with its unit, such as 200ms`,
		"-hz=fast":     `-hz "fast": it takes a whole number`,
		"-loss=15%":    `-loss "15%": it takes a number such as 0.15`,
		"-seed=-1":     `-seed "-1": it takes a whole number, 0 or more`,
		"-predict=may": `-predict "may": it takes true or false, as -predict=false`,
	} {
		err := set().Read([]string{args}, &out, "", "")
		var usage *BadUsage
		if !errors.As(err, &usage) || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", args, err, want)
		}
	}
}
