package arena

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Archetypes of replicated entities. The archetype of a platform or door is the first one plus its
// index.
const (
	ArchetypePlayer   uint16 = 1
	ArchetypeCrate    uint16 = 2
	ArchetypeRocket   uint16 = 3
	ArchetypePlatform uint16 = 16
	ArchetypeDoor     uint16 = 32
)

// Pawn is the replicated state of a player beside the pose.
type Pawn struct {
	Score  uint16
	Health uint8
	Hits   uint8 // counts the hits taken
}

// Name is the replicated name of a player that has given one.
type Name struct{ Text netcode.Text }

// FullHealth is the number of hits after which a player is sent to a spawn point.
const FullHealth = 4

// Version is the version of the protocol. Ends with different versions refuse each other.
const Version = 5

// MaxEntities is the largest number of replicated entities.
const MaxEntities = 1024

// Protocol is the arena's protocol.
type Protocol = netcode.Protocol[State, Input]

// NewProtocol returns the protocol of one end, and makes its match states.
func (r *Rules) NewProtocol() (*Protocol, error) {
	edge := 1.6 * r.Level.Half
	p, err := netcode.NewProtocol(netcode.Config{
		Version: Version, TickRate: r.Rate, MaxEntities: MaxEntities, History: 48,
		Position: netcode.Grid{Min: mgl32.Vec3{-edge, -4, -edge}, Max: mgl32.Vec3{edge, 28, edge}, Resolution: 1.0 / 512},
		Velocity: netcode.Range{Max: 32, Resolution: 1.0 / 32},
	}, netcode.Game[State, Input]{
		Step: r.Step, Pose: State.Pose, MovementBase: State.MovementBase, Teleported: throughPortal, Distance: Distance, Tolerance: 0.01, Snap: 4,
		States: stateCodec{}, Inputs: inputCodec{},
		Rules: netcode.InputRules[Input]{
			// Movement repeats; a press must not be invented.
			Repeat: func(last Input) Input { last.Jump, last.Fire, last.Rocket = false, false, false; return last },
			Merge: func(into, late Input) Input {
				into.Jump, into.Fire, into.Rocket = into.Jump || late.Jump, into.Fire || late.Fire, into.Rocket || late.Rocket
				return into
			},
		},
	})
	if err != nil {
		return nil, err
	}
	netcode.ReplicateComponent(p, "pawn", pawnCodec{})
	netcode.ReplicateComponent(p, "name", netcode.StructComponent[Name](), netcode.Immediate())
	netcode.PredictShots(p, "rocket", netcode.Shots[State, Input, Rocket]{Archetype: ArchetypeRocket, Fire: r.fireRocket, Path: r.rocketPath})
	netcode.PredictBodies(p, "crate", netcode.Bodies[State, Input, Crate]{
		Archetypes: []uint16{ArchetypeCrate}, Step: r.StepCrates, Pose: Crate.Pose, Codec: crateCodec{}, Restore: RestoreCrate,
		Distance: crateDistance, Tolerance: 0.02, Near: 7, Leave: 9,
		ProxyState: func(r netcode.Replicated, pose components.Pose3D, velocity mgl32.Vec3, _ Input) (State, bool) {
			return State{Pos: pose.Position, Vel: velocity, Grounded: abs(velocity[1]) < 0.1}, r.Archetype == ArchetypePlayer
		},
		ShareInput: func(in Input) Input { return Input{X: in.X, Z: in.Z, Jump: in.Jump} },
	})
	r.Doors = nil
	for i := range r.Level.Doors {
		r.Doors = append(r.Doors, netcode.NewMatchState(p, fmt.Sprintf("door %d", i+1), nil, Door{}))
		p.SetScriptedMover(ArchetypeDoor+uint16(i), func(t netcode.Tick) components.Pose3D { return r.doorPose(i, t) })
	}
	r.Round = netcode.NewMatchState(p, "round", nil, Round{})
	for i := range r.Level.Platforms {
		p.SetScriptedMover(ArchetypePlatform+uint16(i), func(t netcode.Tick) components.Pose3D { return r.Level.Platform(i, r.Seconds(t)) })
	}
	return p, nil
}

type stateCodec struct{}

func (stateCodec) Write(w *netcode.Writer, s State) {
	for _, v := range [...]float32{s.Pos[0], s.Pos[1], s.Pos[2], s.Vel[0], s.Vel[1], s.Vel[2], s.Yaw, s.Pitch} {
		w.Float32(v)
	}
	w.Bits(uint64(s.Platform), 8)
	if s.Platform != 0 {
		for _, v := range s.PlatformPos {
			w.Float32(v)
		}
	}
	w.Bool(s.Grounded)
	w.Bits(uint64(s.Cooldown), 8)
	w.Bits(uint64(s.Shots), 8)
	w.Bits(uint64(s.Teleports), 8)
	w.Bits(uint64(s.Rockets), 8)
	w.Bits(uint64(s.Spent), 2)
	w.Bits(uint64(s.Reload), 8)
	w.Bits(uint64(s.Refill), 10)
}

func (stateCodec) Read(r *netcode.Reader) (s State) {
	for _, v := range [...]*float32{&s.Pos[0], &s.Pos[1], &s.Pos[2], &s.Vel[0], &s.Vel[1], &s.Vel[2], &s.Yaw, &s.Pitch} {
		if *v = r.Float32(); !(abs(*v) < 1e4) {
			r.Fail(errors.New("a player's position or speed is out of range"))
			return State{}
		}
	}
	if s.Platform = uint8(r.Bits(8)); s.Platform != 0 {
		for i := range s.PlatformPos {
			if s.PlatformPos[i] = r.Float32(); !(abs(s.PlatformPos[i]) < 1e4) {
				r.Fail(errors.New("a player's position on the platform is out of range"))
				return State{}
			}
		}
	}
	s.Grounded = r.Bool()
	s.Cooldown, s.Shots, s.Teleports = uint8(r.Bits(8)), uint8(r.Bits(8)), uint8(r.Bits(8))
	s.Rockets, s.Spent, s.Reload, s.Refill = uint8(r.Bits(8)), uint8(r.Bits(2)), uint8(r.Bits(8)), uint16(r.Bits(10))
	return s
}

type inputCodec struct{}

func (inputCodec) Write(w *netcode.Writer, in, newer Input) {
	w.Int(int64(in.X), 4)
	w.Int(int64(in.Z), 4)
	same := in.Yaw == newer.Yaw && in.Pitch == newer.Pitch
	w.Bool(same)
	if !same {
		w.Bits(uint64(in.Yaw), 12)
		w.Int(int64(in.Pitch), 8)
	}
	w.Bool(in.Jump)
	w.Bool(in.Fire)
	w.Bool(in.Rocket)
}

func (inputCodec) Read(r *netcode.Reader, newer Input) (in Input) {
	in.X, in.Z = int8(r.Int(4)), int8(r.Int(4))
	in.Yaw, in.Pitch = newer.Yaw, newer.Pitch
	if !r.Bool() {
		in.Yaw, in.Pitch = uint16(r.Bits(12)), int8(r.Int(8))
	}
	in.Jump, in.Fire, in.Rocket = r.Bool(), r.Bool(), r.Bool()
	if in.X < -7 || in.Z < -7 {
		r.Fail(errors.New("the wanted speed is out of range"))
	}
	return in
}

type pawnCodec struct{}

func (pawnCodec) Quantize(p Pawn) Pawn { return p }

func (pawnCodec) Encode(w *netcode.Writer, p Pawn, _ *Pawn) {
	w.Uvarint(uint64(p.Score))
	w.Bits(uint64(p.Health), 8)
	w.Bits(uint64(p.Hits), 8)
}

func (pawnCodec) Decode(r *netcode.Reader, _ *Pawn) Pawn {
	return Pawn{uint16(r.Uvarint()), uint8(r.Bits(8)), uint8(r.Bits(8))}
}

// crateCodec packs the part of a crate's state that is not in its pose.
type crateCodec struct{}

const (
	crateSpeeds = 1.0 / 64 // m/s
	crateSpins  = 1.0 / 64 // radians per second
)

// steps returns a value in multiples of a quantum, limited to 15 bits.
func steps(v, quantum float32) int64 {
	const most = 1<<14 - 1
	return int64(math.Round(float64(min(max(v/quantum, -most), most))))
}

func (crateCodec) Quantize(c Crate) Crate {
	q := Crate{Spin: float32(steps(c.Spin, crateSpins)) * crateSpins, Awake: c.Awake}
	for axis := 0; axis <= 2; axis += 2 {
		q.Vel[axis] = float32(steps(c.Vel[axis], crateSpeeds)) * crateSpeeds
	}
	return q
}

func (crateCodec) Encode(w *netcode.Writer, c Crate, _ *Crate) {
	w.Bool(c.Awake)
	moves := !c.Rests()
	w.Bool(moves)
	if moves {
		w.Int(steps(c.Vel[0], crateSpeeds), 15)
		w.Int(steps(c.Vel[2], crateSpeeds), 15)
		w.Int(steps(c.Spin, crateSpins), 15)
	}
}

func (crateCodec) Decode(r *netcode.Reader, _ *Crate) (c Crate) {
	c.Awake = r.Bool()
	if r.Bool() {
		c.Vel[0], c.Vel[2] = float32(r.Int(15))*crateSpeeds, float32(r.Int(15))*crateSpeeds
		c.Spin = float32(r.Int(15)) * crateSpins
	}
	return c
}

// RestoreCrate restores the rest of a crate's state from the pose. A crate stands on the floor.
func RestoreCrate(c Crate, pose components.Pose3D) Crate {
	c.Pos = mgl32.Vec3{pose.Position[0], CrateSize / 2, pose.Position[2]}
	c.Yaw = 2 * float32(math.Atan2(float64(pose.Rotation.V[1]), float64(pose.Rotation.W)))
	return c
}
