package arena

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Rockets.
const (
	RocketSpeed  = 24.0 // m/s
	RocketRadius = 0.55 // m: of the capsule that a rocket hits, about a player
	RocketAmmo   = 3
	RocketDamage = 2
	BlastRadius  = 3.0 // m

	rocketReload = 0.7 // s between two rockets
	rocketRefill = 2.5 // s until a spent rocket is back
	rocketMuzzle = 0.5 // m before the middle of the player
)

// Rocket is a rocket in flight: a component, from which its path follows.
type Rocket struct {
	From  mgl32.Vec3
	Yaw   uint16  `range:"0,4095"` // in 1/4096 of a turn
	Pitch int8    // above the horizon, in 1/256 of half a turn
	N     uint8   // State.Rockets of its player after the launch
	Life  float32 // ticks from the launch to the end
}

// Shot returns the ray that the rocket flies along, from its launch on.
func (p Rocket) Shot() Shot {
	yaw, pitch := Input{Yaw: p.Yaw, Pitch: p.Pitch}.angles()
	return Shot{p.From, Direction(yaw, pitch)}
}

// RocketStep returns the metres that a rocket flies in a tick.
func (r *Rules) RocketStep() float32 { return RocketSpeed / float32(r.Rate) }

// RocketEnd returns where a rocket's flight ends.
func (r *Rules) RocketEnd(p Rocket) mgl32.Vec3 { return p.Shot().At(p.Life * r.RocketStep()) }

// fireRocket launches the rocket of a step, if the step has fired one.
func (r *Rules) fireRocket(before, after State, in Input, t netcode.Tick, launch func(Rocket)) {
	if after.Rockets == before.Rockets {
		return
	}
	shot := ShotOf(after)
	reach := r.flight(shot, t)
	muzzle := min(reach, rocketMuzzle)
	launch(Rocket{From: shot.At(muzzle), Yaw: in.Yaw, Pitch: in.Pitch, N: after.Rockets, Life: (reach - muzzle) / r.RocketStep()})
}

// rocketPath returns where a rocket is some ticks after its launch, and whether it still flies.
func (r *Rules) rocketPath(p Rocket, age float64) (components.Pose3D, bool) {
	yaw, pitch := Input{Yaw: p.Yaw, Pitch: p.Pitch}.angles()
	turn := mgl32.QuatRotate(yaw, mgl32.Vec3{0, 1, 0}).Mul(mgl32.QuatRotate(pitch, mgl32.Vec3{1, 0, 0}))
	return components.Pose3D{Position: p.Shot().At(float32(age) * r.RocketStep()), Rotation: turn}, age <= float64(p.Life)
}

// RocketLife returns how many ticks after its launch a rocket ends at a wall or at a door, if it is
// at an age in tick t. Doors count as they are when the rocket is there, as far as that is
// announced.
func (r *Rules) RocketLife(p Rocket, age float32, t netcode.Tick) float32 {
	s := p.Shot()
	s.From = s.At(age * r.RocketStep())
	return age + r.flight(s, t)/r.RocketStep()
}

// flight returns how far something as fast as a rocket flies along a ray that it begins in tick t.
func (r *Rules) flight(s Shot, t netcode.Tick) float32 {
	reach := s.reach(r.Level)
	for i := range r.Level.Doors {
		if at, ok := s.Box(r.Level.Doors[i].Shut); ok && at < reach {
			if b, up := r.doorBox(i, t.Add(int(at/r.RocketStep()))); up {
				if at, ok = s.Box(b); ok {
					reach = min(reach, at)
				}
			}
		}
	}
	return reach
}
