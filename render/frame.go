package render

import "github.com/go-gl/mathgl/mgl32"

// Frame is one picture as data: views of a scene, and an overlay of text and graphs. A [Renderer]
// draws it.
//
// Make one with [NewFrame] and use it for every picture: after the first ones, filling and drawing
// it allocates nothing. A frame holds pointers to batches and copies no instances. Do not change
// the batches until the frame has been drawn.
type Frame struct {
	Size    Size
	Theme   Theme
	Overlay Overlay // drawn over all views, in points

	views []View
}

// NewFrame returns an empty frame with the given theme.
func NewFrame(theme Theme) *Frame {
	f := &Frame{Theme: theme}
	f.Overlay.begin(Size{}, &f.Theme)
	return f
}

// Begin starts the next picture. It removes the views and the overlay of the previous one and keeps
// the theme.
func (f *Frame) Begin(size Size) {
	f.Size = size
	f.views = f.views[:0]
	f.Overlay.begin(size, &f.Theme)
}

// View adds a view of the whole surface.
func (f *Frame) View(camera Camera) *View { return f.ViewIn(Whole(), camera) }

// ViewIn adds a view of a part of the surface, given in fractions of it: Whole().Column(0, 2, 0.01)
// is the left half. Views are drawn in the order in which they were added. The pointer is valid
// until the next call of View, ViewIn or Begin: fill one view, then add the next.
func (f *Frame) ViewIn(part Rect, camera Camera) *View {
	if len(f.views) < cap(f.views) {
		f.views = f.views[:len(f.views)+1]
	} else {
		f.views = append(f.views, View{})
	}
	v := &f.views[len(f.views)-1]
	*v = View{Part: part, Camera: camera, items: v.items[:0]}
	w, h := f.Size.Points()
	v.Viewport = part.In(Rect{0, 0, w, h})
	return v
}

// Views returns the views in drawing order. The slice belongs to the frame.
func (f *Frame) Views() []View { return f.views }

// View is a scene seen by one camera, in one part of the surface.
type View struct {
	Part     Rect // in fractions of the surface
	Viewport Rect // the same in points, as the overlay uses them
	Camera   Camera
	Ground   Ground
	Shadow   Shadow

	items []Item
}

// Item is one batch of a view: a [*Batch], a [*MotionBatch] or a [*LineBatch].
type Item interface{ item() }

func (*Batch) item()       {}
func (*MotionBatch) item() {}
func (*LineBatch) item()   {}

// Items returns the batches of the view in the order in which they were added. The slice belongs to
// the view.
func (v *View) Items() []Item { return v.items }

// Add adds a batch of instances, or nothing if it is nil. Order does not matter: solid instances
// are drawn before translucent ones.
func (v *View) Add(b *Batch) {
	if b != nil {
		v.items = append(v.items, b)
	}
}

// AddMotion adds a batch that the graphics processor blends, or nothing if it is nil.
func (v *View) AddMotion(b *MotionBatch) {
	if b != nil {
		v.items = append(v.items, b)
	}
}

// AddLines adds lines, or nothing if they are nil.
func (v *View) AddLines(l *LineBatch) {
	if l != nil {
		v.items = append(v.items, l)
	}
}

// Project returns the place of a point in world space, in points of the overlay. ok is false if it
// is outside the view. See [Camera.Project].
func (v *View) Project(point mgl32.Vec3) (x, y float32, ok bool) {
	x, y, _, ok = v.Camera.Project(point, v.Viewport)
	return x, y, ok
}

// Ground is a horizontal plane with a grid. The zero value is at y = 0, with lines one unit apart.
type Ground struct {
	Hidden bool
	Height float32 // world y
	Cell   float32 // distance of the grid's lines; every tenth is a major one. Zero means 1
	// distance from the camera's target at which the ground has faded into the horizon. Zero means
	// 12 times the camera's distance
	Fade float32
}

// Shadow is the part of the world that the key light's shadow map covers: a sphere. The map has a
// fixed number of texels, so a smaller sphere has sharper shadows. Outside the sphere there are
// none.
type Shadow struct {
	Off    bool
	Center mgl32.Vec3 // used when Radius is not zero
	Radius float32    // zero fits the sphere around the camera's target
}

// Fit returns the sphere with its defaults filled in.
func (s Shadow) Fit(c Camera) (center mgl32.Vec3, radius float32) {
	if s.Radius > 0 {
		return s.Center, s.Radius
	}
	if c.Ortho > 0 {
		return c.Target, c.Ortho * 1.25
	}
	return c.Target, max(c.Distance()*1.1, 1)
}
