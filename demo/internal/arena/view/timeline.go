package view

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

// timelineShown is how much of the time a picture shows.
const timelineShown = 8 * time.Second

// timelineSize is enough events for that, with one other player at 120 frames a second.
const timelineSize = 1 << 13

// why is the timeline in the picture.
type why struct {
	log  *timeline.Log // nil: not shown
	body netcode.EntityID
	// of a replay: fillTimeline has filled the log from a time on; and the moment of the last frame
	filled   bool
	from, at time.Duration
}

// watchTimeline begins or ends the timeline, and keeps it at a body: the other player that is
// nearest to the own one when it begins, as long as that one is there.
func (c *Client) watchTimeline() {
	if !c.set.Timeline {
		if c.why.log != nil {
			c.net.Watch(nil)
			c.why = why{}
		}
		return
	}
	defer c.fillTimeline()
	if c.why.log != nil && !c.seeksBody() {
		return
	}
	if c.why.log == nil {
		c.why.log = timeline.New(timelineSize)
		if r := c.net.Replay(); r != nil {
			c.why.at = r.At()
		}
	}
	c.why.body, c.why.filled = netcode.NoEntity, false
	var own, best *object
	for i := range c.objects {
		if v := &c.objects[i]; v.own {
			own = v
		}
	}
	for i := range c.objects {
		v := &c.objects[i]
		if v.own || v.rep.Archetype != arena.ArchetypePlayer {
			continue
		}
		if best == nil || own != nil && v.pose.Position.Sub(own.pose.Position).Len() < best.pose.Position.Sub(own.pose.Position).Len() {
			best = v
		}
	}
	if best != nil {
		c.why.body = best.rep.ID
		c.why.log.Names[best.rep.ID] = fmt.Sprintf("player %d", best.rep.Owner)
	}
	c.net.Watch(c.why.log, c.why.body)
}

// seeksBody reports whether the timeline needs another body: its own has gone, or is now the own
// player's, or there was none and now there is.
func (c *Client) seeksBody() bool {
	if c.why.body == netcode.NoEntity {
		return c.others() > 0
	}
	e := c.net.Replica(c.why.body)
	return e.IsZero() || e == c.net.Entity() && c.others() > 0
}

// fillTimeline gives the timeline of a replay what was before: when it begins, and when the replay
// stands at the target of a seek. Another client plays the same recording up to this moment.
func (c *Client) fillTimeline() {
	r := c.net.Replay()
	if r == nil {
		return
	}
	at := r.At()
	stands := at == c.why.at
	c.why.at = at
	from, _ := c.why.log.Span()
	enough := c.why.filled && (from <= at-timelineShown || from == c.why.from)
	if !stands || enough {
		return
	}
	before, err := New(Config{Replay: r.Tape(), Log: slog.New(slog.DiscardHandler)})
	if err != nil { // this client has opened the same
		return
	}
	defer before.Close()
	before.look = c.look
	before.Follow(c.net.Number())
	before.Show(at - timelineShown - time.Second)
	_ = before.engine.SetScale(0)
	c.why.log.Clear()
	before.net.Watch(c.why.log, c.why.body)
	for last := time.Duration(-1); before.net.Replay().At() < at && before.net.Replay().At() > last; {
		last = before.net.Replay().At()
		before.Step()
		before.engine.Update(0)
	}
	c.why.filled = true
	c.why.from, _ = c.why.log.Span()
	c.net.Watch(c.why.log, c.why.body)
}

// others returns how many other players are in the picture.
func (c *Client) others() (n int) {
	for i := range c.objects {
		if v := &c.objects[i]; !v.own && v.rep.Archetype == arena.ArchetypePlayer {
			n++
		}
	}
	return n
}

// drawTimeline draws the timeline above a line.
func (c *Client) drawTimeline(o *render.Overlay, all render.Rect, bottom float32) {
	_, to := c.why.log.Span()
	from := to - timelineShown
	tracks := c.why.log.Clip(from-time.Second, to).Tracks()
	high := min(bottom-all.Y, 0.55*all.H)
	hud.Timeline(o, render.Rect{X: all.X, Y: bottom - high, W: all.W, H: high}, tracks, from, to)
}
