package arena

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// State is all of a player that his inputs change.
type State struct {
	Pos        mgl32.Vec3 // of the feet, in the world
	Vel        mgl32.Vec3 // per second, relative to what carries him
	Yaw, Pitch float32    // where he aims
	Ride       uint8      // 1 + the index of the platform that carries him; 0: none
	Spot       mgl32.Vec3 // of the feet, on that platform
	Ground     bool       // stands on something
	Cool       uint8      // ticks until he can shoot again
	Shots      uint8      // counts shots
	Warps      uint8      // counts the portals he went through
}

// Input is what a player does in a tick.
type Input struct {
	X, Z       int8   // wanted speed along the world's axes, -7 to 7
	Yaw        uint16 // aim, in 1/4096 of a turn
	Pitch      int8   // aim above the horizon, in 1/256 of half a turn
	Jump, Fire bool
}

// Aim returns the angles of an aim as inputs carry them.
func Aim(yaw, pitch float64) (uint16, int8) {
	turn := math.Round(yaw / (2 * math.Pi) * 4096)
	p := math.Round(pitch / math.Pi * 256)
	return uint16(int64(math.Mod(turn, 4096)+4096)) & 4095, int8(min(max(p, -100), 100))
}

func (in Input) angles() (yaw, pitch float32) {
	return float32(in.Yaw) * (2 * math.Pi / 4096), float32(in.Pitch) * (math.Pi / 256)
}

// Direction returns the unit vector of an aim.
func Direction(yaw, pitch float32) mgl32.Vec3 {
	sin, cos := math.Sincos(float64(yaw))
	up, level := math.Sincos(float64(pitch))
	return mgl32.Vec3{float32(-sin * level), float32(up), float32(-cos * level)}
}

// Toward returns the aim from one place at another.
func Toward(from, to mgl32.Vec3) (yaw uint16, pitch int8) {
	d := to.Sub(from)
	return Aim(math.Atan2(float64(-d[0]), float64(-d[2])), math.Atan2(float64(d[1]), math.Hypot(float64(d[0]), float64(d[2]))))
}

// Pose returns where a player stands and faces, in the frame of what carries him.
func (s State) Pose() components.Pose3D {
	at := s.Pos
	if s.Ride != 0 {
		at = s.Spot
	}
	sin, cos := math.Sincos(float64(s.Yaw) / 2)
	return components.Pose3D{Position: at, Rotation: mgl32.Quat{W: float32(cos), V: mgl32.Vec3{0, float32(sin), 0}}, Scale: mgl32.Vec3{1, 1, 1}}
}

// Carrier names the platform that carries a player.
func (s State) Carrier() netcode.MovementBase {
	if s.Ride == 0 {
		return netcode.MovementBase{}
	}
	return netcode.MovementBase{Mover: KindPlatform + uint16(s.Ride-1)}
}

// Distance tells how far apart two states are, in metres; different counts are far apart.
func Distance(a, b State) float64 {
	d := float64(a.Pos.Sub(b.Pos).Len()) + float64(a.Vel.Sub(b.Vel).Len())/10
	if a.Cool != b.Cool || a.Shots != b.Shots || a.Warps != b.Warps || a.Ride != b.Ride || a.Ground != b.Ground {
		d++
	}
	return d
}
