package netcode

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// Poses of a Game, of scripted movers and of bodies may omit rotation and scale.
func TestPosesMayOmitRotationAndScale(t *testing.T) {
	type state struct{ X float32 }
	bare := func(s state) components.Pose3D { return components.Pose3D{Position: mgl32.Vec3{s.X}} }
	p, err := NewProtocol(Config{}, Game[state, struct{ X int8 }]{
		Step:     func(s state, _ struct{ X int8 }, _ Tick) state { return s },
		Pose:     bare,
		Distance: func(a, b state) float64 { return float64(a.X - b.X) },
		States:   StructState[state](),
		Inputs:   StructInput[struct{ X int8 }](),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := components.At3D(2, 0, 0)
	if got := p.game.Pose(state{2}); got != want {
		t.Errorf("a player's pose is %v, want %v", got, want)
	}
	p.SetScriptedMover(1, func(t Tick) components.Pose3D { return bare(state{float32(t)}) })
	if got := p.movers[1].path(2); got != want {
		t.Errorf("a mover's pose is %v, want %v", got, want)
	}
	if got := withDefaults(func(b state) components.Pose3D { return bare(b) })(state{2}); got != want {
		t.Errorf("a body's pose is %v, want %v", got, want)
	}
}
