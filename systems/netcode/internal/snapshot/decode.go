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

	// Moved reports that the pose, velocities or parent differ from the newest state before. It is
	// always true with Spawned. Without it the record is about the owner or components, or says
	// again what was known.
	Moved bool

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

// Decode reads what [Encoder.Encode] wrote into the packet n, which must be the last in it, and
// applies it. With an error nothing has changed, and the packet must not be accepted
// ([packet.Endpoint.Accept]), so that its contents are sent again. Packets may arrive in any order.
// The Endpoint refuses duplicates.
//
// The input may be anything. Decode does not panic, takes time proportional to the input, and
// allocates nothing, if the codecs of components do the same.
func (d *Decoder) Decode(r *packet.Reader, n packet.Number) (Snapshot, error) {
	d.reader = *r // codecs get a pointer to it, and would make the caller's escape to the heap
	h := readHeader(&d.reader, n, d.schema)
	err := d.parse(&d.reader, n, &h)
	*r = d.reader
	if err != nil {
		return Snapshot{}, err
	}
	d.silence.arrive(n, &h)
	d.changes, d.lates = d.changes[:0], 0
	for i := range d.parsed {
		d.apply(&d.parsed[i], n, &h)
	}
	return Snapshot{h.tick, d.changes}, nil
}

// parse reads all records without changing the Decoder's entities.
func (d *Decoder) parse(r *packet.Reader, n packet.Number, h *header) error {
	d.parsed = d.parsed[:0]
	for _, c := range d.columns {
		c.reset()
	}
	if r.Err() == nil && h.count*minRecord > r.Remaining() {
		r.Fail(packet.ErrShort)
	}
	slot := -1
	for range h.count {
		gap := r.Golomb(h.orders[classGap])
		if r.Err() != nil {
			break
		}
		if gap >= uint64(len(d.entities)-slot-1) {
			r.Fail(packet.ErrMalformed)
			break
		}
		slot += int(gap) + 1
		d.parsed = append(d.parsed, parsed{slot: slot, base: -1})
		d.readEntity(r, n, h, &d.parsed[len(d.parsed)-1])
	}
	return r.Close()
}

// readEntity reads all of an entity but the gap before it.
func (d *Decoder) readEntity(r *packet.Reader, n packet.Number, h *header, p *parsed) {
	q := &d.schema.quantizer
	switch {
	case r.Bool():
		p.op, p.base = opDelta, d.newestUpTo(p.slot, h.acked)
	case r.Bool():
		p.op, p.base = opDelta, d.sentIn(p.slot, n, packet.Number(r.Bits(baseBits)))
	case r.Bool():
		p.op, p.id = opFull, readIdentity(r)
		if p.id.poseless {
			q.pose(&p.record, &State{AtRest: true})
		}
		if r.Bool() {
			d.readTraits(r, p)
		}
		if !p.id.poseless {
			q.readPose(r, &p.record)
		}
		return
	default:
		p.op = opRemove
		return
	}
	if p.base < 0 {
		r.Fail(ErrBaseline)
		return
	}
	base := &d.ring[p.base]
	p.record = *base
	if r.Bool() {
		d.readTraits(r, p)
	}
	if d.entities[p.slot].id.poseless {
		return
	}
	q.readPoseDelta(r, &p.record, base, predictOver(&p.record, base, h.tick.Sub(d.ticks[p.base])), &h.orders)
}

// newestUpTo returns the place of the newest state of the slot's entity in the packets up to n, or
// -1.
func (d *Decoder) newestUpTo(slot int, n packet.Number) int {
	e, history := &d.entities[slot], d.schema.config.History
	for k := range e.n {
		if at := d.at(slot, (e.head+history-k)%history); d.numbers[at] <= n {
			return at
		}
	}
	return -1
}

// sentIn returns the place of the state in the packet that is back before n, or -1.
func (d *Decoder) sentIn(slot int, n, back packet.Number) int {
	if back == 0 || back >= n {
		return -1
	}
	if at := d.newestUpTo(slot, n-back); at >= 0 && d.numbers[at] == n-back {
		return at
	}
	return -1
}

// apply applies a record of packet n.
func (d *Decoder) apply(p *parsed, n packet.Number, h *header) {
	e := &d.entities[p.slot]
	late := n <= e.last
	e.last = max(e.last, n)
	switch {
	case p.op == opRemove:
		if !late && e.alive {
			d.remove(p.slot)
		}
	case late:
		if e.alive && (p.op == opDelta || p.id == e.id) {
			d.skip(p, d.lates, h.tick)
			c := d.report(p, e, Updated)
			c.Late, c.late = true, d.lates
			d.lates++
		} else {
			d.skip(p, -1, h.tick)
		}
	case p.op == opFull && (!e.alive || e.leaving || e.id != p.id):
		var replaces ID
		if e.alive {
			replaces = newID(p.slot, e.id.generation)
			e.alive, e.leaving = false, false
			d.leave(d.ring[d.at(p.slot, e.head)].parent)
		}
		e.id, e.alive, e.leaving, e.n = p.id, true, false, 0
		d.reach(p.slot + 1)
		d.push(p, e, n, h, None)
		c := d.report(p, e, Spawned)
		c.Replaces, c.Moved = replaces, true
	default:
		was := &d.ring[d.at(p.slot, e.head)]
		// added and removed again since the baseline, which had none either
		p.components |= was.present &^ p.record.present
		moved := !was.samePose(&p.record)
		d.push(p, e, n, h, was.parent)
		d.report(p, e, Updated).Moved = moved
	}
}

// report adds the change of an entity.
func (d *Decoder) report(p *parsed, e *entity, op Op) *Change {
	d.changes = append(d.changes, Change{})
	c := &d.changes[len(d.changes)-1]
	c.ID, c.Op, c.Info = newID(p.slot, e.id.generation), op, e.info(&p.record)
	c.State = d.schema.quantizer.state(&p.record, p.age)
	c.Components, c.present = p.components, p.record.present
	return c
}

// push adds the state to the slot's part of the ring. parent is the entity's previous parent.
func (d *Decoder) push(p *parsed, e *entity, n packet.Number, h *header, parent ID) {
	history := d.schema.config.History
	e.head, e.n = (e.head+1)%history, min(e.n+1, history)
	at := d.at(p.slot, e.head)
	for i, present := 0, p.record.present; present != 0; i, present = i+1, present>>1 {
		switch {
		case present&1 == 0:
		case p.components&(1<<i) != 0:
			d.columns[i].take(at, h.tick)
		default:
			d.columns[i].copy(p.base, at)
		}
	}
	d.ring[at], d.numbers[at], d.ticks[at], d.ages[at] = p.record, n, h.tick, p.age
	if p.record.parent != parent {
		d.join(p.record.parent)
		d.leave(parent)
	}
}

// skip passes over the decoded components of a record that is not stored, and keeps them for
// Component.In as those of the late-th of the changes that are Late (below 0: of none).
func (d *Decoder) skip(p *parsed, late int, t tick.Tick) {
	for i, set := 0, p.components&p.record.present; set != 0; i, set = i+1, set>>1 {
		if set&1 != 0 {
			d.columns[i].skip(late, t)
		}
	}
}

// remove removes the slot's entity as soon as it has no children: the record of a child's own
// removal or new parent may arrive later.
func (d *Decoder) remove(slot int) {
	e := &d.entities[slot]
	e.leaving, e.n = true, 0
	if e.children > 0 && e.parentOf == e.id.generation {
		return
	}
	e.alive, e.leaving = false, false
	d.changes = append(d.changes, Change{ID: newID(slot, e.id.generation), Op: Removed, Info: e.info(&d.ring[d.at(slot, e.head)])})
	d.leave(d.ring[d.at(slot, e.head)].parent)
}

// join counts a new child of the parent, which need not exist here yet.
func (d *Decoder) join(parent ID) {
	if parent == None {
		return
	}
	p := &d.entities[parent.Slot()]
	if p.parentOf != parent.Generation() {
		p.parentOf, p.children = parent.Generation(), 0
	}
	p.children++
}

// leave removes a child from the parent. The parent's own removal may have waited for that.
func (d *Decoder) leave(parent ID) {
	if parent == None {
		return
	}
	p := &d.entities[parent.Slot()]
	if p.parentOf != parent.Generation() || p.children == 0 {
		return
	}
	p.children--
	if p.children == 0 && p.leaving && p.id.generation == p.parentOf {
		d.remove(parent.Slot())
	}
}
