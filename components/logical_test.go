package components_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// NewLogical completes a pose of which rotation or scale were left out. Set and Teleport take a
// zero scale as it is, and so does a pose of which only some axes are zero.
func TestNewLogicalCompletesPoses(t *testing.T) {
	position := mgl32.Vec3{1, 2, 3}
	turned, large := mgl32.QuatRotate(1, mgl32.Vec3{0, 1, 0}), mgl32.Vec3{2, 2, 2}
	for name, test := range map[string]struct{ given, want components.Pose3D }{
		"position only":   {components.Pose3D{Position: position}, components.At3D(1, 2, 3)},
		"nothing":         {components.Pose3D{}, components.Identity3D()},
		"no scale":        {components.Pose3D{Rotation: turned}, components.Pose3D{Rotation: turned, Scale: mgl32.Vec3{1, 1, 1}}},
		"no rotation":     {components.Pose3D{Scale: large}, components.Pose3D{Rotation: mgl32.QuatIdent(), Scale: large}},
		"flat on an axis": {components.Pose3D{Rotation: turned, Scale: mgl32.Vec3{1, 0, 1}}, components.Pose3D{Rotation: turned, Scale: mgl32.Vec3{1, 0, 1}}},
	} {
		if l := components.NewLogical(test.given); l.Get() != test.want {
			t.Errorf("%s: %v, want %v", name, l.Get(), test.want)
		}
	}
	flat := components.NewLogical(components.Pose2D{Position: mgl32.Vec2{1, 2}, Rotation: 3})
	if want := (components.Pose2D{Position: mgl32.Vec2{1, 2}, Rotation: 3, Scale: mgl32.Vec2{1, 1}}); flat.Get() != want {
		t.Errorf("in the plane: %v, want %v", flat.Get(), want)
	}
	if l := components.NewLogical(mgl32.Vec3{}); l.Get() != (mgl32.Vec3{}) {
		t.Errorf("a value that is no pose became %v", l.Get())
	}

	gone := components.Pose3D{Rotation: mgl32.QuatIdent()}
	l := components.NewLogical(components.Identity3D())
	if l.Set(gone); l.Get() != gone {
		t.Errorf("Set changed a scale of zero to %v", l.Get().Scale)
	}
	l = components.NewLogical(components.Identity3D())
	if l.Teleport(gone); l.Get() != gone {
		t.Errorf("Teleport changed a scale of zero to %v", l.Get().Scale)
	}
	var kept components.Transform3D
	if n := testing.AllocsPerRun(100, func() { kept = components.NewLogical(gone) }); n != 0 {
		t.Errorf("NewLogical allocates %v times", n)
	}
	_ = kept
}
