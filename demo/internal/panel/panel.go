// Package panel is the panel for the mouse and the finger: a view of the table of package keys.
//
// It shows every binding of the table that has a label and an effect in the present scene: scenes
// as buttons, numbers as sliders, switches as check boxes. A press changes the settings by the
// binding, as its key does.
package panel

import (
	"slices"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// Panel is the panel. Call Put before anything else.
type Panel struct {
	items   []item
	overlay *keys.Binding // of the key that brings the overlay back
	help    *keys.Binding // of the key that closes the list of keys

	chosen, open bool // whether the user has unfolded or folded it, and which
	held         int  // the number of the pressed item, plus one; 0: none
	finger       int  // whose press the panel took; 0: none
	cells        []render.Rect
}

// item is a part of the panel: a binding, or one key of a binding.
type item struct {
	*keys.Binding
	kind  keys.Kind
	key   int    // of Binding.Keys
	label string // its text
	cap   string // the keys beside it
}

// Put shows the bindings that have an effect in a scene or match.
func (p *Panel) Put(groups []keys.Group, info scene.Info) {
	p.items, p.held = nil, 0
	for g := range groups {
		for i := range groups[g].Bindings {
			b := &groups[g].Bindings[i]
			switch b.Flag {
			case "overlay":
				p.overlay = b
			case "keys":
				p.help = b
			}
			switch kind := b.Kind(); {
			case kind == keys.Hidden || !b.In.Works(info):
			case kind == keys.Choice:
				for k, label := range b.Labels {
					p.items = append(p.items, item{b, kind, k, label, b.Keys[k].String()})
				}
			default:
				p.items = append(p.items, item{b, kind, 0, b.Label, b.Cap})
			}
		}
	}
	slices.SortStableFunc(p.items, func(a, b item) int {
		if a.kind != b.kind {
			return int(a.kind) - int(b.kind)
		}
		if a.kind == keys.Head && a.Tour != b.Tour { // the button that folds is the first
			if b.Tour {
				return -1
			}
			return 1
		}
		return 0
	})
}

// Toggle unfolds the panel in a window of a size, or folds it.
func (p *Panel) Toggle(size render.Size) {
	p.open = !p.isOpen(size.Points())
	p.chosen, p.held = true, 0
}

// isOpen reports whether the panel is unfolded in a window of a size in points. Until the user
// chooses, it is so in large windows.
func (p *Panel) isOpen(w, h float32) bool {
	if p.chosen {
		return p.open && fits(w, h, p.items)
	}
	return roomy(w, h)
}

// layout lays out the panel. In a window too small for it there is nothing, and without an overlay
// there are the places of the folded panel.
func (p *Panel) layout(size render.Size, set *settings.Settings) (l layout, shown bool) {
	w, h := size.Points()
	if !fits(w, h, p.items) {
		return layout{room: render.Rect{W: w, H: h}}, false
	}
	l = arrange(w, h, p.items, set.Overlay != settings.OverlayNone && p.isOpen(w, h), p.cells)
	p.cells = l.cells
	return l, true
}

// Room returns the part of a window that the panel leaves for the picture, in fractions, and
// whether the panel covers most of that.
func (p *Panel) Room(size render.Size, set *settings.Settings) (part render.Rect, covered bool) {
	w, h := size.Points()
	l, _ := p.layout(size, set)
	if w <= 0 || h <= 0 {
		return render.Whole(), false
	}
	return render.Rect{X: l.room.X / w, Y: l.room.Y / h, W: l.room.W / w, H: l.room.H / h}, l.over
}

// Event handles an event of a window: presses on the panel, and drags that began there. It changes
// the settings and returns the binding of the change. taken reports whether the event was the
// panel's; then nothing else takes it.
func (p *Panel) Event(e render.Event, size render.Size, set *settings.Settings) (b keys.Binding, taken bool) {
	switch e.Kind {
	case render.TouchPress, render.TouchMove, render.TouchRelease:
		// The same as mouse events, which came before.
		taken = p.finger != 0 && e.Finger == p.finger
		if taken && e.Kind == render.TouchRelease {
			p.finger = 0
		}
	case render.MousePress:
		if set.Keys { // anywhere: it is a finger's Escape
			p.help.Change(set, keys.Press{})
			b, taken = *p.help, true
		} else {
			b, taken = p.press(e, size, set)
		}
		if taken {
			p.finger = e.Finger
		}
	case render.MouseMove:
		if p.held == 0 {
			return b, false
		}
		return p.drag(e, size, set), true
	case render.MouseRelease:
		taken = p.held != 0 && e.Button == render.MouseLeft
		if taken {
			p.held = 0
		}
	case render.Focus:
		p.held = 0
	}
	return b, taken
}

// press handles a press of a button of the mouse.
func (p *Panel) press(e render.Event, size render.Size, set *settings.Settings) (b keys.Binding, taken bool) {
	l, shown := p.layout(size, set)
	if !shown {
		return b, false
	}
	i := slices.IndexFunc(l.cells, func(c render.Rect) bool { return c.Contains(e.X, e.Y) })
	switch {
	case i < 0 || e.Button != render.MouseLeft:
		return b, i >= 0 || l.frame.Contains(e.X, e.Y)
	case set.Overlay == settings.OverlayNone:
		if p.items[i].Action == keys.Panel { // its place brings the overlay back
			p.overlay.Change(set, keys.Press{})
			return *p.overlay, true
		}
		return b, false
	}
	p.held = i + 1
	if it := p.items[i]; it.kind != keys.Slide {
		if it.Change != nil {
			it.Change(set, keys.Press{Index: it.key})
		}
		return *it.Binding, true
	}
	return p.drag(e, size, set), true
}

// drag moves the knob of a held slider. A remark for each step would be too many: the panel shows
// the value.
func (p *Panel) drag(e render.Event, size render.Size, set *settings.Settings) (b keys.Binding) {
	l, _ := p.layout(size, set)
	if p.held > len(l.cells) || p.items[p.held-1].kind != keys.Slide {
		return b
	}
	it := &p.items[p.held-1]
	line := track(l.cells[p.held-1])
	it.Slider.Put(set, it.Slider.At(float64((e.X-line.X)/line.W)))
	b = *it.Binding
	b.Remark = nil
	return b
}

// track returns the line of a slider's knob in its cell.
func track(cell render.Rect) render.Rect {
	const inset = 12
	return render.Rect{X: cell.X + inset, Y: cell.Y + cell.H - 9, W: cell.W - 2*inset, H: 3}
}
