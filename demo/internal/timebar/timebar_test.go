package timebar

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// In every picture the parts lie in the bar, are large enough for a finger, and do not overlap. A
// press on the line goes to the moment whose place is there, and a drag stays on the line.
func TestPlaceAndDrag(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := render.Rect{X: 10, Y: 20, W: float32(rapid.IntRange(300, 2500).Draw(t, "width")), H: float32(rapid.IntRange(160, 1600).Draw(t, "height"))}
		length := time.Duration(rapid.Int64Range(int64(time.Second), int64(10*time.Hour)).Draw(t, "length"))
		l := place(all, rapid.Bool().Draw(t, "leaves"))
		parts := []render.Rect{l.play, l.text, l.speed, l.grip()}
		if l.leave.W > 0 {
			parts = append(parts, l.leave)
		}
		for i, p := range parts {
			if p.H < button || p.X < l.frame.X || p.Y < l.frame.Y || p.X+p.W > l.frame.X+l.frame.W || p.Y+p.H > l.frame.Y+l.frame.H {
				t.Fatalf("part %d, %v, is not in %v", i, p, l.frame)
			}
			for j, o := range parts[:i] {
				if p.X < o.X+o.W && o.X < p.X+p.W && p.Y < o.Y+o.H && o.Y < p.Y+p.H {
					t.Fatalf("part %d, %v, overlaps part %d, %v", i, p, j, o)
				}
			}
		}
		if l.frame.Y+l.frame.H != all.Y+all.H || l.line.W < 80 {
			t.Fatalf("the bar is %v with a line of %v, in %v", l.frame, l.line.W, all)
		}

		b := &Bar{shown: l}
		finger := rapid.SampledFrom([]int{0, 7}).Draw(t, "finger")
		x := l.line.X + l.line.W*rapid.Float32Range(0, 1).Draw(t, "at")
		press, at, taken := b.Event(render.Event{Kind: render.MousePress, Finger: finger, X: x, Y: l.line.Y + 2}, length)
		if back := l.place(at, length); press != Seek || !taken || back-x > 0.5 || x-back > 0.5 {
			t.Fatalf("a press at %v of %v: %v to %v, which is at %v", x, l.line, press, at, back)
		}
		for _, edge := range []struct {
			x    float32
			want time.Duration
		}{{l.line.X - 500, 0}, {l.line.X + l.line.W + 500, length}} {
			press, at, taken := b.Event(render.Event{Kind: render.MouseMove, Finger: finger, X: edge.x, Y: -9}, length)
			if press != Seek || at != edge.want || !taken || !b.Held() {
				t.Fatalf("a drag to %v: %v to %v, want %v", edge.x, press, at, edge.want)
			}
		}
		b.Event(render.Event{Kind: render.MouseRelease, Finger: finger, X: x, Y: -9}, length)
		if press, _, taken := b.Event(render.Event{Kind: render.MouseMove, Finger: finger, X: x, Y: -9}, length); press != None || taken || b.Held() {
			t.Fatal("a released line follows the mouse")
		}
	})
}

// Presses on the buttons, beside the bar, and where the bar is not drawn.
func TestPresses(t *testing.T) {
	all := render.Rect{W: 800, H: 400}
	middle := func(r render.Rect) (x, y float32) { return r.X + r.W/2, r.Y + r.H/2 }
	for name, test := range map[string]struct {
		at    func(l *layout) render.Rect
		right bool
		want  Press
		taken bool
	}{
		"pause":            {func(l *layout) render.Rect { return l.play }, false, Pause, true},
		"leave":            {func(l *layout) render.Rect { return l.leave }, false, Leave, true},
		"the time":         {func(l *layout) render.Rect { return l.text }, false, None, true},
		"another button":   {func(l *layout) render.Rect { return l.play }, true, None, true},
		"above the bar":    {func(*layout) render.Rect { return render.Rect{W: 10, H: 10} }, false, None, false},
		"the line, hidden": {nil, false, None, false},
	} {
		b := &Bar{shown: place(all, true)}
		x, y := middle(b.shown.line)
		if test.at != nil {
			x, y = middle(test.at(&b.shown))
		} else {
			b.Hide()
		}
		e := render.Event{Kind: render.MousePress, X: x, Y: y}
		if test.right {
			e.Button = render.MouseRight
		}
		if press, _, taken := b.Event(e, time.Minute); press != test.want || taken != test.taken {
			t.Errorf("%s: %v, taken %v; want %v, %v", name, press, taken, test.want, test.taken)
		}
	}
}

// The bar and the text of a mark stay in the room that they claim, in which nothing else is drawn.
func TestRoomOfTheBar(t *testing.T) {
	f := render.NewFrame(render.Daylight())
	top := func(b Bar) float32 {
		f.Begin(render.Size{Width: 640, Height: 200})
		b.Draw(&f.Overlay, f.Overlay.Bounds(), State{At: 6 * time.Second, Length: time.Minute, Speed: 1})
		y := float32(200)
		for _, v := range f.Overlay.Vertices() {
			y = min(y, v.Y)
		}
		if want := 200 - b.Height(); len(b.Marks) == 0 && y != want || y < want-Label(&f.Overlay) {
			t.Errorf("with %d marks it begins at %v, and the bar at %v", len(b.Marks), y, want)
		}
		return y
	}
	if plain, marked := top(Bar{}), top(Bar{Marks: []Mark{{At: 5 * time.Second, Text: "goal"}}}); marked >= plain {
		t.Errorf("with the text of a mark it begins at %v, without at %v", marked, plain)
	}
}

// A file that claims a million marks and gaps, and the length of years, draws no more than the bar
// has room for.
func TestDrawOfAMillionMarks(t *testing.T) {
	const n = 1_000_000
	for _, length := range []time.Duration{0, time.Second, math.MaxInt64} {
		b := &Bar{}
		for i := range n {
			at := length / n * time.Duration(i)
			b.Marks = append(b.Marks, Mark{At: at, Text: "goal"})
			b.Gaps = append(b.Gaps, replay.Gap{From: at, To: at + length/n})
		}
		f := render.NewFrame(render.Daylight())
		f.Begin(render.Size{Width: 640, Height: 100})
		b.Draw(&f.Overlay, f.Overlay.Bounds(), State{At: length / 2, Length: length, Speed: 1})
		if n := len(f.Overlay.Vertices()) / 4; n < 20 || n > 5000 {
			t.Errorf("of %v: %d quadrilaterals", length, n)
		}
	}
}
