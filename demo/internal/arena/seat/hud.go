package seat

import (
	"math"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// graphs are the strip charts of the network.
type graphs struct {
	times, losses, bytes *render.Graph
	last                 netcode.ClientStats
	since                time.Duration
	down, up             float64 // bytes per second
	starved, corrected   float32
}

const (
	graphLength = 200
	graphEvery  = 50 * time.Millisecond
)

// measure takes a sample now and then.
func (g *graphs) measure(s *Seat) {
	now, st := s.engine.Time().Real, s.client.Stats()
	if now-g.since < graphEvery && g.since != 0 {
		return
	}
	passed := (now - g.since).Seconds()
	g.since = now
	if g.times == nil || passed <= 0 {
		return
	}
	sampled := float64(st.Sampled - g.last.Sampled)
	if sampled > 0 {
		g.starved = float32(100 * float64(st.Starved-g.last.Starved) / sampled)
	}
	g.corrected = float32(st.Corrections - g.last.Corrections)
	smooth := 1 - math.Exp(-passed/0.5)
	g.down += (float64(st.ReceivedBytes-g.last.ReceivedBytes)/passed - g.down) * smooth
	g.up += (float64(st.SentBytes-g.last.SentBytes)/passed - g.up) * smooth
	g.last = st
	g.times.Push(millis(st.RTT), millis(st.Delay))
	g.losses.Push(float32(100*st.Loss), g.starved, g.corrected)
	g.bytes.Push(float32(g.down/1000), float32(g.up/1000))
}

func millis(d time.Duration) float32 { return float32(d.Seconds() * 1000) }

// write puts the figures over the picture.
func (s *Seat) write(o *render.Overlay, v *render.View) {
	theme := o.Theme()
	if s.graphs.times == nil {
		s.graphs.times = render.NewGraph("", "ms", 0, graphLength, render.Series{Name: "round trip", Color: theme.Accent(0)}, render.Series{Name: "delay", Color: theme.Accent(2)})
		s.graphs.losses = render.NewGraph("", "", 0, graphLength, render.Series{Name: "loss %", Color: theme.Bad}, render.Series{Name: "starved %", Color: theme.Accent(1)}, render.Series{Name: "corrections", Color: theme.Accent(4)})
		s.graphs.bytes = render.NewGraph("", "", 1, graphLength, render.Series{Name: "down kB/s", Color: theme.Accent(2)}, render.Series{Name: "up kB/s", Color: theme.Accent(3)})
	}
	if !s.on.Overlay {
		return
	}
	all := v.Viewport.Inset(10)
	st := s.client.Stats()
	line := o.LineHeight(render.TextSmall)
	s.headline(o, all, line)
	if status, _ := s.client.Status(); status != netcode.Playing {
		text := s.Status()
		w := min(o.Width(render.TextBody, text)+40, all.W)
		r := render.Rect{X: all.X + (all.W-w)/2, Y: all.Y + all.H*0.4, W: w, H: o.LineHeight(render.TextBody) + 18}
		o.Panel(r)
		o.TextAligned(r.X+w/2, r.Y+9, render.AlignCenter, render.TextBody, theme.Bad, text)
	}
	if s.notice != "" && s.engine.Time().Real-s.noted < 4*time.Second {
		w := min(o.Width(render.TextBody, s.notice)+40, all.W)
		r := render.Rect{X: all.X + (all.W-w)/2, Y: all.Y + all.H*0.2, W: w, H: o.LineHeight(render.TextBody) + 14}
		o.Panel(r)
		o.TextAligned(r.X+w/2, r.Y+7, render.AlignCenter, render.TextBody, theme.Text, s.notice)
	}
	bottom := all.Y + all.H
	if all.H < 200 || all.W < 220 {
		return
	}
	// One line of figures.
	r := render.Rect{X: all.X, Y: bottom - line - 8, W: all.W, H: line + 8}
	o.Panel(r)
	w := o.At(r.X+10, r.Y+4, render.TextSmall, theme.Text)
	label := func(text string) { w.Color(theme.TextDim).Str(text).Color(theme.Text) }
	label("rtt ")
	w.Millis(st.RTT, 0).Str(" ms")
	label("  delay ")
	w.Millis(st.Delay, 0).Str(" ms")
	label("  loss ")
	w.Float(100*st.Loss, 0).Str(" %")
	if all.W > 440 {
		label("  lead ")
		w.Millis(st.Lead, 0).Str(" ms")
		label("  jitter ")
		w.Millis(st.Jitter, 0).Str(" ms")
		label("  corrections ")
		w.Uint(st.Corrections)
	}
	if all.W > 760 {
		label("  starved ")
		w.Float(float64(s.graphs.starved), 1).Str(" %")
		label("  down ")
		w.Float(s.graphs.down/1000, 1).Str(" kB/s")
		label("  up ")
		w.Float(s.graphs.up/1000, 1).Str(" kB/s")
		label("  others ")
		w.Str(s.on.Kind.Display())
		if !s.on.Predict {
			w.Color(theme.Bad).Str("  no prediction").Color(theme.Text)
		}
		if !s.on.Reconcile {
			w.Color(theme.Bad).Str("  no reconciliation").Color(theme.Text)
		}
	}
	if s.on.Graphs && all.H > 420 && all.W > 560 {
		const h = 92
		third := (all.W - 16) / 3
		third = min(third, 300)
		for i, g := range [...]*render.Graph{s.graphs.times, s.graphs.losses, s.graphs.bytes} {
			o.Graph(render.Rect{X: all.X + float32(i)*(third+8), Y: r.Y - 8 - h, W: third, H: h}, g)
		}
	}
}

// headline says who plays and how the score stands.
func (s *Seat) headline(o *render.Overlay, all render.Rect, line float32) {
	theme := o.Theme()
	title := "arena"
	width := o.Width(render.TextSmall, title) + 20
	if all.W > 700 {
		title = "Tandem arena: server, prediction, interpolation"
		width = o.Width(render.TextSmall, title) + 20
	}
	o.Panel(render.Rect{X: all.X, Y: all.Y, W: width, H: line + 8})
	o.Text(all.X+10, all.Y+4, render.TextSmall, theme.Text, title)
	// The best five, and the player himself.
	var board [5]view
	n := 0
	s.eachView(func(v *view) {
		if v.rep.Kind != arena.KindPlayer {
			return
		}
		i := min(n, len(board)-1)
		if n == len(board) && !better(v, &board[i]) {
			return
		}
		for i > 0 && better(v, &board[i-1]) {
			board[i] = board[i-1]
			i--
		}
		board[i] = *v
		n = min(n+1, len(board))
	})
	if n == 0 {
		return
	}
	const w = 118
	r := render.Rect{X: all.X + all.W - w, Y: all.Y, W: w, H: float32(n)*(line+2) + 8}
	o.Panel(r)
	p := painter{s: s, t: theme}
	for i := range board[:n] {
		y := r.Y + 5 + float32(i)*(line+2)
		v := &board[i]
		o.Dot(r.X+14, y+line/2, 5, p.colorOf(v.rep.Owner))
		color := theme.TextDim
		if v.own {
			color = theme.Text
			o.Text(r.X+26, y, render.TextSmall, color, "you")
		} else {
			o.At(r.X+26, y, render.TextSmall, color).Str("player ").Uint(uint64(v.rep.Owner))
		}
		o.At(r.X+w-34, y, render.TextSmall, color).FloatRight(float64(v.pawn.Score), 0, 24)
	}
}

func better(a, b *view) bool {
	if a.pawn.Score != b.pawn.Score {
		return a.pawn.Score > b.pawn.Score
	}
	return a.rep.Owner < b.rep.Owner
}
