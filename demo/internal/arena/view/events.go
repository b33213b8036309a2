package view

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// seen is the picture of a player in the last frame.
type seen struct {
	position mgl32.Vec3
	pawn     arena.Pawn    // zero until it arrives
	hit      time.Duration // real time of the last hit; zero: none
	text     netcode.Text
	name     string // the same
}

// nameOf returns a player's name as a string, which it makes once.
func (c *Client) nameOf(e arche.Entity, text netcode.Text) string {
	was := c.seen[e]
	if was.text != text {
		was.text, was.name = text, text.String()
		c.seen[e] = was
	}
	return was.name
}

// A player that moves further than this between two frames, and further than the top speed allows,
// has teleported: through a portal, or to a spawn point.
const (
	teleportDistance = 4.0
	topSpeed         = 15.0 // m/s
)

// watch compares a player with the last frame. It notes hits. It marks the places where the player
// has vanished and appeared, so that others can follow a teleport.
func (c *Client) watch(v *object) {
	clock := c.engine.Time()
	was, known := c.seen[v.entity]
	now := was
	now.position, now.pawn = v.pose.Position, v.pawn
	if was.pawn != (arena.Pawn{}) && v.pawn.Hits != was.pawn.Hits {
		now.hit = c.now()
	}
	c.seen[v.entity] = now
	if known && now.position.Sub(was.position).Len() > teleportDistance+topSpeed*float32(clock.NormalDelta.Seconds()) {
		for _, at := range [...]mgl32.Vec3{was.position, now.position} {
			c.show(effect{at: c.now(), to: at, owner: v.rep.Owner, kind: teleports})
		}
	}
}

// step runs in every fixed step, after the netcode has written its entities.
func (c *Client) step(w *arche.World) {
	if r := c.net.Replay(); r != nil {
		c.tick = r.Tape().Tick(r.At())
		c.watchRockets(w)
		return
	}
	c.watchRockets(w)
	me, playing := c.net.State()
	own := c.net.Entity()
	if status, _ := c.net.Status(); status == netcode.Playing && playing && !own.IsZero() && c.set.Predict {
		c.ownEvents(me)
	}
}

// ownEvents shows the own player's actions at once.
func (c *Client) ownEvents(me arena.State) {
	if me.Shots != c.shots {
		fired := me.Shots-c.shots < 128 // a correction may undo a shot
		c.shots = me.Shots
		if fired {
			shot := arena.ShotOf(me)
			reach, victim := c.sight(shot, arena.HitRadius, c.rules.Reach(shot, c.tick))
			c.screen[arena.ShotFired][me.Shots] = victim
			c.show(effect{at: c.now(), from: shot.At(0.6), to: shot.At(reach), owner: c.net.Number()})
		}
	}
}

// Say shows a text for some seconds.
func (c *Client) Say(text string) { c.notice, c.noticeAt = text, c.engine.Time().Real }

// receive handles a message from the server. An event is shown when the view of the other players
// reaches its time.
func (c *Client) receive(data []byte, _ bool) {
	e, ok := arena.ReadEvent(data)
	if !ok || e.Kind != arena.RocketEnded { // that one is for its player only
		_ = c.net.Note(data) // it fits: it was received
	}
	if text, ok := arena.ReadNotice(data); ok {
		c.Say(text)
		return
	}
	replayed := c.net.Replay() != nil
	if own := e.Player == c.net.Number(); ok && own && !replayed && e.Kind != arena.Pushed && c.set.Predict {
		c.judge(e)
		return
	}
	if !ok || e.Kind == arena.RocketEnded {
		return
	}
	now := c.now()
	stats := c.net.Stats()
	if !replayed && e.Player != c.net.Number() {
		now += max(stats.Delay-stats.RTT/2, 0)
	}
	kind := streak
	if e.Kind == arena.Pushed {
		kind = pushes
	}
	c.show(effect{at: now, to: e.To, owner: e.Player, kind: kind, fromMuzzle: e.Kind == arena.ShotFired})
}
