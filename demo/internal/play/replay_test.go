package play

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// command runs a command of the demo without a window.
func command(t *testing.T, run func(context.Context, []string, *bytes.Buffer, *bytes.Buffer) error, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	err = run(t.Context(), args, &out, &said)
	return out.String(), said.String(), err
}

func duel(ctx context.Context, args []string, stdout, stderr *bytes.Buffer) error {
	return Duel(ctx, args, stdout, stderr)
}

func replayed(ctx context.Context, args []string, stdout, stderr *bytes.Buffer) error {
	return Replay(ctx, args, stdout, stderr)
}

// A recorded match is described and plays, from any moment and at any speed. A damaged file plays
// and says so, and files that are none say what is wrong.
func TestReplay(t *testing.T) {
	dir := t.TempDir()
	name, table := filepath.Join(dir, "match.replay"), filepath.Join(dir, "match.csv")
	out, _, err := command(t, duel, "-headless", "-seconds", "8", "-round", "0", "-fps", "30", "-skill", "hard", "-record", name)
	if err != nil || !strings.Contains(out, "wrote "+name+"\n") {
		t.Fatalf("%v\n%s", err, out)
	}

	info, _, err := command(t, replayed, name, "-info")
	for _, want := range []string{
		"game      Tandem arena ", ", recorded by the server\n", "length    0:08.0, 4", " ticks of 1/60 s\n", " MB a minute\n", "players   1, 2\n", "player 1 joins\n", "gaps      none\n",
	} {
		if !strings.Contains(info, want) {
			t.Errorf("%v: the description lacks %q:\n%s", err, want, info)
		}
	}
	if strings.Contains(info, "end ") {
		t.Errorf("the recording has no end:\n%s", info)
	}

	testKeysOfAReplay(t, name)

	// In a quarter of the speed 120 frames show half a second.
	out, said, err := command(t, replayed, "-at", "3s", "-speed", "0.25", "-follow", "2", "-headless", "-frames", "120", "-trace", table, name)
	if err != nil || said != "" || !strings.Contains(out, "the replay stands at 3.5 of 8.0 s") {
		t.Fatalf("%v\n%s%s", err, out, said)
	}
	rows, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]int{",player-1,": 120, ",player-2,": 120, ",crate-": 24 * 120, ",platform-": 3 * 120, ",me,": 0} {
		if n := strings.Count(string(rows), body); n != want {
			t.Errorf("%d rows of %s in 120 frames, want %d", n, body, want)
		}
	}

	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(data)
	damaged[len(damaged)/2] ^= 4
	write := func(file string, data []byte) string {
		file = filepath.Join(dir, file)
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	bad := write("bad.replay", damaged)
	out, said, err = command(t, replayed, bad, "-headless", "-paused=false", "-speed", "8")
	if err != nil || !strings.Contains(said, "bad.replay is damaged: ") || !strings.Contains(out, "the replay stands at 8.0 of 8.0 s") {
		t.Errorf("damaged: %v\n%s%s", err, out, said)
	}
	if out, _, err = command(t, replayed, bad, "-info"); err != nil || !strings.Contains(out, "gaps      1, of ") {
		t.Errorf("damaged: %v\n%s", err, out)
	}
	if out, _, err = command(t, replayed, write("cut.replay", data[:len(data)*3/4]), "-info"); err != nil || !strings.Contains(out, "end       missing") {
		t.Errorf("cut: %v\n%s", err, out)
	}

	other := filepath.Join(dir, "other.replay")
	file, err := replay.Create(other, replay.Info{Game: "chess\x1b[2J", Version: "7"})
	if err != nil {
		t.Fatal(err)
	}
	foreign(t, file)
	years := filepath.Join(dir, "years.replay")
	claimYears(t, name, years)
	if out, _, err := command(t, replayed, years, "-info"); err != nil || !strings.Contains(out, "length    555555:") {
		t.Errorf("a file that claims years: %v\n%s", err, out)
	}
	if out, _, err := command(t, replayed, years, "-headless", "-frames", "30", "-at", "9000h"); err != nil || !strings.Contains(out, "30 frames") {
		t.Errorf("a file that claims years: %v\n%s", err, out)
	}
	if _, _, err := command(t, replayed, years, "-headless"); err == nil || !strings.Contains(err.Error(), "long: say how much of it with -seconds") {
		t.Errorf("a file that claims years: %v", err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{write("notes.replay", []byte("this is a text, and much longer than a header"))}, "not a recording that this program can read: it does not begin with TANDEMRP"},
		{[]string{other}, `the recording of "chess\x1b[2J", version "7": `},
		{[]string{filepath.Join(dir, "none.replay")}, "no such file"},
		{[]string{name, "-at", "9s"}, "-at 9s: the recording is 8s long"},
		{[]string{name, "-record", name}, "this is a recording already"},
		{[]string{name, "-view", "up"}, "above, eyes or free"},
		{[]string{name, "more"}, `"more" is not a flag`},
		{nil, "name the file: go run ./demo replay FILE"},
	} {
		if _, _, err := command(t, replayed, append(test.args, "-headless", "-frames", "2")...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.args, err, test.want)
		}
	}
	if _, _, err := command(t, duel, "-headless", "-seconds", "1", "-record", filepath.Join(dir, "none", "a.replay")); err == nil || !strings.Contains(err.Error(), "-record: replay: open") {
		t.Errorf("a file in no folder: %v", err)
	}
}

// claimYears copies a recording, with its last frames two thousand million ticks later.
func claimYears(t *testing.T, from, to string) {
	t.Helper()
	tape, err := replay.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	file, err := replay.Create(to, tape.Info())
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Begin(tape.Info().Session); err != nil {
		t.Fatal(err)
	}
	keys := 0
	for c := tape.Cursor(); ; {
		f, ok := c.Next()
		if !ok {
			break
		}
		if f.Key {
			keys++
		}
		if keys > 2 {
			f.Tick = f.Tick.Add(2e9)
		}
		file.Add(f)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// foreign records another game.
func foreign(t *testing.T, file *replay.File) {
	t.Helper()
	if err := file.Begin(replay.Session{Kind: replay.Server, Rate: 60, Hello: []byte{1, 2, 3}}); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		file.Add(replay.Frame{Tick: netcode.Tick(i), Kind: replay.Snapshot, Key: i == 0, Number: 1, Data: []byte{0}})
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// The key shows the last seconds of a match again, in the place of its picture, while the match
// goes on without its player. It returns by itself, by the key, and to a match that has changed.
func TestAgain(t *testing.T) {
	o := options.NewMatch()
	o.Link.Seed = 1
	r, s := rateFlags{hz: 60, sendHz: 20, seed: 1}, serverFlags{crates: 6, maxPlayers: 2}
	c, err := openLocal(&r, &clientInputFlags{}, &s, o, 2, slog.New(slog.DiscardHandler), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	m := begin(c, o, io.Discard)
	defer m.Close()
	own := m.Clients()[0]
	advance := func(d time.Duration) {
		for ; d > 0; d -= frame {
			m.Advance(frame)
		}
	}
	act := func(a keys.Action) {
		t.Helper()
		if err := m.Act(a); err != nil {
			t.Fatal(err)
		}
	}
	x := func() float32 { return places(own)["me"][0] }
	advance(2 * time.Second)
	m.Event(render.Event{Kind: render.KeyPress, Key: 'D'}, render.Size{})
	advance(time.Second)
	ran := x()
	act(keys.Again)
	if info := m.Info(); !info.Replay || !info.Again {
		t.Fatalf("the key shows %+v", info)
	}
	tick := own.Rules().Rate
	before := c.Server.(*server).match.Server().Tick()
	advance(time.Second)
	if n := c.Server.(*server).match.Server().Tick().Sub(before); int(n) < tick-2 {
		t.Errorf("the match ran %d ticks in a second of the replay", n)
	}
	if still := x(); still-ran > 1 || ran-still > 1 {
		t.Errorf("the player ran on, from %v to %v", ran, still)
	}
	set := m.Settings()
	set.Paused, set.Speed, set.Ghosts = true, 0.25, true
	if err := m.Apply(set); err != nil {
		t.Fatal(err)
	}
	advance(12 * time.Second)
	if !m.Info().Replay || !m.Settings().Paused {
		t.Error("a pause has ended by itself")
	}
	act(keys.Again)
	if set := m.Settings(); m.Info().Replay || set.Paused || set.Speed != 1 || !set.Ghosts {
		t.Errorf("back in the match: %+v", set)
	}
	act(keys.Again)
	for n := 0; m.Info().Replay; n++ {
		if m.Advance(frame); n > 13*60 {
			t.Fatal("the replay has no end")
		}
	}
}
