// Package scene says what a scene of the demo is, and gives scenes what they share: a stage to be
// set up on, a brush to draw with, after-images.
//
// A scene is a small game: systems that write logical values in fixed steps, and a picture of the
// visual ones. It knows neither windows nor clocks nor files; package simulation runs it.
package scene

import (
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Info describes a scene before it exists.
type Info struct {
	Name     string // as the flag -scene takes it
	Title    string // the headline
	Caption  string // one line that says what is to be seen
	Dusk     bool   // on a dark stage instead of a bright one
	Linked   bool   // over a simulated network; the scene is Networked
	Alone    bool   // a match of this process alone, which ends when another scene is chosen
	Match    bool   // a match of the arena: time is the server's, and keys play
	Splits   bool   // it can be drawn raw beside interpolated: Draw obeys Picture.Raw
	Greeting string // what a window says at first
	Blends   bool   // the graphics processor can blend what it shows, see Stage.GPU

	Rate int // fixed steps per second when nobody has asked for another rate

	// Entities is the number of bodies when nobody has asked for another, within MinEntities and
	// MaxEntities. All are zero where it cannot be chosen.
	Entities, MinEntities, MaxEntities int
}

// Clamp returns the number of bodies that a scene takes for a number asked for, where 0 means its
// own choice.
func (i Info) Clamp(entities int) int {
	if entities == 0 {
		entities = i.Entities
	}
	return min(max(entities, i.MinEntities), i.MaxEntities)
}

// Stage is what a scene is set up on: an engine whose plugins are installed and that has not been
// updated yet.
type Stage struct {
	Engine    *ecs.Engine
	Poses     *interpolation.Interpolator[components.Pose3D]
	Hierarchy *hierarchy.Hierarchy3D
	Random    *rand.Rand // seeded; the only source of randomness
	Entities  int
	Link      settings.Link // of a scene whose Info says Linked
	GPU       bool          // blend on the graphics processor, where the scene can
}

// Scene is one scene. Its methods are called on one goroutine, Setup first and once.
type Scene interface {
	// Setup spawns what is there from the beginning and adds the scene's systems.
	Setup(s *Stage)

	// SetInterpolation switches what Stage.Poses does not cover: interpolators and engines of the
	// scene's own.
	SetInterpolation(on bool)

	// Trace calls row for every named entity that is alive, always in the same order, with its
	// world poses.
	Trace(row func(name string, logical, visual components.Pose3D))

	// Followed returns the bodies whose drawn speed is graphed, one or two; none where the scene
	// draws graphs of its own. The result stays the same from Setup on.
	Followed() []Followed

	// Camera returns where the scene wants to be seen from, in a picture of 16:9. Its Target is
	// that of the present moment.
	Camera(now ecs.Time) render.Orbit

	// Draw fills the picture. It is called after Update and must not change what the simulation
	// knows.
	Draw(p *Picture)
}

// Networked is what a scene whose Info says Linked can do beyond the others.
type Networked interface {
	// SetLink changes the network while the scene runs.
	SetLink(settings.Link)
}

// Followed is a body whose drawn speed is graphed.
type Followed struct {
	Name     string
	Accent   int               // the theme's accent in which the body is drawn, too
	Position func() mgl32.Vec3 // where it is drawn, in world space
	// counts the jumps that belong to its motion, which make no speed; nil: it never jumps
	Jump func() (count uint)
}

// Picture is what a scene draws into.
type Picture struct {
	View    *render.View
	Overlay *render.Overlay
	Theme   *render.Theme
	Brush   *Brush // already emptied; what is on it after Draw is shown in View
	Now     ecs.Time
	Raw     bool // show logical poses in place of the visual ones
	Ghosts  bool // show logical poses as well; not in a raw picture, where they are the same
	Labels  bool // write names into the picture
	Figures bool // and figures and graphs
}

// Label writes a name above a place in world space, if that is in the picture and labels are
// wanted.
func (p *Picture) Label(at mgl32.Vec3, color render.Color, text string) {
	if !p.Labels {
		return
	}
	if x, y, ok := p.View.Project(at); ok {
		p.Overlay.Label(x, y, color, text)
	}
}

// LabelBelow writes a name below a place, for what is often near something that has its name above.
func (p *Picture) LabelBelow(at mgl32.Vec3, color render.Color, text string) {
	if !p.Labels {
		return
	}
	if x, y, ok := p.View.Project(at); ok {
		p.Overlay.Label(x, y+p.Overlay.LineHeight(render.TextSmall)+16, color, text)
	}
}

// Heading writes the name of a part of the picture, larger than a label, centred above a place in
// world space.
func (p *Picture) Heading(at mgl32.Vec3, color render.Color, text string) {
	if !p.Labels {
		return
	}
	x, y, ok := p.View.Project(at)
	if !ok {
		return
	}
	w, h := p.Overlay.Width(render.TextHeading, text)+20, p.Overlay.LineHeight(render.TextHeading)+8
	p.Overlay.Panel(render.Rect{X: x - w/2, Y: y - h, W: w, H: h})
	p.Overlay.TextAligned(x, y-h+4, render.AlignCenter, render.TextHeading, color, text)
}

// PoseOf takes an affine matrix without shear or mirroring apart.
func PoseOf(m mgl32.Mat4) components.Pose3D {
	x, y, z := m.Col(0).Vec3(), m.Col(1).Vec3(), m.Col(2).Vec3()
	scale := mgl32.Vec3{x.Len(), y.Len(), z.Len()}
	for i, axis := range [...]*mgl32.Vec3{&x, &y, &z} {
		if scale[i] == 0 {
			return components.Pose3D{Position: m.Col(3).Vec3(), Rotation: mgl32.QuatIdent(), Scale: scale}
		}
		*axis = axis.Mul(1 / scale[i])
	}
	turned := mgl32.Mat4FromCols(x.Vec4(0), y.Vec4(0), z.Vec4(0), mgl32.Vec4{0, 0, 0, 1})
	return components.Pose3D{Position: m.Col(3).Vec3(), Rotation: components.NormalizeQuat(mgl32.Mat4ToQuat(turned)), Scale: scale}
}
