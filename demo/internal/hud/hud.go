package hud

import (
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

// HUD measures every frame and draws the overlay of a scene. Make a new one for every start of a
// scene.
type HUD struct {
	meter  meter
	speeds []speedometer
	values []float32
	steps  *render.Graph
	speed  *render.Graph
	title  string // of the graph of speeds
	text   wrapped

	dropped   time.Duration // the running total
	droppedAt time.Duration // the real time at which it grew last
}

// graphFrames is the number of frames in the graphs.
const graphFrames = 240

// New returns the overlay of a scene.
func New(theme *render.Theme, followed []scene.Followed) *HUD {
	h := &HUD{
		steps: render.NewGraph("", "", 0, graphFrames, render.Series{Color: theme.Accent(1)}),
	}
	h.steps.Bars = true
	var series []render.Series
	for _, f := range followed {
		h.speeds = append(h.speeds, speedometer{followed: f})
		series = append(series, render.Series{Name: f.Name, Color: theme.Accent(f.Accent)})
	}
	h.values = make([]float32, len(followed))
	h.speed = render.NewGraph("", "", 1, graphFrames, series...)
	h.title = "drawn speed per frame, units/s"
	if len(followed) == 1 { // the graph has no legend then
		h.title = "drawn speed of " + followed[0].Name + " from frame to frame, units/s"
	}
	return h
}

// Measure records a frame. Call it after Update.
func (h *HUD) Measure(now ecs.Time) {
	h.meter.add(now)
	h.steps.Push(float32(now.Steps))
	if now.Dropped > h.dropped {
		h.dropped, h.droppedAt = now.Dropped, now.Real
	}
	for i := range h.speeds {
		h.values[i] = h.speeds[i].measure(now.NormalDelta)
	}
	h.speed.Push(h.values...)
}

// State is the state shown beside the measurements.
type State struct {
	Info scene.Info
	Set  settings.Settings
	Now  ecs.Time
	Moment
}

// Moment is the state that a picture shows beside its content.
type Moment struct {
	Live bool // in a window, where keys work

	// The recent processor time per frame, in a window: of Update, and of Draw including the wait
	// for the display.
	Update, Draw time.Duration

	// of the picture, in fractions of the window: the panel for the mouse takes the rest
	Room    render.Rect
	Covered bool // the panel for the mouse covers most of Room
	Touched bool // fingers use the window: it needs no keys
}

// Upright reports whether a picture is higher than wide, as on a telephone.
func Upright(room render.Rect) bool { return room.H > room.W }

// Short reports whether a picture is too low for graphs, as on a telephone that lies.
func Short(room render.Rect) bool { return room.H < 400 }

// Draw writes the overlay. Small pictures get less of it. It returns the part of the picture for
// the scene, in points: all of it, without the panels above and below if it is upright or short.
func (h *HUD) Draw(o *render.Overlay, s *State) (clear render.Rect) {
	room := s.Room.In(o.Bounds())
	all := room.Inset(margin)
	top, foot := room.Y, room.Y+room.H
	switch {
	case s.Set.Overlay == settings.OverlayNone || s.Covered:
	case s.Set.Overlay == settings.OverlayCaptions:
		top = h.drawTitle(o, all, all.X+all.W, s)
	default:
		bottom := all.Y + all.H
		if s.Live && !s.Touched && roomOf(all) != tiny {
			foot = drawHints(o, all, s)
			bottom = foot - gap
		}
		right := h.drawStatus(o, all, s)
		top = h.drawTitle(o, all, right-gap, s)
		if s.Set.Graphs && !Short(room) {
			h.drawGraphs(o, all, bottom)
		}
	}
	if !Upright(room) && !Short(room) {
		return room
	}
	return render.Rect{X: room.X, Y: top, W: room.W, H: foot - top}
}

// Beside returns the i-th of n parts of a part of a picture, given in fractions: beside each other,
// or below each other where that is upright. gap is left free between them.
func Beside(f *render.Frame, part render.Rect, i, n int, gap float32) render.Rect {
	if w, h := f.Size.Points(); w*part.W < h*part.H {
		return part.Row(i, n, gap)
	}
	return part.Column(i, n, gap)
}

// Over holds the panels over every picture, of a scene or of a match.
type Over struct {
	Keys      []keys.Group // explained if Help is set
	Help      bool         // the panel that explains the keys
	Match     bool         // the content is a match
	Replay    bool         // of one
	Recording bool         // a clip is being recorded
	Toast     string       // a passing remark
	Room      render.Rect  // see Moment
}

// Draw draws the panels.
func (v *Over) Draw(o *render.Overlay) {
	if v.Toast != "" {
		drawToast(o, v.Room.In(o.Bounds()), v.Toast)
	}
	if v.Recording {
		drawRecording(o)
	}
	if v.Help {
		drawKeys(o, v.Keys, v.hint())
	}
}

// hint returns the text below the keys.
func (v *Over) hint() string {
	switch {
	case v.Replay:
		return "Mouse: drag the bar to any moment. In the free view: drag to turn, right drag to move, wheel to zoom."
	case v.Match:
		return "Shift: values backwards. The upper left shows what is switched off."
	}
	return "Mouse: drag to turn, right drag to move, wheel to zoom.   Shift: values, or with Tab scenes, backwards."
}

const (
	margin = 12 // points, of everything from the picture's edge
	gap    = 8  // between panels
	pad    = 10 // inside a panel
)

// room is the space of a picture for the overlay.
type room int

const (
	tiny    room = iota // a line
	compact             // lines and small graphs
	roomy               // everything
)

func roomOf(all render.Rect) room {
	switch {
	case all.W >= 960 && all.H >= 520:
		return roomy
	case all.W >= 480 && all.H >= 260:
		return compact
	}
	return tiny
}

// drawTitle writes title and caption between the left edge and the status, as far as they fit. It
// returns the lower edge of title and status.
func (h *HUD) drawTitle(o *render.Overlay, all render.Rect, right float32, s *State) (bottom float32) {
	theme := o.Theme()
	style := render.TextHeading
	if roomOf(all) != roomy {
		style = render.TextSmall
	}
	title, small := o.LineHeight(style), o.LineHeight(render.TextSmall)
	width := o.Width(style, s.Info.Title) + 2*pad
	upright := Upright(all) && all.W >= 240
	bottom = all.Y - margin // nothing is above
	if right < all.X+all.W {
		bottom = all.Y + small + 8
	}
	if upright { // below the status
		if right < all.X+all.W {
			all.Y += small + 8 + gap
		}
		right = all.X + all.W
	}
	if s.Info.Title == "" || width > right-all.X {
		return bottom
	}
	if roomOf(all) != roomy && !upright {
		o.Panel(render.Rect{X: all.X, Y: all.Y, W: width, H: title + 8})
		o.Text(all.X+pad, all.Y+4, style, theme.Text, s.Info.Title)
		return max(bottom, all.Y+title+8)
	}
	lines := h.text.lines(o, render.TextSmall, s.Info.Caption, min(right-all.X, 470)-2*pad)
	for _, line := range lines {
		width = max(width, o.Width(render.TextSmall, line)+2*pad)
	}
	height := title + small*float32(len(lines)) + 2*pad - 3
	o.Panel(render.Rect{X: all.X, Y: all.Y, W: width, H: height})
	o.Text(all.X+pad, all.Y+pad-3, style, theme.Text, s.Info.Title)
	for i, line := range lines {
		o.Text(all.X+pad, all.Y+pad+title+float32(i)*small, render.TextSmall, theme.TextDim, line)
	}
	return max(bottom, all.Y+height)
}

func (h *HUD) drawGraphs(o *render.Overlay, all render.Rect, bottom float32) {
	if len(h.speeds) == 0 {
		return
	}
	width, height := min((all.W-gap)/2, 420), min(all.H*0.17, 130)
	h.steps.Title, h.speed.Title = "fixed steps per frame", h.title
	h.speed.Digits = 1
	if _, top := h.speed.Range(); top >= 10 {
		h.speed.Digits = 0
	}
	switch roomOf(all) {
	case tiny:
		return
	case compact:
		width, height = min(width, 270), 58
		h.steps.Title, h.speed.Title = "steps per frame", "drawn speed"
	}
	y := bottom - height
	o.Graph(render.Rect{X: all.X, Y: y, W: width, H: height}, h.steps)
	o.Graph(render.Rect{X: all.X + all.W - width, Y: y, W: width, H: height}, h.speed)
}

// hints are the most useful keys.
var hints = [...]struct{ key, text string }{
	{"P", "pause"}, {".", "step"}, {"← →", "speed"}, {"↓ ↑", "rate"}, {"I", "interpolation"}, {"G", "ghosts"}, {splitKey, "raw beside it"}, {"Tab", "next scene"}, {"H", "all keys"},
}

// splitKey is a hint for scenes that can be split.
const splitKey = "T"

// drawHints writes the hints at the lower edge and returns their upper edge.
func drawHints(o *render.Overlay, all render.Rect, s *State) float32 {
	theme := o.Theme()
	height := o.LineHeight(render.TextSmall) + 3
	y := all.Y + all.H - height
	o.Panel(render.Rect{X: all.X, Y: y - 4, W: all.W, H: height + 8})
	x := all.X + pad
	for _, hint := range hints {
		if hint.key == splitKey && !s.Info.Splits {
			continue
		}
		if x+o.Width(render.TextSmall, hint.key)+o.Width(render.TextSmall, hint.text)+24 > all.X+all.W {
			break
		}
		x += o.Key(x, y, hint.key) + 6
		x += o.Text(x, y+1, render.TextSmall, theme.TextDim, hint.text) + 18
	}
	const mouse = "drag to turn, wheel to zoom"
	if right := all.X + all.W - pad; x+18+o.Width(render.TextSmall, mouse) < right {
		o.TextAligned(right, y+1, render.AlignRight, render.TextSmall, theme.TextDim, mouse)
	}
	return y - 4
}

func drawToast(o *render.Overlay, all render.Rect, text string) {
	style := render.TextBody
	if o.Width(style, text)+4*pad > all.W {
		style = render.TextSmall
	}
	w := o.Width(style, text) + 4*pad
	r := render.Rect{X: all.X + (all.W-w)/2, Y: all.Y + all.H, W: w, H: o.LineHeight(render.TextBody) + 14}
	// As low as the other panels allow: it covers none of them, and little of the picture.
	if at, ok := o.Place(r, all.Inset(min(margin, (all.W-w)/2))); ok {
		r = at
	} else {
		r.Y = all.Y + all.H - r.H
	}
	o.Panel(r)
	o.TextAligned(r.X+w/2, r.Y+7+(o.LineHeight(render.TextBody)-o.LineHeight(style))/2, render.AlignCenter, style, o.Theme().Text, text)
}

// drawRecording draws a red dot in the corner, between the picture's edge and all panels.
func drawRecording(o *render.Overlay) {
	at := o.Bounds()
	x, y := at.W-margin/2-1, at.Y+margin/2+1
	o.Dot(x, y, 6, o.Theme().Panel)
	o.Dot(x, y, 5, render.Hex(0xe53030))
}
