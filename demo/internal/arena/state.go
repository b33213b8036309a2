package arena

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// State is the part of a player that its inputs change.
type State struct {
	Pos         mgl32.Vec3 // of the feet, in the world
	Vel         mgl32.Vec3 // per second, relative to the platform that carries the player
	Yaw, Pitch  float32    // the aim
	Platform    uint8      // 1 + the index of the platform that carries the player; 0: none
	PlatformPos mgl32.Vec3 // of the feet, on that platform
	Grounded    bool       // stands on something
	Cooldown    uint8      // ticks until the next shot
	Shots       uint8      // counts shots
	Teleports   uint8      // counts passages through portals
	Rockets     uint8      // counts rockets
	Spent       uint8      // rockets that are missing from the full load
	Reload      uint8      // ticks until the next rocket
	Refill      uint16     // ticks since the last rocket was spent or came back
}

// Input is a player's input of one tick.
type Input struct {
	X, Z       int8   // wanted speed along the world's axes, -7 to 7
	Yaw        uint16 // aim, in 1/4096 of a turn
	Pitch      int8   // aim above the horizon, in 1/256 of half a turn
	Jump, Fire bool
	Rocket     bool
}

// Aim returns the angles of an aim in an input's units.
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

// Toward returns the aim from one point at another.
func Toward(from, to mgl32.Vec3) (yaw uint16, pitch int8) {
	d := to.Sub(from)
	return Aim(math.Atan2(float64(-d[0]), float64(-d[2])), math.Atan2(float64(d[1]), math.Hypot(float64(d[0]), float64(d[2]))))
}

// Pose returns a player's pose, in the frame of the platform that carries the player.
func (s State) Pose() components.Pose3D {
	at := s.Pos
	if s.Platform != 0 {
		at = s.PlatformPos
	}
	sin, cos := math.Sincos(float64(s.Yaw) / 2)
	return components.Pose3D{Position: at, Rotation: mgl32.Quat{W: float32(cos), V: mgl32.Vec3{0, float32(sin), 0}}, Scale: mgl32.Vec3{1, 1, 1}}
}

// MovementBase returns the platform that carries a player.
func (s State) MovementBase() netcode.MovementBase {
	if s.Platform == 0 || s.Platform == watches {
		return netcode.MovementBase{}
	}
	return netcode.MovementBase{Mover: ArchetypePlatform + uint16(s.Platform-1)}
}

// Distance returns how far apart two states are, in metres. Different counts or flags add a metre.
func Distance(a, b State) float64 {
	d := float64(a.Pos.Sub(b.Pos).Len()) + float64(a.Vel.Sub(b.Vel).Len())/10
	if a.Cooldown != b.Cooldown || a.Shots != b.Shots || a.Teleports != b.Teleports || a.Rockets != b.Rockets || a.Spent != b.Spent || a.Reload != b.Reload || a.Refill != b.Refill || a.Platform != b.Platform || a.Grounded != b.Grounded {
		d++
	}
	return d
}

// watches is the platform of a spectator: none that there is.
const watches = 255

// SpectatorToken is the token of a client of a world that only watches.
const SpectatorToken = "spectator"

// Spectator returns the state of a player without a body. Inputs do not change it, and it touches
// nothing.
func Spectator() State {
	return State{Platform: watches, PlatformPos: mgl32.Vec3{0, 100, 0}, Pos: mgl32.Vec3{0, 100, 0}}
}
