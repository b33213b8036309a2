package play

import (
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// A line that is cut shows a sign after 0.3 s, says so after 0.5 s, and reconnects after 5 s.
func TestACutLineIsShown(t *testing.T) {
	v := newVirtual(t, nil)
	s := v.join(settings.Link{Latency: 60 * time.Millisecond, Seed: 1}, nil)
	v.run(3*time.Second, nil)
	s.Set(settings.Settings{Overlay: settings.OverlayNone, Predict: true, Reconcile: true})
	written := func() int {
		f := render.NewFrame(view.Theme())
		f.Begin(render.Size{Width: 640, Height: 360})
		var brush scene.Brush
		s.Draw(f, render.Whole(), &brush)
		return len(f.Overlay.Vertices())
	}
	if s.Status() != "playing" || written() != 0 {
		t.Fatalf("on a good line: %q, and %d vertices are written", s.Status(), written())
	}
	if err := s.SetLink(settings.Link{Latency: 60 * time.Millisecond, Loss: 1, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	sign, says, lost := time.Duration(0), time.Duration(0), time.Duration(0)
	for after := time.Duration(0); after < 6*time.Second && lost == 0; after += frame {
		v.run(frame, nil)
		switch text := s.Status(); {
		case strings.HasSuffix(text, "trying to reconnect"):
			lost = after
		case text == "connection interrupted" && says == 0:
			says = after
		case text == "playing" && sign == 0 && written() > 0:
			sign = after
		}
	}
	// Packets under way still arrive, for half a round trip and an interval of snapshots.
	for _, test := range []struct {
		name      string
		got, want time.Duration
	}{{"a sign", sign, 300 * time.Millisecond}, {"the text", says, 500 * time.Millisecond}, {"the loss", lost, 5 * time.Second}} {
		if test.got < test.want-60*time.Millisecond || test.got > test.want+110*time.Millisecond {
			t.Errorf("%s is shown %v after the cut, want about %v", test.name, test.got, test.want)
		}
	}
	if err := s.SetLink(settings.Link{Latency: 60 * time.Millisecond, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if v.run(5*time.Second, nil); s.Status() != "playing" || written() != 0 {
		t.Errorf("the line is back: %q, and %d vertices are written", s.Status(), written())
	}
}
