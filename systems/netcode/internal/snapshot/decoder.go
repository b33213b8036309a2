package snapshot

import (
	"errors"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// ErrBaseline is returned by [Decoder.Decode] for changes to a state that this end does not have.
// On a reordering network it occurs for packets from before an entity was replaced. They count as
// lost and do no harm. If every packet fails with it, the two ends are not in step any more:
// connect anew.
var ErrBaseline = errors.New("snapshot: changes to a state that this end does not have")

// Op is the kind of an entity's change.
type Op uint8

// The changes of an entity in a snapshot.
const (
	Updated Op = iota // it existed and still exists
	Spawned           // it is new, or relevant again: nothing must be interpolated from before
	Removed           // it was despawned, or is not relevant any more
)

// Info holds an entity's data apart from its state and its components.
type Info struct {
	Kind  uint16 // as given to World.Spawn
	Owner uint16 // as given to World.SetOwner; 0: none
	// State is relative to it; None: to the world. While it is not Alive, the entity has no world
	// pose, and must not be shown
	Parent ID
}

// Change is the record of an entity in a packet.
type Change struct {
	ID ID
	Op Op

	// Replaces is the entity that was in the slot before, if there was one. It is removed by this
	// change and has none of its own. It is set only with Spawned. It may equal ID: then the entity
	// was not relevant for a while, and the packet with its removal was lost.
	Replaces ID

	// Late reports that a newer state of the entity has been decoded before. It is set only with
	// Updated. The change is of the snapshot's tick all the same, and can be used for a history.
	// The Decoder keeps the newer state. See Component.In.
	Late bool

	Info
	State State // at the snapshot's tick; with Removed the zero State
	// bit i: component i has been set, changed or removed; see Component.ChangedIn
	Components uint64

	present uint64 // bit i: the entity has component i
	late    int    // among those of the packet that are Late
}

// Snapshot is a decoded packet. It is valid until the next Decode.
type Snapshot struct {
	Tick tick.Tick // the tick of the packet's states
	// in ascending order of slots, and removals of parents after those of their children
	Changes []Change
}

// Decoder is the client's copy of the replicated entities: the counterpart of one [Encoder]. All of
// its memory is allocated at the start.
type Decoder struct {
	schema   *Schema
	entities []entity
	high     int
	ring     []record // of states that may become baselines
	numbers  []packet.Number
	ticks    []tick.Tick
	columns  []column

	reader  packet.Reader
	parsed  []parsed
	changes []Change
	lates   int // of the changes

	silence silence
}

// entity is a decoder's data of a slot.
type entity struct {
	id      identity
	alive   bool
	leaving bool          // removed, but kept by children that it still has
	last    packet.Number // the newest packet with a record of the slot
	// of its part of the ring: the newest state, and how many may be baselines
	head, n int

	parentOf uint16 // the generation of this slot that children are counted for
	children int
}

// parsed is an entity of a packet before it is applied.
type parsed struct {
	slot       int
	op         byte
	age        uint8
	base       int // place in the ring; -1: none
	id         identity
	components uint64
	record     record
}

const (
	opRemove = iota
	opFull
	opDelta
)

// NewDecoder returns an empty Decoder and freezes the schema.
func NewDecoder(s *Schema) *Decoder {
	s.frozen = true
	n := s.config.MaxEntities
	d := &Decoder{
		schema:   s,
		entities: make([]entity, n),
		ring:     make([]record, n*s.config.History),
		numbers:  make([]packet.Number, n*s.config.History),
		ticks:    make([]tick.Tick, n*s.config.History),
		parsed:   make([]parsed, 0, MaxRecords),
		changes:  make([]Change, 0, MaxRecords),
	}
	for i := range s.components {
		d.columns = append(d.columns, s.components[i].column(0, len(d.ring), MaxRecords))
	}
	return d
}

// at returns the place in the rings of one of a slot's states.
func (d *Decoder) at(slot, index int) int { return slot*d.schema.config.History + index }

func (d *Decoder) lookup(id ID) (*entity, bool) {
	i := id.Slot()
	if id == None || i >= d.high || !d.entities[i].alive || d.entities[i].id.generation != id.Generation() {
		return nil, false
	}
	return &d.entities[i], true
}

// State returns the newest state of the entity that was decoded, and its tick.
func (d *Decoder) State(id ID) (s State, at tick.Tick, ok bool) {
	e, ok := d.lookup(id)
	if !ok {
		return State{}, 0, false
	}
	place := d.at(id.Slot(), e.head)
	return d.schema.quantizer.state(&d.ring[place], 0), d.ticks[place], true
}

func (e *entity) info(r *record) Info {
	return Info{Kind: e.id.kind, Owner: r.owner, Parent: r.parent}
}
