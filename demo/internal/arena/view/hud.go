package view

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/textwrap"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
)

// graphs are the strip charts of the network.
type graphs struct {
	times, losses, bytes *render.Graph
	last                 netcode.ClientStats
	tick                 uint64 // as of last
	since                time.Duration
	down, up             float64 // bytes per second
	// percent: of the samples of other players, of the own player's steps
	starved, corrected float32
}

const (
	graphLength = 200
	graphEvery  = 50 * time.Millisecond
)

// measure takes a sample at intervals.
func (g *graphs) measure(c *Client) {
	now, st := c.engine.Time().Real, c.net.Stats()
	if now-g.since < graphEvery && g.since != 0 {
		return
	}
	passed := (now - g.since).Seconds()
	g.since = now
	if passed <= 0 {
		return
	}
	sampled := float64(st.Sampled - g.last.Sampled)
	if sampled > 0 {
		g.starved = float32(100 * float64(st.Starved-g.last.Starved) / sampled)
	}
	tick := c.engine.Time().Tick
	if steps := tick - g.tick; steps > 0 {
		g.corrected = float32(100 * float64(st.Corrections-g.last.Corrections) / float64(steps))
	}
	g.tick = tick
	smooth := 1 - math.Exp(-passed/0.5)
	g.down += (float64(st.ReceivedBytes-g.last.ReceivedBytes)/passed - g.down) * smooth
	g.up += (float64(st.SentBytes-g.last.SentBytes)/passed - g.up) * smooth
	g.last = st
	g.times.Push(millis(st.RTT), millis(st.Delay), millis(st.Path.Queue))
	g.losses.Push(float32(100*st.Loss), g.starved, g.corrected)
	limit := 0.0 // zero: none
	if st.Path.Cause != netcode.RateFree {
		limit = st.Path.Rate
	}
	g.bytes.Push(float32(g.down/1000), float32(g.up/1000), float32(limit/1000))
}

func millis(d time.Duration) float32 { return float32(d.Seconds() * 1000) }

func newGraphs() graphs {
	theme := Theme()
	graph := func(title string, digits int, lines ...render.Series) *render.Graph {
		return render.NewGraph(title, "", digits, graphLength, lines...)
	}
	return graphs{
		times:  graph("ms", 0, render.Series{Name: "round trip", Color: theme.Accent(1)}, render.Series{Name: "delay", Color: theme.Accent(2)}, render.Series{Name: "queue up", Color: theme.Text}),
		losses: graph("%", 0, render.Series{Name: "lost", Color: theme.Accent(2)}, render.Series{Name: "starved", Color: theme.Accent(1)}, render.Series{Name: "corrected", Color: theme.Text}),
		bytes:  graph("kB/s", 1, render.Series{Name: "down", Color: theme.Accent(2)}, render.Series{Name: "up", Color: theme.Accent(1)}, render.Series{Name: "limit up", Color: theme.Text}),
	}
}

// margin is the distance of panels from the picture's edge, in points.
const margin = 10

// drawOverlay draws texts, figures and graphs over the picture.
func (c *Client) drawOverlay(o *render.Overlay, v *render.View) {
	if c.Bare {
		return
	}
	all := v.Viewport.Inset(margin)
	// both are shown even without an overlay
	if text := c.Status(); text != netcode.Playing.String() {
		c.announce(o, all, 0.34, render.TextHeading, o.Theme().Bad, text)
	} else if c.net.Stats().Silence >= silentAfter {
		c.announce(o, all, 0.34, render.TextSmall, o.Theme().Bad, "...")
	}
	if c.notice != "" && c.engine.Time().Real-c.noticeAt < 4*time.Second {
		c.announce(o, all, 0.16, render.TextHeading, o.Theme().Text, c.notice)
	}
	if c.set.Overlay != settings.OverlayAll {
		return
	}
	if c.net.Replay() != nil {
		c.drawReplayHeadline(o, all)
		if c.Again {
			c.announce(o, all, 0.16, render.TextHeading, o.Theme().Bad, "REPLAY")
		}
		c.drawRound(o, all)
		c.drawScores(o, all)
		if c.why.log != nil && all.H >= 200 && all.W >= 220 {
			c.drawTimeline(o, all, all.Y+all.H-c.Foot-8)
		}
		return
	}
	c.drawHeadline(o, all)
	c.drawRound(o, all)
	c.drawScores(o, all)
	if all.H < 200 || all.W < 220 {
		return
	}
	top := c.drawFigures(o, all)
	if c.why.log != nil {
		c.drawTimeline(o, all, top-8)
	} else if c.set.Graphs && !c.Thumbs && !hud.Short(v.Viewport) && all.W > 520 {
		height := min(all.H*0.16, 92)
		width := min((all.W-16)/3, 430)
		for i, g := range [...]*render.Graph{c.graphs.times, c.graphs.losses, c.graphs.bytes} {
			o.Graph(render.Rect{X: all.X + float32(i)*(width+8), Y: top - 8 - height, W: width, H: height}, g)
		}
	}
}

// phaseNames are what the clock says about the phase.
var phaseNames = [...]string{arena.WarmUp: "warm-up", arena.Running: "round", arena.Over: "next in"}

// Widths of the panels with the round's clock and the scores, in points.
const clockWidth, scoresWidth = 70, 118

// drawRound writes the phase of the round and the time until its end, and at the end who has won.
func (c *Client) drawRound(o *render.Overlay, all render.Rect) {
	round := c.rules.RoundAt(c.tick)
	if c.net.Number() == 0 && c.net.Replay() == nil || round.Phase == arena.Endless || int(round.Phase) >= len(phaseNames) || all.W < 290 {
		return
	}
	theme, small, body := o.Theme(), o.LineHeight(render.TextSmall), o.LineHeight(render.TextBody)
	r := render.Rect{X: all.X + (all.W-clockWidth)/2, Y: all.Y, W: clockWidth, H: small + body + 8}
	// in a narrow picture it stands between the headline and the scores
	r.X = max(r.X, all.X+headlineWidth(c.config.Link, all)+6)
	r.X = min(r.X, all.X+all.W-scoresWidth-clockWidth-4)
	o.Panel(r)
	o.TextAligned(r.X+r.W/2, r.Y+3, render.AlignCenter, render.TextSmall, theme.TextDim, phaseNames[round.Phase])
	left := uint64(max(round.Ends.Sub(c.tick), 0)+int32(c.rules.Rate)-1) / uint64(c.rules.Rate)
	w := o.At(r.X+r.W/2-o.Width(render.TextBody, "0:00")/2, r.Y+3+small, render.TextBody, theme.Text).Uint(left / 60).Str(":")
	if left%60 < 10 {
		w.Str("0")
	}
	w.Uint(left % 60)
	text := ""
	switch {
	case round.Phase == arena.WarmUp && left <= 5:
		text = "get ready: no shots before the round"
	case round.Phase == arena.Over && len(c.board) > 0 && c.board[0].own && c.net.Replay() == nil:
		text = "you have won the round"
	case round.Phase == arena.Over:
		text = "the round is over"
	}
	if text != "" && !c.Again { // its place is taken
		c.announce(o, all, 0.16, render.TextHeading, theme.Text, text)
	}
}

// announce writes an important text in the middle, in as many lines as it needs.
func (c *Client) announce(o *render.Overlay, all render.Rect, height float32, style render.TextStyle, color render.Color, text string) {
	if all.W < 500 {
		style = render.TextBody
	}
	lines := textwrap.Lines(text, func(part string) bool { return o.Width(style, part) <= all.W-50 })
	w, line := float32(0), o.LineHeight(style)
	for _, part := range lines {
		w = max(w, o.Width(style, part))
	}
	r := render.Rect{W: w + 40, H: line*float32(len(lines)) + 18}
	r.X, r.Y = all.X+(all.W-r.W)/2, all.Y+all.H*height
	o.RoundRect(r, o.Theme().Panel.Alpha(0.94))
	for i, part := range lines {
		o.TextAligned(r.X+r.W/2, r.Y+9+float32(i)*line, render.AlignCenter, style, color, part)
	}
}

// drawFigures writes a line of figures at the lower edge, as many as fit. It returns its upper
// edge.
func (c *Client) drawFigures(o *render.Overlay, all render.Rect) float32 {
	theme, st := o.Theme(), c.net.Stats()
	line := o.LineHeight(render.TextSmall)
	r := render.Rect{X: all.X, Y: all.Y + all.H - line - 8, W: all.W, H: line + 8}
	o.Panel(r)
	w := o.At(r.X+10, r.Y+4, render.TextSmall, theme.Text)
	label := func(text string) *render.Writer { return w.Color(theme.TextDim).Str(text).Color(theme.Text) }
	label("round trip ").Millis(st.RTT, 0).Str(" ms")
	label("   delay ").Millis(st.Delay, 0).Str(" ms")
	label("   loss ").Float(100*st.Loss, 0).Str(" %")
	if all.W > 520 {
		label("   lead ").Millis(st.Lead, 0).Str(" ms")
		label("   corrections ").Uint(st.Corrections)
	}
	if all.W > 640 {
		label("   every ").Millis(st.Interval, 0).Str(" ms")
	}
	if all.W > 760 {
		label("   starved ").Float(float64(c.graphs.starved), 1).Str(" %")
	}
	if all.W > 1000 {
		label("   down ").Float(c.graphs.down/1000, 1).Str(" kB/s")
		label("   up ").Float(c.graphs.up/1000, 1).Str(" kB/s")
		if st.Path.Cause != netcode.RateFree {
			label(" of ").Float(st.Path.Rate/1000, 1).Str(" (").Str(st.Path.Cause.String()).Str(")")
		}
		label("   interpolation ").Str(articles.Display(c.set.Interpolation))
	}
	if c.Hint && all.W > 360 {
		const text = "all keys"
		x := r.X + r.W - o.Width(render.TextSmall, text) - 34
		o.Key(x, r.Y+2, "H")
		o.Text(x+24, r.Y+4, render.TextSmall, theme.TextDim, text)
	}
	return r.Y
}

// headlineWidth returns the width of the headline. In a narrow picture it has the player only.
func headlineWidth(l settings.Link, all render.Rect) float32 {
	wide := float32(184)
	if l.Bursts || l.Latency >= time.Second {
		wide = 232
	}
	if name, figures := lineOf(l); name != "" && figures {
		wide += 56
	}
	if all.W < wide+clockWidth+scoresWidth+12 {
		return 92
	}
	return wide
}

// lineOf returns what is to be said of a simulated line: its name, if it has one, and whether there
// are figures besides.
func lineOf(l settings.Link) (name string, figures bool) {
	return l.Line, l.Latency != 0 || l.Jitter != 0 || l.Loss != 0 || l.Duplicate != 0 || l.Reorder != 0
}

// drawHeadline writes the player, the simulated line and the switched-off parts of the netcode.
func (c *Client) drawHeadline(o *render.Overlay, all render.Rect) {
	theme := o.Theme()
	line := o.LineHeight(render.TextSmall)
	off := ""
	switch {
	case !c.set.Predict && !c.set.Reconcile:
		off = "no prediction, no reconciliation"
	case !c.set.Predict:
		off = "no prediction"
	case !c.set.Reconcile:
		off = "no reconciliation"
	}
	colors := colorsOf(theme)
	l := c.config.Link
	r := render.Rect{X: all.X, Y: all.Y, W: headlineWidth(l, all), H: 3*line + 10}
	brief := r.W < 184
	if brief {
		r.H = line + 10
	} else if off != "" {
		r.H += line
	}
	o.Panel(r)
	if n := c.net.Number(); n == 0 {
		o.Text(r.X+10, r.Y+4, render.TextSmall, theme.TextDim, "joining")
	} else {
		o.Dot(r.X+15, r.Y+5+line/2, 5, colors.onPanel(n, colors.player(n)))
		o.At(r.X+28, r.Y+4, render.TextSmall, theme.Text).Str("player ").Uint(uint64(n))
	}
	if me, ok := c.net.State(); ok && !brief {
		x := r.X + r.W - 16 - 11*arena.RocketAmmo
		o.TextAligned(x, r.Y+4, render.AlignRight, render.TextSmall, theme.TextDim, "rockets")
		for k := range arena.RocketAmmo {
			color := theme.PanelLine
			if k < arena.RocketAmmo-int(me.Spent) {
				color = theme.Bad
			}
			o.Rect(render.Rect{X: x + 8 + 11*float32(k), Y: r.Y + 6, W: 6, H: line - 4}, color)
		}
	}
	if brief {
		return
	}
	w := o.At(r.X+10, r.Y+4+line, render.TextSmall, theme.TextDim)
	name, figures := lineOf(l)
	if name == "" && !figures {
		w.Str("no simulated line")
	} else if w.Str("line: ").Str(name); figures {
		if name != "" {
			w.Str(", ")
		}
		w.Millis(l.Latency, 0).Str(" ms ± ").Millis(l.Jitter, 0).Str(" ms, ").Float(100*l.Loss, 0).Str(" % lost")
		if l.Bursts {
			w.Str(" (bursts)")
		}
	}
	w = o.At(r.X+10, r.Y+4+2*line, render.TextSmall, theme.TextDim).Str("agreed hits: ")
	if a := c.agreement; a.Hits == 0 {
		w.Str("none yet")
	} else {
		w.Color(theme.Text).Float(100*float64(a.Agreed)/float64(a.Hits), 0).Str(" % ").Color(theme.TextDim).Str("of ").Uint(a.Hits)
	}
	if off != "" {
		o.Text(r.X+10, r.Y+4+3*line, render.TextSmall, theme.Bad, off)
	}
}

// drawScores lists the best five players: in a corner, and after a round in the middle. An own
// player below them takes the fifth place.
func (c *Client) drawScores(o *render.Overlay, all render.Rect) {
	theme := o.Theme()
	style := render.TextSmall
	over := c.rules.RoundAt(c.tick).Phase == arena.Over
	if over {
		style = render.TextHeading
	}
	line := o.LineHeight(style)
	c.board = ranked(c.board, c.objects)
	if len(c.board) == 0 {
		return
	}
	w := float32(scoresWidth)
	r := render.Rect{X: all.X + all.W - w, Y: all.Y, W: w, H: float32(len(c.board))*(line+2) + 8}
	if over {
		w = 210
		r.X, r.Y, r.W = all.X+(all.W-w)/2, all.Y+0.3*all.H, w
	}
	o.Panel(r)
	colors := colorsOf(theme)
	for i, v := range c.board {
		y := r.Y + 5 + float32(i)*(line+2)
		o.Dot(r.X+15, y+line/2, 5, colors.onPanel(v.rep.Owner, colors.player(v.rep.Owner)))
		color := theme.TextDim
		if v.own {
			color = theme.Text
		}
		name, number := c.nameIn(v)
		if text := o.At(r.X+28, y, style, color).Str(name); number > 0 {
			text.Uint(number)
		}
		o.At(r.X+w-34, y, style, color).FloatRight(float64(v.pawn.Score), 0, 24)
	}
}

// boardSize is the number of players on the board.
const boardSize = 5

// ranked returns the best players, in the memory of board. The own player takes the last place if
// it has no better one.
func ranked(board []*object, all []object) []*object {
	board = board[:0]
	for i := range all {
		if v := &all[i]; v.rep.Archetype == arena.ArchetypePlayer {
			board = append(board, v)
		}
	}
	slices.SortFunc(board, func(a, b *object) int {
		return cmp.Or(cmp.Compare(b.pawn.Score, a.pawn.Score), cmp.Compare(a.rep.Owner, b.rep.Owner))
	})
	if len(board) <= boardSize {
		return board
	}
	if me := slices.IndexFunc(board, func(v *object) bool { return v.own }); me >= boardSize {
		board[boardSize-1] = board[me]
	}
	return board[:boardSize]
}
