package view

import (
	"fmt"
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
	if c.why.log != nil && (c.why.body == netcode.NoEntity || !c.net.Replica(c.why.body).IsZero()) && !(c.why.body == netcode.NoEntity && c.others() > 0) {
		return
	}
	if c.why.log == nil {
		c.why.log = timeline.New(timelineSize)
	}
	c.why.body = netcode.NoEntity
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
