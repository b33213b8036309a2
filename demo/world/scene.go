package main

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	demo "github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// scene is the picture of the whole world: a spectator in each zone shows the entities of that
// zone. A spectator is a client like any other, so what it draws is as smooth as what players see,
// and it shows a dead zone as players do.
type scene struct {
	supervisor *supervisor
	eyes       [len(allZones)]*view.Client
	known      map[uint64]*thing           // by name
	rockets    [len(allZones)][]view.Thing // by eye
	flashes    []flash
	brush      demo.Brush
	frame      *render.Frame
	now        time.Duration
	frames     uint64
	capture    bool // the next frame is saved

	orbit render.Orbit
	mouse demo.Mouse
}

// thing is an entity of the world, as it is drawn.
type thing struct {
	eye   int // that shows it
	shown view.Thing
	zone  int    // that it belongs to, as that eye says
	frame uint64 // in which it was seen
}

// flash marks a hand-over.
type flash struct {
	at    time.Duration
	name  uint64
	place mgl32.Vec3
	from  int
	to    int
}

const flashTime = 1200 * time.Millisecond

func newScene(s *supervisor) (*scene, error) {
	c := &scene{supervisor: s, known: map[uint64]*thing{}, frame: render.NewFrame(theme())}
	c.resetCamera()
	for i := range c.eyes {
		dial := func() (transport.Conn, error) {
			if link := s.places[i].status().Link; link != "" {
				return dialAt(link)
			}
			return nil, errNoZone
		}
		var err error
		if c.eyes[i], err = newClient(s.rate, dial, func(v *view.Config) { v.Token, v.World.DialAt = []byte(arena.SpectatorToken), nil }); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func (c *scene) close() {
	for _, e := range c.eyes {
		if e != nil {
			e.Close()
		}
	}
}

// advance runs a frame of all eyes, and finds out which of them shows each entity.
func (c *scene) advance(real time.Duration) {
	c.now += real
	c.frames++
	for _, e := range c.eyes {
		e.Advance(real)
	}
	for i, e := range c.eyes {
		w := e.Engine().World()
		c.rockets[i] = c.rockets[i][:0]
		e.Things(func(t view.Thing) {
			b, ok := badgeOf(w, t.Entity)
			switch {
			case t.Archetype == arena.ArchetypeRocket: // it stays with its zone, and has no name
				c.rockets[i] = append(c.rockets[i], t)
				return
			case !ok || b.Zone < 1 || int(b.Zone) > len(allZones):
				return // it has just been made
			}
			c.see(i, int(b.Zone)-1, b.Name, t)
		})
	}
	for name, k := range c.known {
		if k.frame != c.frames {
			delete(c.known, name)
		}
	}
	for len(c.flashes) > 0 && c.now-c.flashes[0].at > flashTime {
		c.flashes = c.flashes[1:]
	}
}

// see notes what an eye shows. The eye of the zone that has the entity is the best one: the others
// show what that zone says of it.
func (c *scene) see(eye, zone int, name uint64, t view.Thing) {
	k := c.known[name]
	switch {
	case k == nil:
		c.known[name] = &thing{eye, t, zone, c.frames}
		return
	case k.frame == c.frames && eye != zone:
		return
	}
	if k.zone != zone && eye == zone { // handed over
		c.flashes = append(c.flashes, flash{c.now, name, t.Pose.Position, k.zone, zone})
		k.zone = zone
	}
	k.eye, k.shown, k.frame = eye, t, c.frames
}

// resetCamera puts the camera above the world.
func (c *scene) resetCamera() {
	c.orbit = render.Orbit{Target: mgl32.Vec3{0, 0, 2.6}, Pitch: 1.15, Distance: 122, MinDistance: 15, MaxDistance: 200}
}

// event turns, moves and zooms by the mouse.
func (c *scene) event(e render.Event, size render.Size) {
	m := c.mouse.Event(e, size)
	c.orbit.Rotate(m.Yaw, m.Pitch)
	c.orbit.Pan(m.Right, m.Up)
	c.orbit.Zoom(m.Zoom)
}
