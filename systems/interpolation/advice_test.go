package interpolation_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// An engine says once, with the remedy, that no interpolator draws the Visuals of a type. It is
// silent where one does, and for entities that are only visual.
func TestVisualsWithoutAnInterpolatorAreLogged(t *testing.T) {
	for name, test := range map[string]struct {
		plugins []ecs.Plugin
		spawn   func(e *ecs.Engine)
		want    string
	}{
		"no interpolator": {spawn: spawnBoth[components.Pose3D], want: "install interpolation.New3D"},
		"one of another type": {
			plugins: []ecs.Plugin{interpolation.New3D()}, spawn: spawnBoth[components.Pose2D], want: "install interpolation.New2D",
		},
		"a value of the game's": {
			plugins: []ecs.Plugin{interpolation.New3D()}, spawn: spawnBoth[float32], want: "1 entities have a Logical and a Visual of float32",
		},
		"as it should be": {plugins: []ecs.Plugin{interpolation.New3D()}, spawn: spawnBoth[components.Pose3D]},
		"only visual": {spawn: func(e *ecs.Engine) {
			visuals := generic.NewMap1[components.Visual3D](e.World())
			visuals.New()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			e, err := ecs.New(ecs.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			e.Install(test.plugins...)
			test.spawn(e)
			for range 100 {
				e.Update(0)
			}
			lines := strings.Count(log.String(), "\n")
			if test.want == "" && lines != 0 || test.want != "" && (lines != 1 || !strings.Contains(log.String(), test.want)) {
				t.Errorf("%d lines were logged, want %q: %s", lines, test.want, log.String())
			}
			e.Close()
			next, err := ecs.New(ecs.Config{World: e.World(), Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			log.Reset()
			if next.Update(0); name != "only visual" && log.Len() == 0 {
				t.Error("the interpolator of a closed engine still counts")
			}
		})
	}
}

func spawnBoth[T any](e *ecs.Engine) {
	both := generic.NewMap2[components.Logical[T], components.Visual[T]](e.World())
	both.New()
}
