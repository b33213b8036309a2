package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A replica that is drawn in the past moves from its first step on: from where it is when the step
// begins, or from its first sample, to where it is when the step ends.
func TestReplicasAppearInMotion(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Jitter: 5 * time.Millisecond, Seed: 1}), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	poses := interpolation.Of[components.Pose3D](a.engine.World())
	type flight struct {
		crate   arche.Entity
		first   float32 // place of the first sample
		arrived bool
		seen    arche.Entity
	}
	var all []*flight
	var before time.Duration
	moved := 0
	a.afterStep(func() {
		view := a.client.View()
		stretch := float32((view - before).Seconds())
		before = view
		for _, f := range all {
			state, known := a.client.Newest(m.id(f.crate))
			if known && !f.arrived {
				f.first, f.arrived = state.Position[0], true
			}
			replica := a.replicaOf(m, f.crate)
			if replica.IsZero() || !f.seen.IsZero() {
				continue
			}
			f.seen = replica
			end := a.logical(replica)[0]
			// the Visual holds the start until the capture
			start := a.visual(replica)[0]
			want := max(f.first, end-12*stretch)
			if d := start - want; d < -0.02 || d > 0.02 {
				t.Errorf("it appears at %.3f and moves to %.3f in %.4f s of the view; its first sample is at %.3f", start, end, stretch, f.first)
			}
			if end-start > 0.02 {
				moved++
			}
		}
	})
	for k := range 12 {
		all = append(all, &flight{crate: m.flying(components.At3D(0, 0, float32(30+k)))})
		m.run(time.Duration(150+7*k)*time.Millisecond, func() {
			for _, f := range all { // nothing is drawn before its start or beyond its end
				if s, ok := poses.Samples(f.seen); ok && (s.From.Position[0] > s.To.Position[0] || a.visual(f.seen)[0] > s.To.Position[0]) {
					t.Fatalf("it is drawn at %v between %v and %v", a.visual(f.seen), s.From, s.To)
				}
			}
		})
	}
	m.run(time.Second, nil)
	if moved < 8 {
		t.Errorf("only %d of %d were in motion in their first step", moved, len(all))
	}
}

// A scripted mover moves from its first step on.
func TestScriptedMoversAppearInMotion(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(seeds(6), nil)
	m.run(6*time.Second, nil)
	m.mustPlay()
	lift := m.crate(kindLift, liftPath(0))
	poses := interpolation.Of[components.Pose3D](a.engine.World())
	rested, frames := 0, 0
	m.run(time.Second, func() {
		if r := a.client.Replica(m.id(lift)); m.id(lift) != netcode.NoEntity && !r.IsZero() {
			if s, ok := poses.Samples(r); ok {
				if frames++; s.From == s.To {
					rested++
				}
			}
		}
	})
	t.Logf("at rest in %d of %d frames", rested, frames)
	if frames < 50 || rested > 2 {
		t.Errorf("at rest in %d of %d frames", rested, frames)
	}
}
