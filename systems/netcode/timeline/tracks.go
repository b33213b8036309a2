package timeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

const (
	// pause is the time without a value that breaks a line.
	pause = 250 * time.Millisecond
	// longFrame is the length from which on a frame is a slice: a picture at less than 30 Hz.
	longFrame = 33 * time.Millisecond
	// newStream is how far the number of a packet may be behind another one of the same connection.
	newStream = 1 << 12
)

// Tracks returns what the log tells, for a picture: the line, the bodies in the order in which they
// appear, the own player, and the machine. It leaves out tracks about which the log knows nothing.
func (l *Log) Tracks() []Track {
	b := builder{log: l}
	for e := range l.Events() {
		b.add(&e)
	}
	return b.tracks()
}

// builder makes tracks out of events.
type builder struct {
	log      *Log
	line     lineTrack
	bodies   []*bodyTrack
	player   playerTrack
	machine  machineTrack
	arrivals []arrival
}

type lineTrack struct {
	slices                   []Slice
	marks                    []Mark
	late, wanted, had, speed Line
	waits                    period
}

type bodyTrack struct {
	id                           snapshot.ID
	own                          bool
	slices                       []Slice
	marks                        []Mark
	ahead, beyond, offset, speed Line
	wrong                        Line
	starved, held                period
	last                         time.Duration // of the newest Drawn
}

type playerTrack struct {
	marks                              []Mark
	errors, lead, stretch, redundantly Line
}

type machineTrack struct {
	slices []Slice
	marks  []Mark
	steps  Line
}

// arrival is a snapshot. Early is when it would have come with the fastest packets.
type arrival struct {
	number uint32
	early  time.Duration
}

// period is something that lasts over several steps.
type period struct {
	open     bool
	from, to time.Duration
}

// step extends a period by a step that ends at a time, or ends it. It returns the whole.
func (p *period) step(on bool, since, at time.Duration) (whole period, ended bool) {
	switch {
	case on && !p.open:
		*p = period{true, since, at}
	case on:
		p.to = at
	case p.open:
		p.open = false
		return *p, true
	}
	return whole, false
}

func (c *Line) add(at time.Duration, v float64) {
	if n := len(c.Points); n > 0 && !c.Dots && at-c.Points[n-1].At > pause {
		c.Points = append(c.Points, Point{c.Points[n-1].At, math.NaN()})
	}
	c.Points = append(c.Points, Point{at, v})
}

// seconds returns a time in seconds, to a microsecond, and nothing for one that is none.
func seconds(s float32) time.Duration {
	if !(math.Abs(float64(s)) < 1e6) {
		return 0
	}
	return time.Duration(math.Round(1e6*float64(s))) * time.Microsecond
}

func millis(s float32) float64 { return 1000 * float64(s) }

// number writes an error, which may be infinite or none.
func number(v float32) string {
	if v-v != 0 {
		return "∞"
	}
	return fmt.Sprintf("%.3g", v)
}

// body returns the track of a body.
func (b *builder) body(e *Event) *bodyTrack {
	for _, t := range b.bodies {
		if t.id == e.Body && t.own == (e.Flags&Own != 0) {
			return t
		}
	}
	t := &bodyTrack{id: e.Body, own: e.Flags&Own != 0}
	b.bodies = append(b.bodies, t)
	return t
}

func (b *builder) add(e *Event) {
	switch e.Kind {
	case Snapshot, View, Connection:
		b.addLine(e)
	case Sample, Hold, Drawn, Spawned, Ended, Parent, Teleported, Mispredicted:
		b.body(e).add(b.log, e)
	case State, Missed, ClockJump:
		b.player.add(e)
	case Frame:
		b.addFrame(e)
	}
}

func (b *builder) addLine(e *Event) {
	t := &b.line
	switch e.Kind {
	case Snapshot:
		way := seconds(e.B)
		if way <= 0 {
			way = max(seconds(e.A), 0)
		}
		t.slices = append(t.slices, Slice{Name: snapshotName, From: e.At - way, To: e.At, Text: fmt.Sprintf("packet %d, %.0f ms after the fastest", e.N, millis(e.A))})
		t.late.Dots = true
		t.late.add(e.At, millis(e.A))
		b.arrivals = append(b.arrivals, arrival{e.N, e.At - seconds(e.A)})
	case View:
		since := e.At
		if n := len(t.had.Points); n > 0 && e.At-t.had.Points[n-1].At < pause {
			since = t.had.Points[n-1].At
		}
		t.had.add(e.At, millis(e.A))
		t.wanted.add(e.At, millis(e.B))
		t.speed.add(e.At, float64(e.C))
		if p, ended := t.waits.step(e.C == 0, since, e.At); ended {
			t.slices = append(t.slices, waits(p))
		}
	case Connection:
		names := [...]string{"joining", "playing", "lost", "ended"}
		name := names[min(int(e.N), len(names)-1)]
		t.marks = append(t.marks, Mark{Name: "connection", At: e.At, Text: name, Bad: e.N >= 2})
	}
}

func waits(p period) Slice {
	return Slice{Name: "view waits", From: p.from, To: p.to, Text: "for a snapshot", Bad: true}
}

func (t *bodyTrack) add(l *Log, e *Event) {
	mark := func(name, text string, bad bool) { t.marks = append(t.marks, Mark{name, e.At, text, bad}) }
	switch e.Kind {
	case Sample:
		mark("sample", fmt.Sprintf("tick %d, %.0f ms after the fastest", e.N, millis(e.A)), false)
		t.ahead.Dots = true
		t.ahead.add(e.At, millis(e.B))
	case Hold:
		mark("stands", "no change up to "+e.Server.String(), false)
	case Spawned:
		mark("spawned", "", false)
	case Ended:
		mark("ended", "", false)
	case Parent:
		text := "the world"
		if e.N != 0 {
			text = l.name(snapshot.ID(e.N))
		}
		mark("frame", "of "+text, false)
	case Teleported:
		mark("teleported", "", true)
	case Mispredicted:
		mark("corrected", "by "+number(e.A), true)
		t.wrong.Dots = true
		t.wrong.add(e.At, float64(e.A))
	case Drawn:
		since := e.At
		if e.At-t.last < pause {
			since = t.last
		}
		t.last = e.At
		t.beyond.add(e.At, millis(e.A))
		t.offset.add(e.At, float64(e.B))
		speed := float64(e.C)
		if speed < 0 {
			speed = math.NaN()
		}
		t.speed.add(e.At, speed)
		if p, ended := t.starved.step(e.Flags&Starved != 0, since, e.At); ended {
			t.slices = append(t.slices, starved(p))
		}
		if p, ended := t.held.step(e.Flags&Held != 0, since, e.At); ended {
			t.slices = append(t.slices, held(p))
		}
	}
}

func starved(p period) Slice {
	return Slice{Name: "starved", From: p.from, To: p.to, Text: "no sample ahead of the view", Bad: true}
}

func held(p period) Slice {
	return Slice{Name: "held", From: p.from, To: p.to, Text: "stands, since extrapolation has ended", Bad: true}
}

func (t *playerTrack) add(e *Event) {
	switch e.Kind {
	case State:
		t.errors.Dots = true
		t.errors.add(e.At, float64(e.A))
		if e.Flags&Corrected != 0 {
			t.marks = append(t.marks, Mark{"corrected", e.At, fmt.Sprintf("by %s, %d ticks run again", number(e.A), e.N), true})
		}
	case Missed:
		t.marks = append(t.marks, Mark{"input missed", e.At, fmt.Sprintf("%d in a row", e.N), true})
	case ClockJump:
		t.marks = append(t.marks, Mark{"clock jump", e.At, fmt.Sprintf("by %d ticks", int32(e.N)), true})
	}
}

func (b *builder) addFrame(e *Event) {
	t := &b.machine
	t.steps.add(e.At, float64(e.N))
	if length := seconds(e.A); length > longFrame {
		t.slices = append(t.slices, Slice{Name: "long frame", From: e.At - length, To: e.At, Text: fmt.Sprintf("%.0f ms", millis(e.A)), Bad: true})
	}
	if e.B > 0 {
		t.marks = append(t.marks, Mark{"time dropped", e.At, fmt.Sprintf("%.0f ms", millis(e.B)), true})
	}
	if e.D > 0 { // it plays
		p := &b.player
		p.lead.add(e.At, millis(e.C))
		p.stretch.add(e.At, 100*(float64(e.D)-1))
		p.redundantly.add(e.At, float64(e.M))
	}
}

// name returns what a body is called.
func (l *Log) name(id snapshot.ID) string {
	if name, ok := l.Names[id]; ok {
		return name
	}
	return "body " + id.String()
}

// lost returns the snapshots that are missing between those that arrived.
func lost(all []arrival) (gone []Slice) {
	for len(all) > 0 {
		n, highest := 1, all[0].number
		for n < len(all) {
			ahead := int32(all[n].number - highest)
			if ahead < -newStream || ahead > newStream { // of another connection
				break
			}
			if ahead > 0 {
				highest = all[n].number
			}
			n++
		}
		stream := all[:n]
		all = all[n:]
		slices.SortStableFunc(stream, func(a, b arrival) int { return int(int32(a.number - b.number)) })
		for i, a := range stream[1:] {
			before := stream[i]
			missing := int32(a.number-before.number) - 1
			if missing <= 0 {
				continue
			}
			text := "1 snapshot"
			if missing > 1 {
				text = fmt.Sprintf("%d snapshots", missing)
			}
			gone = append(gone, Slice{Name: "lost", From: before.early, To: max(a.early, before.early), Text: text, Bad: true})
		}
	}
	return gone
}

// tracks ends what is still open, and returns the tracks.
func (b *builder) tracks() (all []Track) {
	add := func(t Track) {
		t.Charts = slices.DeleteFunc(t.Charts, func(c Chart) bool {
			return !slices.ContainsFunc(c.Lines, func(l Line) bool { return len(l.Points) > 0 })
		})
		if len(t.Slices)+len(t.Marks)+len(t.Charts) == 0 {
			return
		}
		slices.SortStableFunc(t.Slices, func(x, y Slice) int { return cmp.Compare(x.From, y.From) })
		slices.SortStableFunc(t.Marks, func(x, y Mark) int { return cmp.Compare(x.At, y.At) })
		all = append(all, t)
	}
	one := func(name, unit string, l Line) Chart { return Chart{name, unit, []Line{l}} }

	line := &b.line
	if p, open := line.waits.step(false, 0, 0); open {
		line.slices = append(line.slices, waits(p))
	}
	line.late.Name, line.wanted.Name, line.had.Name = "a snapshot's lateness", "wanted delay", "delay"
	add(Track{Name: "line", Slices: append(line.slices, lost(b.arrivals)...), Marks: line.marks, Charts: []Chart{
		{"delay beyond the fastest packets", "ms", []Line{line.late, line.wanted, line.had}},
		one("speed of the view", "times", line.speed),
	}})
	own := &bodyTrack{}
	for _, t := range b.bodies {
		if p, open := t.starved.step(false, 0, 0); open {
			t.slices = append(t.slices, starved(p))
		}
		if p, open := t.held.step(false, 0, 0); open {
			t.slices = append(t.slices, held(p))
		}
		if t.own {
			own = t
			continue
		}
		add(Track{b.log.name(t.id), t.slices, t.marks, []Chart{
			one("samples ahead of the picture", "ms", t.ahead), one("extrapolated", "ms", t.beyond),
			one("correction", "units", t.wrong), one("fading offset", "units", t.offset), one("drawn speed", "units/s", t.speed),
		}})
	}
	p := &b.player
	name := "own player"
	if title, ok := b.log.Names[own.id]; ok {
		name += ", " + title
	}
	// samples of the own body do not draw it
	own.marks = slices.DeleteFunc(own.marks, func(m Mark) bool { return m.Name == "sample" || m.Name == "stands" })
	add(Track{name, own.slices, append(own.marks, p.marks...), []Chart{
		one("error at each state", "units of Game.Distance", p.errors), one("fading offset", "units", own.offset), one("drawn speed", "units/s", own.speed),
		one("lead", "ms", p.lead), one("stretch of the time", "%", p.stretch), one("packets that carry an input", "", p.redundantly),
	}})
	add(Track{"machine", b.machine.slices, b.machine.marks, []Chart{one("steps per frame", "", b.machine.steps)}})
	return all
}
