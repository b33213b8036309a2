// Package scene defines the scenes of the demo and the parts that they share: bodies, a brush,
// trails.
//
// A scene is a small game: systems that write logical values in fixed steps, and a picture of the
// visual ones. It uses no window, clock or file; package simulation runs it.
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
	Name     string // the value of the flag -scene
	Title    string // the headline
	Caption  string // one or two sentences about the picture
	Dusk     bool   // a dark theme instead of a bright one
	Linked   bool   // over a simulated network; the scene is Networked
	Alone    bool   // a match of this process alone; it ends when another scene is chosen
	Match    bool   // a match of the arena: the server sets the time, and keys play
	Replay   bool   // of a match: it has a time that can be chosen
	Again    bool   // a replay within a running match
	Dropped  bool   // a replay that the user dropped on a page, in the place of something else
	Splits   bool   // it can be drawn raw beside interpolated: Draw obeys Picture.Raw
	Split    bool   // and it begins so
	Greeting string // a window's first remark
	Blends   bool   // the GPU can blend its poses, see Stage.GPU
	Upright  Upright

	Rate int // default fixed steps per second

	// Entities is the default number of bodies, within MinEntities and MaxEntities. All are zero if
	// the number cannot be chosen.
	Entities, MinEntities, MaxEntities int
}

// Upright says how a picture that is higher than wide differs from the usual one: a telephone's.
type Upright struct {
	Move  mgl32.Vec3 // of the camera's target
	Raise float32    // radians by which the camera stands higher; less in a part that is wide
	Zoom  float32    // factor of the distance at which the usual picture would be as wide; 0: 1
	Foot  float32    // points at the lower edge for the scene's own figures
}

// Clamp limits a number of bodies to the scene's range; 0 becomes the default.
func (i Info) Clamp(entities int) int {
	if entities == 0 {
		entities = i.Entities
	}
	return min(max(entities, i.MinEntities), i.MaxEntities)
}

// Stage is the environment of a scene: an engine with its plugins installed and before its first
// update.
type Stage struct {
	Engine    *ecs.Engine
	Poses     *interpolation.Interpolator[components.Pose3D]
	Hierarchy *hierarchy.Hierarchy3D
	Random    *rand.Rand // seeded; the only source of randomness
	Entities  int
	Link      settings.Link // of a scene whose Info says Linked
	GPU       bool          // blend on the GPU, if the scene can

	// Own are the scene's other interpolators, added by Setup. The settings switch them like Poses.
	Own []interface{ SetEnabled(on bool) }
}

// Scene is one scene. Its methods are called on one goroutine, Setup first and once.
type Scene interface {
	// Setup spawns the first entities and adds the scene's systems. It returns the one or two
	// bodies whose drawn speed is graphed; none if the scene draws its own graphs.
	Setup(s *Stage) []Followed

	// Trace calls row with the world poses of every living named entity, always in the same order.
	Trace(row func(name string, logical, visual components.Pose3D))

	// Camera returns the scene's own camera, for a picture of 16:9, at the current moment.
	Camera(now ecs.Time) render.Orbit

	// Draw fills the picture. It is called after Update and must not change the simulation.
	Draw(p *Picture)
}

// Networked is implemented by scenes whose Info is Linked.
type Networked interface {
	// SetLink changes the network while the scene runs.
	SetLink(settings.Link)
}

// Followed is a body whose drawn speed is graphed.
type Followed struct {
	Name     string
	Accent   int               // the theme's accent of the body's colour
	Position func() mgl32.Vec3 // its drawn position, in world space
	// counts the jumps, which make no speed; nil: it never jumps
	Jump func() (count uint)
}

// Picture is the target of a scene's drawing.
type Picture struct {
	View    *render.View
	Overlay *render.Overlay
	Theme   *render.Theme
	Brush   *Brush // empty; View shows its contents after Draw
	Now     ecs.Time
	Raw     bool // show logical poses instead of visual ones
	Ghosts  bool // also show logical poses; false in a raw picture
	Labels  bool // write names into the picture
	Figures bool // write figures and graphs

	// Foot is the place in points for the figures that Upright.Foot asks for. It is empty in a
	// picture that is not upright, or has no room for it.
	Foot render.Rect
}

// Body draws a body of a size in a pose, and its logical pose as a ghost if ghosts are shown.
func (p *Picture) Body(mesh render.Mesh, pose, logical components.Pose3D, size mgl32.Vec3, color render.Color) {
	pose.Scale, logical.Scale = size, size
	p.Brush.Put(mesh, render.Solid, pose, color)
	if p.Ghosts {
		p.Brush.Put(mesh, render.Ghost, logical, color)
	}
}

// Label writes a name above a point in world space, if that is in the picture and labels are on. It
// is moved away from panels and from other labels, and left out where there is no room.
func (p *Picture) Label(at mgl32.Vec3, color render.Color, text string) {
	p.label(at, 0, color, text)
}

// LabelBelow writes a name below a point, for a body that is often near another labelled one.
func (p *Picture) LabelBelow(at mgl32.Vec3, color render.Color, text string) {
	p.label(at, p.Overlay.LineHeight(render.TextSmall)+16, color, text)
}

func (p *Picture) label(at mgl32.Vec3, below float32, color render.Color, text string) {
	p.write(at, func(x, y float32) {
		// as large as Overlay.Label draws it
		w, h := p.Overlay.Width(render.TextSmall, text)+10, p.Overlay.LineHeight(render.TextSmall)+4
		const above = 4 // the distance from the point
		r, ok := p.Overlay.Place(render.Rect{X: x - w/2, Y: y + below - h - above, W: w, H: h}, p.View.Viewport.Inset(2))
		if ok {
			p.Overlay.Label(r.X+w/2, r.Y+h+above, color, text)
		}
	})
}

// Heading writes the name of a part of the picture, larger than a label, centred above a point in
// world space.
func (p *Picture) Heading(at mgl32.Vec3, color render.Color, text string) {
	p.write(at, func(x, y float32) {
		style := render.TextHeading
		if p.View.Viewport.W < 500 {
			style = render.TextSmall
		}
		Heading(p.Overlay, x, y-p.Overlay.LineHeight(style)-8, style, color, text)
	})
}

// write calls f with the place of a point in the picture, if it is there and labels are on.
func (p *Picture) write(at mgl32.Vec3, f func(x, y float32)) {
	if x, y, ok := p.View.Project(at); ok && p.Labels {
		f(x, y)
	}
}

// Heading writes a text on a panel, centred at x and below y, in points, or beside other panels.
func Heading(o *render.Overlay, x, y float32, style render.TextStyle, color render.Color, text string) {
	w := o.Width(style, text) + 20
	if r, ok := o.Place(render.Rect{X: x - w/2, Y: y, W: w, H: o.LineHeight(style) + 8}, o.Bounds()); ok {
		o.Panel(r)
		o.TextAligned(r.X+w/2, r.Y+4, render.AlignCenter, style, color, text)
	}
}

// PoseOf decomposes an affine matrix without shear or mirroring.
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
