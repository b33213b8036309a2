package warn_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/warn"
)

// There is one line a minute, and the next one has the number of those that were withheld.
func TestOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, nil))
		var w, other warn.Warning
		for range 5 {
			w.Log(log, "refused", "page", "a")
		}
		other.Log(log, "unreadable")
		time.Sleep(warn.Interval - time.Nanosecond)
		w.Log(log, "refused", "page", "b")
		time.Sleep(time.Nanosecond)
		w.Log(log, "refused", "page", "c")
		time.Sleep(warn.Interval)
		w.Log(log, "refused", "page", "d")
		var got []string
		for line := range strings.Lines(out.String()) {
			_, line, _ = strings.Cut(strings.TrimSpace(line), " ") // behind the time
			got = append(got, line)
		}
		want := "level=WARN msg=refused page=a|level=WARN msg=unreadable|level=WARN msg=refused page=c withheld=5|level=WARN msg=refused page=d"
		if strings.Join(got, "|") != want {
			t.Errorf("the log is\n%s", out.String())
		}
	})
}

// Whatever a stranger has written, a line of the log shows it in a few printable characters.
func TestTextIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 1000), func(b []byte) string { return string(b) })).Draw(t, "text")
		got := warn.Text(text)
		if strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r > '~' }) || len(got) > 2100 {
			t.Fatalf("%q is shown as %q", text, got)
		}
	})
	for text, want := range map[string]string{
		"https://play.example.org": "https://play.example.org", "a\nlevel=ERROR": `a\nlevel=ERROR`, "\x1b[2J": `\x1b[2J`,
		strings.Repeat("a", 201): strings.Repeat("a", 200) + "...",
	} {
		if got := warn.Text(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
