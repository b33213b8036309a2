package play

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// The own player's outline is drawn where a wall or a platform hides the player, and only there.
// The cross is drawn if it is asked for.
func TestTheOwnOutline(t *testing.T) {
	v := newVirtual(t, nil)
	s := v.join(settings.Link{}, nil)
	v.run(time.Second, nil)
	s.Set(settings.Settings{Overlay: settings.OverlayCaptions, Predict: true, Reconcile: true})
	written := func(at mgl32.Vec3) int {
		v.match.Server().Players(func(p *rules.Player) { p.Teleport(arena.State{Pos: at, Grounded: true}) })
		v.run(2*time.Second, nil)
		f := render.NewFrame(view.Theme())
		f.Begin(render.Size{Width: 1280, Height: 720})
		var brush scene.Brush
		s.Draw(f, render.Whole(), &brush)
		return len(f.Overlay.Vertices()) / 4
	}
	open := written(mgl32.Vec3{8, 0, -5})
	s.Cross = true
	if cross := written(mgl32.Vec3{8, 0, -5}) - open; cross != 9 {
		t.Errorf("a cross of %d lines and dots, want two for each of four arms, and the middle", cross)
	}
	s.Cross = false
	// Seen from the front, this is behind a wall of 1.6 m.
	behind := written(mgl32.Vec3{8, 0, -12}) - open
	if all := 2 * 48; behind < all/3 || behind >= all {
		t.Errorf("behind a wall %d lines of the outline are drawn, want a part of all %d", behind, all)
	}
}
