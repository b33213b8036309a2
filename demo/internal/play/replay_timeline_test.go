package play

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/match"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// In a paused replay the key shows the timeline of the seconds before at once, also after a seek.
// The flag shows it from the start.
func TestTimelineOfAPausedReplay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "match.replay")
	if out, _, err := command(t, duel, "-headless", "-seconds", "12", "-round", "0", "-fps", "30", "-record", name); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tape, set := paused(t, name)
	m := played(t, tape, set, 10*time.Second)
	f := render.NewFrame(render.Daylight())
	drawn := func() int {
		m.Advance(frame)
		f.Begin(render.Size{Width: 1280, Height: 720})
		m.Draw(f, hud.Moment{Room: render.Whole()})
		return len(f.Overlay.Vertices()) / 4
	}
	plain := drawn()
	set.Timeline = true
	if err := m.Apply(set); err != nil {
		t.Fatal(err)
	}
	if n := drawn(); n < plain+1000 {
		t.Errorf("%d quadrilaterals at once, and %d without the timeline", n, plain)
	}
	if err := m.Act(keys.NextPlayer); err != nil {
		t.Fatal(err)
	}
	drawn()
	if n := drawn(); n < plain+1000 {
		t.Errorf("%d quadrilaterals of the next player, and %d without the timeline", n, plain)
	}
	r := m.Clients()[0].Net().Replay()
	r.Seek(9 * time.Second)
	if drawn(); r.At() != 9*time.Second {
		t.Fatalf("it shows %v", r.At())
	}
	if n := drawn(); n < plain+1000 {
		t.Errorf("%d quadrilaterals after a seek, and %d without the timeline", n, plain)
	}
	m = played(t, tape, set, 10*time.Second)
	if n := drawn(); n < plain+1000 {
		t.Errorf("%d quadrilaterals from the start, and %d without the timeline", n, plain)
	}
}

// paused opens a recording, and returns the settings of a pause.
func paused(t *testing.T, name string) (*replay.Tape, settings.Settings) {
	t.Helper()
	tape, err := replay.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tape.Close() })
	set := settings.Default()
	set.Paused = true
	return tape, set
}

// played plays a recording from a moment on.
func played(t *testing.T, tape *replay.Tape, set settings.Settings, at time.Duration) *match.Match {
	t.Helper()
	c, err := view.New(view.Config{Replay: tape, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	m := match.New(match.Config{Settings: set, Clients: []*view.Client{c}, At: at})
	t.Cleanup(m.Close)
	return m
}
