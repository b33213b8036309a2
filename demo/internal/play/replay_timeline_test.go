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
func TestTimelineOfAPausedReplay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "match.replay")
	if out, _, err := command(t, duel, "-headless", "-seconds", "12", "-round", "0", "-fps", "30", "-record", name); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tape, err := replay.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	c, err := view.New(view.Config{Replay: tape, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	set := settings.Default()
	set.Paused = true
	m := match.New(match.Config{Settings: set, Clients: []*view.Client{c}, At: 10 * time.Second})
	defer m.Close()
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
	c.Net().Replay().Seek(9 * time.Second)
	if drawn(); c.Net().Replay().At() != 9*time.Second {
		t.Fatalf("it shows %v", c.Net().Replay().At())
	}
	if n := drawn(); n < plain+1000 {
		t.Errorf("%d quadrilaterals after a seek, and %d without the timeline", n, plain)
	}
}
