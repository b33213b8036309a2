package zones

import (
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/mail"
)

// The state of an entity is what a hand-over and a checkpoint carry.

const (
	stateFormat = 1        // the first byte
	maxState    = 24 << 10 // bytes; a message between zones has at most 32 KiB
	maxCarried  = 16 << 10 // bytes of an exported player
)

// state is a decoded one, without its components.
type state struct {
	archetype, owner uint16
	parent           custody.Name
	pose             components.Pose3D
	velocity         *components.Velocity3D
	resident         bool
	body             bool         // it is a player's
	tick             netcode.Tick // the step after which it was written
	offered          netcode.Tick // the tick of the first offer
	receipts         mail.Receipts
	player           []byte
	rest             packet.Reader // the components
}

// carried is a component of the game that only servers have.
type carried interface {
	write(w *netcode.Writer, e arche.Entity)
	// read returns a function that gives the component to an entity.
	read(r *netcode.Reader) func(e arche.Entity)
}

// Carry makes hand-overs and checkpoints take a component along that is not replicated, or whose
// replicated value is rounded. Call it after New, before the engine runs, on all zones in the same
// order. The name tells zones of other builds apart. A codec for structs of numbers is
// netcode.StructState. It panics when the zone is installed already.
func Carry[T any, S any, I comparable](z *Zone[S, I], name string, codec netcode.StateCodec[T]) {
	if z.engine != nil {
		panic("zones: Carry after Install; call it between New and Install")
	}
	z.carriedNames += name + "\x00"
	z.bind = append(z.bind, func() {
		z.carried = append(z.carried, &carriedColumn[T]{world: z.world, id: arche.ComponentID[T](z.world), codec: codec})
	})
}

type carriedColumn[T any] struct {
	world *arche.World
	id    arche.ID
	codec netcode.StateCodec[T]
}

func (c *carriedColumn[T]) write(w *netcode.Writer, e arche.Entity) {
	has := c.world.Has(e, c.id)
	w.Bool(has)
	if has {
		c.codec.Write(w, *get[T](c.world, e, c.id))
	}
}

func (c *carriedColumn[T]) read(r *netcode.Reader) func(e arche.Entity) {
	if !r.Bool() {
		return func(e arche.Entity) { take(c.world, e, c.id) }
	}
	v := c.codec.Read(r)
	return func(e arche.Entity) { *give[T](c.world, e, c.id) = v }
}

// protocolHash is a hash of all that two zones must agree on.
func (z *Zone[S, I]) protocolHash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "zones %d %x %s", stateFormat, z.protocol.Hash(), z.carriedNames)
	return h.Sum64()
}

// writeState returns the state of an entity of this zone. The bytes are the caller's. The error
// states that it cannot be written, and why.
func (z *Zone[S, I]) writeState(x *entity, player []byte) ([]byte, error) {
	w := netcode.NewWriter(z.scratch)
	rep := get[netcode.Replicated](z.world, x.e, z.ids.replicated)
	w.Bits(stateFormat, 8)
	w.Bits(uint64(rep.Archetype), 16)
	w.Bits(uint64(rep.Owner), 16)
	w.Bits(uint64(z.nameOf(z.parentOf(x.e))), 64)
	w.Bits(uint64(z.server.Tick()), 32)
	w.Bits(uint64(x.offered), 32)
	writePose(&w, z.pose(x.e))
	moves := z.world.Has(x.e, z.ids.velocity)
	w.Bool(moves)
	if moves {
		v := get[components.Velocity3D](z.world, x.e, z.ids.velocity)
		writeVec(&w, v.Linear)
		writeVec(&w, v.Angular)
	}
	w.Bool(z.world.Has(x.e, z.ids.resident))
	w.Bool(z.playerOf(x.e) != nil)
	w.Align()
	w.Blob(x.receipts.Append(nil))
	w.Blob(player)
	z.server.WriteComponents(&w, x.e)
	for _, c := range z.carried {
		c.write(&w, x.e)
	}
	if err := w.Err(); err != nil {
		return nil, fmt.Errorf("zones: entity %v takes more than %d bytes; carry less", x.name, maxState)
	}
	return append([]byte(nil), w.Bytes()...), nil
}

var errState = errors.New("zones: malformed state of an entity; do all zones run the same build?")

// readState reads what writeState has written. The bytes may be anything.
func readState(data []byte) (s state, err error) {
	r := netcode.NewReader(data)
	if r.Bits(8) != stateFormat {
		return s, errState
	}
	s.archetype, s.owner = uint16(r.Bits(16)), uint16(r.Bits(16))
	s.parent = custody.Name(r.Bits(64))
	s.tick, s.offered = netcode.Tick(r.Bits(32)), netcode.Tick(r.Bits(32))
	s.pose = readPose(&r)
	if r.Bool() {
		s.velocity = &components.Velocity3D{Linear: readVec(&r), Angular: readVec(&r)}
	}
	s.resident, s.body = r.Bool(), r.Bool()
	r.Align()
	receipts := r.Blob(maxState)
	s.player = r.Blob(maxCarried)
	if r.Err() != nil {
		return s, errState
	}
	var rest []byte
	if s.receipts, rest, err = mail.ReadReceipts(receipts); err != nil || len(rest) > 0 {
		return s, errState
	}
	s.rest = r
	return s, nil
}

// applyState gives an entity all that a state says of it, but its pose and its player.
func (z *Zone[S, I]) applyState(e arche.Entity, s *state) error {
	r := s.rest
	rep := give[netcode.Replicated](z.world, e, z.ids.replicated)
	rep.Archetype, rep.Owner = s.archetype, s.owner
	z.server.ReadComponents(&r, e)
	var apply []func(arche.Entity)
	for _, c := range z.carried {
		apply = append(apply, c.read(&r))
	}
	if r.Close() != nil {
		return errState
	}
	for _, f := range apply {
		f(e)
	}
	if s.velocity != nil {
		*give[components.Velocity3D](z.world, e, z.ids.velocity) = *s.velocity
	} else {
		take(z.world, e, z.ids.velocity)
	}
	if s.resident {
		give[Resident](z.world, e, z.ids.resident)
	} else {
		take(z.world, e, z.ids.resident)
	}
	z.setParent(e, z.entityOf(s.parent))
	return nil
}

func writePose(w *netcode.Writer, p components.Pose3D) {
	writeVec(w, p.Position)
	w.Float32(p.Rotation.W)
	writeVec(w, p.Rotation.V)
	writeVec(w, p.Scale)
}

func readPose(r *netcode.Reader) components.Pose3D {
	return components.Pose3D{Position: readVec(r), Rotation: mgl32.Quat{W: readFinite(r), V: readVec(r)}, Scale: readVec(r)}
}

func writeVec(w *netcode.Writer, v mgl32.Vec3) {
	for _, f := range v {
		w.Float32(f)
	}
}

func readVec(r *netcode.Reader) mgl32.Vec3 {
	return mgl32.Vec3{readFinite(r), readFinite(r), readFinite(r)}
}

// readFinite reads a number that is neither infinite nor NaN.
func readFinite(r *netcode.Reader) float32 {
	f := r.Float32()
	if f-f != 0 {
		r.Fail(packet.ErrMalformed)
		return 0
	}
	return f
}
