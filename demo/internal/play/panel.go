package play

import (
	"github.com/tandem-ecs/tandem/render"
)

// drawHelp explains the keys in the middle of the picture, closer to each other in a small one. It returns false if even so there is no room for all.
func drawHelp(o *render.Overlay, all []binding) (complete bool) {
	theme := o.Theme()
	bounds := o.Bounds().Inset(4)
	small := o.LineHeight(render.TextSmall)
	line, inset, caps := small+7, float32(14), float32(110)
	drawn := true // keys as such, not as text
	longest := float32(0)
	for _, b := range all {
		longest = max(longest, o.Width(render.TextSmall, b.text))
	}
	if line*float32(len(all))+2*inset > bounds.H || caps+longest+2*inset > bounds.W {
		line, inset, caps, drawn = small+1, 8, 62, false
	}
	r := render.Rect{W: caps + longest + 2*inset, H: line*float32(len(all)) + 2*inset}
	complete = r.W <= bounds.W && r.H <= bounds.H
	r.W, r.H = min(r.W, bounds.W), min(r.H, bounds.H)
	r.X, r.Y = bounds.X+(bounds.W-r.W)/2, bounds.Y+(bounds.H-r.H)/2
	o.RoundRect(r, theme.Panel.Alpha(0.96))
	x, y := r.X+inset, r.Y+inset
	for i, b := range all {
		if i+1 < len(all) && y+2*line > r.Y+r.H-inset+1 {
			o.Text(x+caps, y, render.TextSmall, theme.TextDim, "the rest stands in a larger window")
			break
		}
		if drawn {
			at := x
			for _, part := range splitCaps(b.cap) {
				at += o.Key(at, y, part) + 4
			}
			o.Text(x+caps, y+1, render.TextSmall, theme.Text, b.text)
		} else {
			o.Text(x, y, render.TextSmall, theme.Good, b.cap)
			o.Text(x+caps, y, render.TextSmall, theme.Text, b.text)
		}
		y += line
	}
	return complete
}

func splitCaps(text string) (parts []string) {
	begin := 0
	for i := range len(text) + 1 {
		if i == len(text) || text[i] == ' ' {
			if i > begin {
				parts = append(parts, text[begin:i])
			}
			begin = i + 1
		}
	}
	return parts
}

func drawToast(o *render.Overlay, text string) {
	all := o.Bounds()
	style := render.TextBody
	if o.Width(style, text)+40 > all.W {
		style = render.TextSmall
	}
	w := o.Width(style, text) + 40
	r := render.Rect{X: (all.W - w) / 2, Y: all.H * 0.68, W: w, H: o.LineHeight(render.TextBody) + 14}
	o.Panel(r)
	o.TextAligned(r.X+w/2, r.Y+7+(o.LineHeight(render.TextBody)-o.LineHeight(style))/2, render.AlignCenter, style, o.Theme().Text, text)
}
