package panel

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// infos are all scenes, and a match with and without others.
func infos() (all []scene.Info) {
	for _, e := range scenes.All() {
		all = append(all, e.Info)
	}
	return append(all, scene.Info{Match: true, Linked: true, Alone: true}, scene.Info{Match: true, Linked: true}, scene.Info{Match: true, Replay: true, Again: true})
}

// opened returns an unfolded panel for a scene.
func opened(info scene.Info) *Panel {
	p := &Panel{}
	p.Put(keys.For(scenes.WithArena(), info), info)
	p.chosen, p.open = true, true
	return p
}

func windows(scale float32, w, h int) render.Size {
	return render.Size{Width: int(float32(w) * scale), Height: int(float32(h) * scale), Scale: scale}
}

// In every window from 320x180 points up every cell is large enough for a finger, lies in the panel
// and in the window, and overlaps no other cell and, unless the panel is over the picture, not its
// room.
func TestLayout(t *testing.T) {
	over := func(a, b render.Rect) bool {
		const slack = 0.01
		return a.X+slack < b.X+b.W && b.X+slack < a.X+a.W && a.Y+slack < b.Y+b.H && b.Y+slack < a.Y+a.H
	}
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := opened(rapid.SampledFrom(infos()).Draw(t, "scene"))
		p.open = rapid.Bool().Draw(t, "open")
		size := windows(rapid.SampledFrom([]float32{1, 1.25, 1.5, 2, 3}).Draw(t, "scale"), rapid.IntRange(320, 2600).Draw(t, "width"), rapid.IntRange(180, 1600).Draw(t, "height"))
		set := settings.Default()
		l, shown := p.layout(size, &set)
		if !shown {
			t.Fatal("there is no panel")
		}
		w, h := size.Points()
		window := render.Rect{W: w, H: h}
		for i, c := range l.cells {
			if !p.open && c.W == 0 {
				continue
			}
			if c.W < 32 || c.H < 32 {
				t.Fatalf("%s is %v by %v points", p.items[i].label, c.W, c.H)
			}
			const slack = 0.01
			if c.X < -slack || c.Y < -slack || c.X+c.W > window.W+slack || c.Y+c.H > window.H+slack {
				t.Fatalf("%s is at %v in a window of %v by %v", p.items[i].label, c, w, h)
			}
			if p.open && !l.over && over(c, l.room) {
				t.Fatalf("%s covers the picture", p.items[i].label)
			}
			for k := range i {
				if over(c, l.cells[k]) {
					t.Fatalf("%s and %s overlap", p.items[i].label, p.items[k].label)
				}
			}
		}
		switch {
		case !p.open:
			seen["folded"]++
		case l.over:
			seen["over"]++
		case l.room.X > 0:
			seen["beside"]++
		default:
			seen["below"]++
		}
	})
	if !testing.Short() && len(seen) != 4 {
		t.Errorf("only these places were drawn: %v", seen)
	}
}

// Windows that are too small for a finger have no panel, and no size makes it fail.
func TestSmallWindows(t *testing.T) {
	for _, info := range infos() {
		for w := 0; w < 330; w += 11 {
			for h := 0; h < 190; h += 9 {
				p, size, set := opened(info), windows(1, w, h), settings.Default()
				if l, shown := p.layout(size, &set); shown && l.frame.H > float32(h) {
					t.Fatalf("in %dx%d the panel is %v points high", w, h, l.frame.H)
				}
				p.Room(size, &set)
			}
		}
	}
}

// Every point of a button does what its key does.
func TestEveryPointOfAButton(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		info := rapid.SampledFrom(infos()).Draw(t, "scene")
		p := opened(info)
		size := windows(rapid.SampledFrom([]float32{1, 2, 3}).Draw(t, "scale"), rapid.IntRange(320, 2000).Draw(t, "width"), rapid.IntRange(180, 1200).Draw(t, "height"))
		set := settings.Default()
		set.Rate = 60
		if info.Match { // some keys have another meaning in scenes
			set.Scene = settings.Arena
		}
		l, _ := p.layout(size, &set)
		i := rapid.IntRange(0, len(p.items)-1).Draw(t, "item")
		it, c := p.items[i], l.cells[i]
		x, y := c.X+c.W*rapid.Float32Range(0, 0.999).Draw(t, "x"), c.Y+c.H*rapid.Float32Range(0, 0.999).Draw(t, "y")
		want := set
		if it.kind != keys.Slide && len(it.Keys) > 0 {
			keys.Apply(keys.For(scenes.WithArena(), info), &want, it.Keys[it.key], 0)
		}
		b, taken := p.Event(render.Event{Kind: render.MousePress, X: x, Y: y}, size, &set)
		if !taken || b.Text != it.Text || it.kind != keys.Slide && set != want {
			t.Fatalf("a press on %s: taken %v, %q\n got %+v\nwant %+v", it.label, taken, b.Text, set, want)
		}
		if _, taken = p.Event(render.Event{Kind: render.MouseRelease, X: -5, Y: -5}, size, &set); !taken {
			t.Fatal("the release of a press on the panel is left to the picture")
		}
	})
}

// A knob follows the drag, also outside of its cell, until the release. Other drags are not taken.
func TestDrag(t *testing.T) {
	p, size, set := opened(scene.Info{}), windows(1, 1280, 720), settings.Default()
	set.Rate = 60
	l, _ := p.layout(size, &set)
	at := func(kind render.EventKind, x, y float32) bool {
		_, taken := p.Event(render.Event{Kind: kind, X: x, Y: y}, size, &set)
		return taken
	}
	for i, it := range p.items {
		if it.kind != keys.Slide {
			continue
		}
		line := track(l.cells[i])
		if !at(render.MousePress, line.X+line.W/2, line.Y) || it.Slider.Get(&set) != it.Slider.At(0.5) {
			t.Errorf("%s: a press in the middle sets %d", it.label, it.Slider.Get(&set))
		}
		if !at(render.MouseMove, line.X-500, 700) || it.Slider.Get(&set) != it.Slider.Min {
			t.Errorf("%s: far to the left it is %d", it.label, it.Slider.Get(&set))
		}
		if !at(render.MouseMove, line.X+line.W, 0) || it.Slider.Get(&set) != it.Slider.Max {
			t.Errorf("%s: at the right end it is %d", it.label, it.Slider.Get(&set))
		}
		if !at(render.MouseRelease, 0, 0) || at(render.MouseMove, line.X, line.Y) || it.Slider.Get(&set) != it.Slider.Max {
			t.Errorf("%s: it is dragged after the release", it.label)
		}
	}
	if at(render.MousePress, 900, 300) || at(render.MouseMove, 10, 60) || at(render.MouseRelease, 10, 60) {
		t.Error("a drag that begins on the picture is the panel's")
	}
}

// Large windows begin with the panel unfolded, small ones with its button. That unfolds it, and the
// place of the button brings the overlay back.
func TestFolds(t *testing.T) {
	for _, test := range []struct {
		w, h int
		open bool
	}{{1280, 720, true}, {640, 360, false}, {320, 180, false}, {390, 844, false}, {1920, 1080, true}} {
		p, size, set := &Panel{}, windows(1, test.w, test.h), settings.Default()
		p.Put(keys.Groups(scenes.WithArena()), scene.Info{})
		whole := func() bool {
			room, covered := p.Room(size, &set)
			return room == render.Whole() && !covered
		}
		if whole() == test.open {
			t.Errorf("%dx%d begins unfolded: %v", test.w, test.h, !test.open)
		}
		p.Toggle(size)
		if whole() != test.open {
			t.Errorf("%dx%d: the key does not turn it", test.w, test.h)
		}
		if test.open {
			p.Toggle(size)
		}
		set.Overlay = settings.OverlayNone
		if !whole() {
			t.Errorf("%dx%d: there is a panel without an overlay", test.w, test.h)
		}
		press := render.Event{Kind: render.MousePress, X: 10, Y: float32(test.h)/2 - 10}
		if test.h > test.w { // away from the labels of lanes, in the middle
			press.Y = 0.3*float32(test.h) - 10
		}
		if _, taken := p.Event(press, size, &set); !taken || set.Overlay != settings.OverlayAll {
			t.Errorf("%dx%d: the place of the button does not bring the overlay back", test.w, test.h)
		}
	}
	p, size, set := opened(scene.Info{}), windows(1, 320, 180), settings.Default()
	set.Keys = true
	if _, taken := p.Event(render.Event{Kind: render.MousePress, X: 300, Y: 170}, size, &set); !taken || set.Keys {
		t.Error("a press does not close the list of keys")
	}
}

// A touch of the panel is the panel's until the finger leaves, and other touches are not. Each
// comes behind the event that a mouse would report.
func TestTouches(t *testing.T) {
	p, size, set := opened(scene.Info{}), windows(1, 320, 180), settings.Default()
	set.Keys = true // a press anywhere closes the list
	for _, e := range []struct {
		render.Event
		taken bool
	}{
		{render.Event{Kind: render.MousePress, Finger: 1, X: 300, Y: 170}, true},
		{render.Event{Kind: render.TouchPress, Finger: 1, X: 300, Y: 170}, true},
		{render.Event{Kind: render.TouchPress, Finger: 2, X: 160, Y: 90}, false},
		{render.Event{Kind: render.TouchMove, Finger: 1, X: 290, Y: 170}, true},
		{render.Event{Kind: render.TouchRelease, Finger: 1}, true},
		{render.Event{Kind: render.TouchRelease, Finger: 2}, false},
		{render.Event{Kind: render.TouchPress, Finger: 1, X: 160, Y: 90}, false},
	} {
		if _, taken := p.Event(e.Event, size, &set); taken != e.taken {
			t.Errorf("%+v is taken: %v", e.Event, taken)
		}
	}
}

// Texts end within their cells, everything drawn is within the window, and in steady state drawing
// allocates nothing.
func TestDraw(t *testing.T) {
	frame := render.NewFrame(render.Daylight())
	for _, info := range infos() {
		for _, size := range []render.Size{windows(1, 320, 180), windows(1, 640, 360), windows(1, 1280, 720), windows(1, 390, 844), windows(3, 320, 180), windows(1.5, 900, 500)} {
			p, set := opened(info), settings.Default()
			set.Rate, set.Link.Latency = 120, settings.MaxLatency
			draw := func() {
				frame.Begin(size)
				p.Draw(&frame.Overlay, size, &set)
			}
			draw()
			for _, v := range frame.Overlay.Vertices() {
				if v.X < 0 || v.Y < 0 || v.X > float32(size.Width) || v.Y > float32(size.Height) {
					t.Fatalf("%s at %v: something is drawn at %v, %v", info.Name, size, v.X, v.Y)
				}
			}
			l, _ := p.layout(size, &set)
			for i, it := range p.items {
				width := frame.Overlay.Width(render.TextSmall, it.label)
				if it.kind == keys.Slide {
					width += pad + 6 + frame.Overlay.Width(render.TextSmall, "0000")
				}
				if width > l.cells[i].W {
					t.Errorf("%s at %v: %s takes %v of %v points", info.Name, size, it.label, width, l.cells[i].W)
				}
			}
			if n := testing.AllocsPerRun(20, draw); n > 0 {
				t.Errorf("%s at %v: %v allocations per frame", info.Name, size, n)
			}
		}
	}
}
