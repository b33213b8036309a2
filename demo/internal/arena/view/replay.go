package view

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// View is where a replay is seen from.
type View uint8

// The views, in the order of the key.
const (
	Above View = iota // the camera of the match: it follows the player from above
	Eyes              // by the eyes of the player
	Free              // the user moves the camera
	views
)

var (
	viewNames = [views]string{"above", "eyes", "free"} // as a flag takes them
	viewTexts = [views]string{"from above", "by the player's eyes", "free camera"}
)

// MarshalText implements [encoding.TextMarshaler].
func (v View) MarshalText() ([]byte, error) { return []byte(viewNames[v]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (v *View) UnmarshalText(text []byte) error {
	i := slices.Index(viewNames[:], string(text))
	if i < 0 {
		return errors.New("above, eyes or free")
	}
	*v = View(i)
	return nil
}

// now returns the time for effects, which stands in a pause.
func (c *Client) now() time.Duration { return c.engine.Time().Normal }

// setPace gives a replay the speed of the settings.
func (c *Client) setPace() {
	speed := c.set.Speed
	if c.set.Paused {
		speed = 0
	}
	_ = c.engine.SetScale(speed) // nothing holds the clock of a replay, and flags limit the speed
}

// Show goes to a time of a replay and shows it at once, whatever the speed is. The step at the
// first moment would come a whole tick later, and in slow motion after many frames.
func (c *Client) Show(at time.Duration) {
	_ = c.engine.SetScale(0)
	c.net.Replay().Seek(at)
	c.Advance(0)
	c.setPace()
}

// Step shows the next tick of a paused replay.
func (c *Client) Step() { _ = c.engine.RequestStep() }

// jumped drops everything that belongs to the moment before a seek.
func (c *Client) jumped() {
	c.effects, c.marked, c.notice = c.effects[:0], c.marked[:0], ""
	clear(c.seen)
}

// Follow follows a player of a replay; 0: none. By that player's eyes others are where its screen
// had them.
func (c *Client) Follow(player uint16) {
	if c.look == Eyes {
		c.net.Replay().FollowEyes(player)
	} else {
		c.net.Replay().Follow(player)
	}
}

// NextPlayer follows the player with the next higher number that takes part at this moment of the
// replay, and after the last the first.
func (c *Client) NextPlayer() {
	var all []uint16
	c.net.Replay().Players(func(number uint16, _ netcode.EntityID) { all = append(all, number) })
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	i, found := slices.BinarySearch(all, c.net.Number())
	if found {
		i++
	}
	c.Follow(all[i%len(all)])
}

// NextView changes the view of a replay.
func (c *Client) NextView() { c.SetView((c.look + 1) % views) }

// SetView sets the view of a replay.
func (c *Client) SetView(v View) {
	if c.look = v; v == Above {
		c.camera.orbit.Yaw, c.camera.orbit.Pitch = 0, newCamera().orbit.Pitch
	}
	c.Follow(c.net.Number())
}

// MoveCamera moves the camera of the free view by an event of the mouse.
func (c *Client) MoveCamera(e render.Event) {
	if c.look == Free {
		c.camera.control.Handle(&c.camera.orbit, e, c.camera.viewport)
	} else if e.Kind == render.Scroll {
		c.Zoom(e.Y)
	}
}

// byEyes returns the object by whose eyes the picture is seen; nil: by none.
func (c *Client) byEyes() *object {
	if c.look != Eyes {
		return nil
	}
	for i := range c.objects {
		if c.objects[i].own {
			return &c.objects[i]
		}
	}
	return nil
}

// eyeHeight is where a player's eyes are above its feet, in m.
const eyeHeight = 1.5

// lookTime is the time constant of the eyes' turns. A player that aims from above turns at once:
// seen from within, that would be too fast to follow.
const lookTime = 70 * time.Millisecond

// turnEyes turns the camera in the head of a player, in a frame of a length. The pose has the
// direction over the floor. How far up the player looks is in the input, if the recording has it.
func (c *Client) turnEyes(v *object, real time.Duration) {
	var pitch float32
	if in, ok := c.net.Input(); ok {
		pitch = float32(in.Pitch) * (math.Pi / 256)
	}
	aim := v.pose.Rotation.Rotate(arena.Direction(0, pitch))
	way := aim.Sub(c.camera.aim).Mul(float32(1 - math.Exp(-real.Seconds()/lookTime.Seconds())))
	if to := c.camera.aim.Add(way); to.Len() > 0.1 && real > 0 {
		aim = to.Normalize()
	}
	c.camera.aim = aim
}

// eyeCamera returns the camera in the head of a player.
func (c *Client) eyeCamera(v *object) render.Camera {
	at := v.pose.Apply(mgl32.Vec3{0, eyeHeight, 0})
	return render.Camera{Position: at, Target: at.Add(c.camera.aim.Mul(10)), FOV: 1.1, Near: 0.05}
}

// nameIn returns what a picture calls a player: in a match the own one is "you".
func (c *Client) nameIn(v *object) (name string, number uint64) {
	switch {
	case v.own && c.net.Replay() == nil:
		return "you", 0
	case v.name != "":
		return v.name, 0
	}
	return "player ", uint64(v.rep.Owner)
}

// drawReplayHeadline writes the player that is followed, and the view.
func (c *Client) drawReplayHeadline(o *render.Overlay, all render.Rect) {
	theme, line := o.Theme(), o.LineHeight(render.TextSmall)
	colors := colorsOf(theme)
	const badge = "REPLAY"
	r := render.Rect{X: all.X, Y: all.Y, W: headlineWidth(settings.Link{}, all), H: 2*line + 10}
	o.Panel(r)
	n := c.net.Number()
	if n == 0 {
		o.Text(r.X+10, r.Y+4, render.TextSmall, theme.Text, "no player")
	} else {
		o.Dot(r.X+15, r.Y+5+line/2, 5, colors.onPanel(n, colors.player(n)))
		name, number := "player ", uint64(n)
		for i := range c.objects {
			if c.objects[i].own {
				name, number = c.nameIn(&c.objects[i])
			}
		}
		w := o.At(r.X+28, r.Y+4, render.TextSmall, theme.Text).Str(name)
		if number > 0 {
			w.Uint(number)
		}
	}
	if r.W < 184 {
		o.Text(r.X+10, r.Y+4+line, render.TextSmall, theme.Bad, badge)
		return
	}
	o.TextAligned(r.X+r.W-10, r.Y+4, render.AlignRight, render.TextSmall, theme.Bad, badge)
	o.Text(r.X+10, r.Y+4+line, render.TextSmall, theme.TextDim, viewTexts[c.look])
}

// PlayerName returns the name of a player at this moment, or its number in words.
func (c *Client) PlayerName(number uint16) string {
	for i := range c.objects {
		if v := &c.objects[i]; v.rep.Archetype == arena.ArchetypePlayer && v.rep.Owner == number && v.name != "" {
			return v.name
		}
	}
	return fmt.Sprintf("player %d", number)
}
