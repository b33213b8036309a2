package view

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// World is what a client of a world of zones needs beside that of a match. The zero value is for a
// match.
type World struct {
	Level  *arena.Level                            // nil: that of arena.NewLevel
	Extend func(p *arena.Protocol)                 // adds to the protocol, as on the server
	DialAt func(at string) (transport.Conn, error) // to the zone that another one names
	// Timeout is the silence after which the client tries another connection, and Retry the pause
	// between two tries; zero: the netcode's defaults.
	Timeout, Retry time.Duration
}

// Canvas draws parts of a client's picture into one that several clients share. It is for one
// frame.
type Canvas struct{ p painter }

// Canvas returns one for a view of the frame. The brush must not change until the frame has been
// drawn.
func (c *Client) Canvas(f *render.Frame, v *render.View, brush *scene.Brush) *Canvas {
	return &Canvas{painter{client: c, b: brush, t: &f.Theme, c: colorsOf(&f.Theme), v: v, o: &f.Overlay}}
}

// Thing is a drawn entity.
type Thing struct {
	Entity    arche.Entity // of the client's world
	Archetype uint16
	Player    uint16            // the number of the player that it belongs to; 0: none
	Pose      components.Pose3D // drawn, in the world
	object    *object
}

// Things calls f for all entities that the client shows in this frame.
func (c *Client) Things(f func(t Thing)) {
	for i := range c.objects {
		v := &c.objects[i]
		f(Thing{v.entity, v.rep.Archetype, v.rep.Owner, v.pose, v})
	}
}

// IsPlayer reports whether the thing is a player.
func (t *Thing) IsPlayer() bool { return t.Archetype == arena.ArchetypePlayer }

// Floor draws all of the level that stands still.
func (k *Canvas) Floor() { k.p.level() }

// Thing draws an entity of this client. Players and crates have the colour.
func (k *Canvas) Thing(t Thing, color render.Color) {
	k.p.tint = color
	k.p.object(t.object)
}

// Effects draws the shots, blasts and teleports that the client has seen, in a colour.
func (k *Canvas) Effects(color render.Color) {
	k.p.tint = color
	k.p.shots()
}
