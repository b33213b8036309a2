package arena

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Doors.
const (
	DoorHeight = 2.2 // m
	PlateSize  = 1.8 // m: the edge length of a switch plate

	doorSeconds     = 0.6 // of a slide
	announceSeconds = 0.6 // between the announcement of a slide and its beginning
)

// Doorway is a gap between two walls with a door, which slides into the floor.
type Doorway struct {
	Shut   Box           // the door's place while it is shut
	Plates [2]mgl32.Vec3 // middles of the switch plates on the floor, one on either side
}

// OnPlate reports whether feet press one of the switch plates, and which.
func (d *Doorway) OnPlate(feet mgl32.Vec3) (plate int, on bool) {
	for i, at := range d.Plates {
		if away := feet.Sub(at); feet[1] < 0.1 && max(abs(away[0]), abs(away[2])) < PlateSize/2 {
			return i, true
		}
	}
	return 0, false
}

// Blocked reports whether a round body on the floor stands where the shut door would be.
func (d *Doorway) Blocked(at mgl32.Vec3, radius float32) bool {
	return d.Shut.reaches(at, radius) && at[1] < DoorHeight-stepHeight
}

// Door is the value of a door's match state. The door's place at any tick follows from it, so a
// door in motion takes no poses on the wire.
type Door struct {
	Open  bool
	Since netcode.Tick // the door has begun to slide in this tick
}

// lowered returns the part of a door that is in the floor at a tick, 0 to 1.
func (d Door) lowered(at netcode.Tick, rate int) float32 {
	part := float32(1)
	if since := at.Sub(d.Since); since >= 0 {
		part = min(float32(since)/(doorSeconds*float32(rate)), 1)
	}
	if d.Open {
		return part
	}
	return 1 - part
}

// Announce returns the tick at which a door may begin to slide if the server decides so in tick
// now: late enough for all clients to know before they predict it, and after the last slide.
func (r *Rules) Announce(last Door, now netcode.Tick) netcode.Tick {
	from := now.Add(int(announceSeconds * float32(r.Rate)))
	if done := last.Since.Add(int(doorSeconds*float32(r.Rate)) + 1); done.IsNewer(from) {
		return done
	}
	return from
}

// DoorAt returns the value of a door in a tick. Before [Rules.NewProtocol] all doors are shut.
func (r *Rules) DoorAt(i int, t netcode.Tick) Door {
	if r.Doors == nil {
		return Door{}
	}
	return r.Doors[i].At(t)
}

// DoorAhead returns the value that a door has when all that is announced in tick t has happened.
func (r *Rules) DoorAhead(i int, t netcode.Tick) Door {
	return r.DoorAt(i, t.Add(2*r.Rate))
}

// doorBox returns a door's place at the end of the step of a tick, and whether there is something
// left of it above the floor.
func (r *Rules) doorBox(i int, t netcode.Tick) (Box, bool) {
	b, lowered := r.Level.Doors[i].Shut, r.DoorAt(i, t).lowered(t.Add(1), r.Rate)
	b.Max[1] -= lowered * DoorHeight
	return b, lowered < 1
}

// doorPose returns the pose of a door's middle in the state of a tick.
func (r *Rules) doorPose(i int, t netcode.Tick) components.Pose3D {
	at := r.Level.Doors[i].Shut.Center()
	return components.At3D(at[0], at[1]-DoorHeight*r.DoorAt(i, t).lowered(t, r.Rate), at[2])
}
