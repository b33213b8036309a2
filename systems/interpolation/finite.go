package interpolation

import (
	"log/slog"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/samples"
)

func finite3D(p *components.Pose3D) bool { return p.IsFinite() }
func finite2D(p *components.Pose2D) bool { return p.IsFinite() }

// mostReported is the most entities whose poses are reported in the log.
const mostReported = 100

// reporting makes bounds report to the log.
func (i *Interpolator[T]) reporting(b samples.Bounds[T]) samples.Bounds[T] {
	log := i.Log
	if log == nil {
		log = slog.Default()
	}
	reported := 0
	b.Refused = func(e arche.Entity, value T) {
		if reported++; reported > mostReported {
			return
		}
		log.Error("tandem: a pose is not finite, and the picture keeps the last one that was: look for a division by zero, or an overflow, where it is written",
			"entity", e, "pose", value)
		if reported == mostReported {
			log.Error("tandem: further poses that are not finite are not logged: ecs.Check lists the entities")
		}
	}
	return b
}
