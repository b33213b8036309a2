package play

import (
	"github.com/tandem-ecs/tandem/render"
)

// drawHelp explains the keys in the middle of the picture.
func drawHelp(o *render.Overlay, all []binding) {
	theme := o.Theme()
	bounds := o.Bounds()
	line := o.LineHeight(render.TextSmall) + 7
	const width, caps = 520, 110
	r := render.Rect{W: width, H: line*float32(len(all)) + 24}
	r.X, r.Y = (bounds.W-r.W)/2, max((bounds.H-r.H)/2, 4)
	o.RoundRect(r, theme.Panel.Alpha(0.96))
	y := r.Y + 12
	for _, b := range all {
		x := r.X + 16
		for _, part := range splitCaps(b.cap) {
			x += o.Key(x, y, part) + 4
		}
		o.Text(r.X+16+caps, y+1, render.TextSmall, theme.Text, b.text)
		y += line
	}
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
	w := o.Width(render.TextBody, text) + 40
	r := render.Rect{X: (all.W - w) / 2, Y: all.H * 0.68, W: w, H: o.LineHeight(render.TextBody) + 14}
	o.Panel(r)
	o.TextAligned(r.X+w/2, r.Y+7, render.AlignCenter, render.TextBody, o.Theme().Text, text)
}
