package app

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render"
)

func TestPace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	set := settings.Default()
	for _, test := range []struct {
		cap      int
		jitter   float64
		from, to float64
	}{
		{0, 0, 0, 0}, {60, 0, 59.999, 60.001}, {20, 0.5, 20 / 1.5, 20 / 0.5}, {0, 0.9, windowCap / 1.9, windowCap / 0.099},
	} {
		set.Cap, set.FrameJitter = test.cap, test.jitter
		low, high := 1e9, 0.0
		for range 1000 {
			rate := pace(set, random)
			low, high = min(low, rate), max(high, rate)
		}
		if low < test.from || high > test.to {
			t.Errorf("cap %d, jitter %v: %v to %v frames per second, want within %v to %v", test.cap, test.jitter, low, high, test.from, test.to)
		}
		if test.jitter > 0 && high < 1.5*low {
			t.Errorf("cap %d, jitter %v: %v to %v frames per second hardly differ", test.cap, test.jitter, low, high)
		}
	}
}

// A scene that comes after a match has snapshots in its link, and its own rate unless one was
// chosen.
func TestEnterFromAMatch(t *testing.T) {
	l := loop{Run: New(&options.Options{}, nil, nil, nil)}
	for _, chosen := range []bool{false, true} {
		l.rateChosen = chosen
		set := settings.Default()
		set.Scene, set.Rate, set.Entities, set.Link.SendRate = "lab", 13, 5, 0
		l.enter(&set)
		if want := map[bool]int{true: 13}[chosen]; set.Rate != want || set.Link != settings.DefaultLink() || set.Entities != 0 {
			t.Errorf("rate chosen: %v: %+v", chosen, set)
		}
	}
}

// droppedReplay stands for a replay.
type droppedReplay struct {
	Content
	closed *int
}

func (d droppedReplay) Info() scene.Info            { return scene.Info{Match: true, Replay: true} }
func (d droppedReplay) Settings() settings.Settings { return settings.Settings{Scene: settings.Arena} }
func (d droppedReplay) Close()                      { *d.closed++ }

// Escape leaves a replay that was dropped on a page, also the second one: the scene that was there
// before comes back, with its keys.
func TestLeaveADroppedReplay(t *testing.T) {
	set := settings.Default()
	set.Scene = "lab"
	clock := &simulation.VirtualClock{}
	content, err := newScene(set, clock)
	if err != nil {
		t.Fatal(err)
	}
	l := loop{Run: New(&options.Options{}, io.Discard, io.Discard, nil), content: content, clock: clock}
	l.show = NewShow(content, []string{"orbits", "lab"}, nil)
	closed := 0
	for range 2 {
		l.replace(offer{content: droppedReplay{closed: &closed}})
		if now := l.show.Settings(); now.Scene != settings.Arena {
			t.Fatalf("the replay is not shown: %+v", now)
		}
	}
	now := l.show.Settings()
	b, ok := keys.Apply(l.show.groups, &now, render.KeyEscape, 0)
	if !ok || b.Action != keys.Leave {
		t.Fatalf("Escape is %+v", b)
	}
	if err := l.use(b, now); err != nil {
		t.Fatal(err)
	}
	defer l.content.Close()
	if now := l.show.Settings(); now.Scene != "lab" || closed != 2 || l.show.info.Replay {
		t.Errorf("scene %q after the replay, %d replays are closed", now.Scene, closed)
	}
	if b, _ := keys.Apply(l.show.groups, &now, render.KeyEscape, 0); b.Action == keys.Leave {
		t.Error("a scene has the key that leaves a replay")
	}
}
