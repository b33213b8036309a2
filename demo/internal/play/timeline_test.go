package play

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/match"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// A player of the arena is captured. The command runs the capture again, bit for bit, with the same
// timeline, and writes what it tells. A wrong name of a body lists those that there are.
func TestTimelineOfACapture(t *testing.T) {
	name := filepath.Join(t.TempDir(), "my.capture")
	capture := captureFlag{name: name}
	file, err := capture.create()
	if err != nil {
		t.Fatal(err)
	}
	v := newVirtual(t, nil)
	v.join(seed(2), view.NewBot(8))
	a, err := view.New(view.Config{
		Dial: func() (transport.Conn, error) { return v.dial(), nil }, Link: seed(1), Controller: view.NewBot(7), Name: "Ada", Capture: file,
	})
	if err != nil {
		t.Fatal(err)
	}
	v.clients = append(v.clients, a)
	live := timeline.New(1 << 15)
	a.Net().Watch(live)
	v.run(6*time.Second, nil)
	if n := a.Net().Stats().Snapshots; n < 80 {
		t.Fatalf("%d snapshots", n)
	}
	a.Close()
	var said bytes.Buffer
	if capture.close(&said); said.Len() > 0 {
		t.Fatal(said.String())
	}

	tape, err := replay.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	log, different, err := bodyTimeline(context.Background(), tape, ownBody)
	if err != nil || different != nil {
		t.Fatal(err, different)
	}
	got, want := slices.Collect(log.Events()), slices.Collect(live.Events())
	if len(want) < 1000 || len(got) < len(want)-2 { // the last ones are of Close
		t.Errorf("%d events of %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("event %d is %+v, want %+v", i, got[i], want[i])
		}
	}

	command := func(args ...string) (string, error) {
		said.Reset()
		err := Timeline(context.Background(), append([]string{name}, args...), &said, io.Discard)
		return said.String(), err
	}
	text, err := command("-body", "player-1", "-from", "2s", "-to", "5s")
	for _, part := range []string{"player-1, 2.0 to 5.0 s", "\nline\n", "\nplayer-1\n", "sample", "lost", "\nown player\n"} {
		if err != nil || !strings.Contains(text, part) {
			t.Errorf("it says %q, which lacks %q: %v", text, part, err)
		}
	}
	for _, ext := range []string{".json", ".html"} {
		to := filepath.Join(t.TempDir(), "why"+ext)
		if text, err := command("-o", to); err != nil || !strings.Contains(text, "wrote "+to) {
			t.Errorf("it says %q: %v", text, err)
		}
		if b, err := os.ReadFile(to); err != nil || len(b) < 10_000 {
			t.Errorf("%s has %d bytes: %v", to, len(b), err)
		}
	}
	if _, err := command("-body", "player-9"); err == nil || !strings.Contains(err.Error(), "there are door-1") || !strings.Contains(err.Error(), "own, platform-1, platform-2, platform-3, player-1, player-2") {
		t.Errorf("of a wrong name it says: %v", err)
	}
	for _, args := range [][]string{{"-o", "why.txt"}, {"-from", "3s", "-to", "2s"}, {"-from", "1h"}} {
		if _, err := command(args...); err == nil {
			t.Errorf("%v are taken", args)
		}
	}
}

// A command captures its first match. Another one, after the user has looked at a scene, leaves the
// file as it is. A capture does not play as a recorded match, and the command says which one takes
// it.
func TestCaptureOfTheFirstMatch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "my.capture")
	input, o := clientInputFlags{capture: captureFlag{name: name}}, options.NewMatch()
	r, s := rateFlags{hz: 60, sendHz: 20, seed: 1}, serverFlags{crates: 6, maxPlayers: 2}
	var matches []*match.Match
	for n := range 2 { // the second begins before the first has ended, as in the demo
		c, err := openLocal(&r, &input, &s, o, 1, slog.New(slog.DiscardHandler), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		c.Log, c.Drain = io.Discard, func() { input.capture.close(os.Stderr) }
		m := match.New(c)
		for range 60 * (2 - n) {
			m.Advance(time.Second / 60)
		}
		matches = append(matches, m)
	}
	for _, m := range matches {
		m.Close()
	}
	tape, err := replay.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	if l := tape.Length(); !tape.Closed() || tape.Info().Kind != replay.Exact || l < 1800*time.Millisecond {
		t.Errorf("a capture of %v, complete: %v", l, tape.Closed())
	}
	_, _, err = command(t, replayed, name, "-headless", "-frames", "2")
	if err == nil || !strings.Contains(err.Error(), "my.capture: this is a capture of a client") || !strings.Contains(err.Error(), "demo timeline FILE") {
		t.Errorf("the command replay says: %v", err)
	}
	if info, _, err := command(t, replayed, name, "-info"); err != nil || !strings.Contains(info, "a capture of a client, for demo timeline FILE") {
		t.Errorf("%v; it is described as:\n%s", err, info)
	}
}
