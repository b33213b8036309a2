package snapshot

import (
	"math"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Encoder writes a World's snapshots for one client. It tracks the entities that the client may
// see, and the states that were sent and acknowledged. It belongs to one session and outlives its
// connections: a client that resumes with its [Decoder] gets the changes since.
//
// # What is sent
//
// Each call of Encode fills a packet with the entities that have changes, by priority. The priority
// of an entity grows with the time since it was last sent, times its weight
// ([Encoder.SetRelevance]); after a second the entity is sent first. An entity is sent as changes
// to its newest state that the client has acknowledged. A last change is sent again in the next
// three packets, unless it is acknowledged earlier, since no later change replaces a lost one.
// After that the entity waits until all of these packets count as lost. So a resting world costs
// only headers.
//
// Spawn, despawn, owner, parent and components are part of an entity's state and need no ordered
// stream: all of it is sent until a packet with it is acknowledged. The client applies a slot's
// record only if it is newer than the one that it has. All records of an entity without a baseline
// are complete, generation included. So a slot that is reused within a round trip cannot mix the
// old entity with the new one.
//
// Entities of one tree of parents are sent in one packet if they differ from their acknowledged
// states, so that the client has their poses of the same tick. A tree too large for a packet is
// split, and then every part contains the parents of its members with it.
type Encoder struct {
	world  *World
	places []uint16 // by slot: the index of its track plus one; 0: none
	epochs []uint16 // of slots without a track
	tracks []track  // in any order
	unused uint16   // the first of the unused tracks plus one; 0: none
	none   track    // of slots without a track: all zero
	// a bit for each slot that is relevant, or of which the client may still have a record
	concerns []uint64
	acked    packet.Number // the newest packet that has arrived
	seen     tick.Tick     // the newest tick of a snapshot that has arrived; valid with hasSeen
	hasSeen  bool
	last     tick.Tick // of the last Encode
	begun    bool
	// the order in the Shared is the rest of the last Encode's, and nothing has changed since
	fresh  bool
	edits  uint32 // the World's then
	shared *Shared
	gaps   tally   // of gaps
	gap    float32 // mean bits of a gap in the last packet
	hand   int     // the slot to begin with among equals

	packets   [packet.Outstanding]sentPacket
	delivered []packet.Number // packets whose records are not settled yet
	sent      []sentRecord    // a ring
	nextRec   uint64          // index of the next one, never wrapping
}

// NewEncoder returns an Encoder for a client that has nothing yet, and for which nothing is
// relevant. It shares nothing with others; see [Shared.NewEncoder].
func NewEncoder(w *World) *Encoder {
	return (&Shared{world: w, tally: newTally(), choice: newChoice(len(w.slots))}).NewEncoder()
}

// NewEncoder is the function of that name, for an encoder that shares.
func (s *Shared) NewEncoder() *Encoder {
	slots := len(s.world.slots)
	return &Encoder{
		world:    s.world,
		places:   make([]uint16, slots),
		epochs:   make([]uint16, slots),
		concerns: make([]uint64, (slots+63)/64),
		shared:   s,
		gaps:     newTally(),
		sent:     make([]sentRecord, leastSent),
		gap:      6,
	}
}

// Use makes the encoder share with others from now on: those of the goroutine that calls its Encode
// next.
func (e *Encoder) Use(s *Shared) {
	if s != e.shared {
		e.shared, e.fresh = s, false
	}
}

// maxWeight keeps priorities finite.
const maxWeight = 1e9

// SetRelevance sets the weight of an entity for the client. Zero (or less, or NaN) means that the
// client must not receive it. A new entity begins with zero. Any other weight is how fast the
// entity's priority grows against the others', say 1 for a far one and 10 for a near one or the
// player's own. A weight that becomes zero removes the entity on the client. An entity that is not
// alive is ignored.
func (e *Encoder) SetRelevance(id ID, weight float32) {
	i, ok := e.world.lookup(id)
	if !ok {
		return
	}
	e.fresh = false
	if e.places[i] == 0 {
		if !(weight > 0) {
			return
		}
		e.addTrack(i)
	}
	t := &e.tracks[e.places[i]-1]
	if t.generation != id.Generation() {
		t.generation, t.priority, t.dirty = id.Generation(), 0, false
	}
	if !(weight > 0) {
		t.weight, t.priority, t.dirty = 0, 0, false
		return
	}
	t.weight = min(weight, maxWeight)
	e.concerns[i/64] |= 1 << (i % 64)
}

// Relevant reports whether the client may receive the entity: its weight and those of all of its
// parents are above zero.
func (e *Encoder) Relevant(id ID) bool {
	i, ok := e.world.lookup(id)
	return ok && e.visible(i)
}

func (e *Encoder) visible(i int) bool {
	for {
		s, t := &e.world.slots[i], e.track(i)
		if s.stage != committed || t.generation != s.generation || t.weight == 0 {
			return false
		}
		if s.parent == 0 {
			return true
		}
		i = int(s.parent) - 1
	}
}

// Delivered notes that the client has accepted the packet, with a snapshot in it or without: pass
// on every call of [packet.Handler]. A packet that the client could not decode must not be
// acknowledged.
func (e *Encoder) Delivered(n packet.Number) {
	e.acked = max(e.acked, n)
	e.fresh = false
	p := &e.packets[n%packet.Outstanding]
	if p.number != n {
		return
	}
	p.number = 0
	if !e.hasSeen || p.tick.IsNewer(e.seen) {
		e.seen, e.hasSeen = p.tick, true
	}
	e.delivered = append(e.delivered, n)
}

// Rekey makes the next packets say everything whole, under the same identities: a decoder that
// follows gets updates, and one that begins there gets spawns. It is for recordings, whose packets
// all count as delivered at once.
func (e *Encoder) Rekey() {
	e.settle()
	for i := range e.tracks {
		if t := &e.tracks[i]; t.known != 0 {
			t.hasBase, t.open = false, false
			t.sentRev = e.world.slots[t.slot].revision - 1 // not yet sent as it is
		}
	}
	e.fresh = false
}

// AckedTick returns the tick of the newest snapshot that the client has acknowledged, and false
// while there is none. The client's view cannot be newer.
func (e *Encoder) AckedTick() (tick.Tick, bool) { return e.seen, e.hasSeen }

// note records an entity of the packet.
func (e *Encoder) note(i int, n packet.Number, now tick.Tick, removed bool) {
	t, s := e.track(i), &e.world.slots[i]
	switch {
	case removed && !t.removing:
		t.epoch++
		t.removing, t.hasBase, t.sentNum = true, false, 0
	case !removed && e.unknown(i):
		t.epoch++
		t.known, t.removing, t.hasBase, t.open, t.sentNum = s.generation, false, false, false, 0
		t.sentRev, t.repeats = 0, 0
	}
	if t.sentNum > 0 {
		if r := e.record(t.lastRec); r != nil && r.slot == t.slot {
			r.next = uint16(min(uint32(n)-t.sentAt, math.MaxUint16))
		}
	}
	if t.hasBase && !t.open {
		t.open, t.openAt = true, uint32(n)
	}
	switch {
	case t.sentRev != s.revision:
		t.repeats = 0
	case t.repeats < lastWords:
		t.repeats++
	}
	t.sentNum++
	t.sentAt, t.sentRev, t.sentRest, t.lastRec = uint32(n), s.revision, s.rest, uint32(e.nextRec)
	t.since, t.dirty, t.priority = now, true, 0
	r := sentRecord{revision: s.revision, num: uint16(t.sentNum % removal), epoch: t.epoch, slot: uint16(i)}
	if removed {
		r.num |= removal
	}
	e.sent[e.nextRec&uint64(len(e.sent)-1)] = r
	e.nextRec++
}

// unknown reports whether the entity is new to the client.
func (e *Encoder) unknown(i int) bool {
	t := e.track(i)
	return t.known != e.world.slots[i].generation || t.removing
}

// reordering is how many packets later than a missing one another must have arrived for the missing
// one to count as lost. Less may be mere reordering.
const reordering = 3

// lost reports whether the last packet with the slot's entity has probably been lost, given that it
// was not acknowledged.
func (t *track) lost(acked packet.Number) bool { return reached(acked, t.sentAt+reordering) }

// base returns the baseline for the slot's entity in packet n, if it has a usable one, and how many
// packets ago it was sent: 0 if the record need not state that.
func (e *Encoder) base(i int, n packet.Number) (at int, back packet.Number, ok bool) {
	t, c := e.track(i), &e.world.schema.config
	if !t.hasBase || e.unknown(i) || t.sentNum-t.baseNum >= uint32(c.History) {
		return 0, 0, false
	}
	at, kept := e.world.find(i, t.baseRev)
	if !kept {
		return 0, 0, false
	}
	const far = 1 << baseBits
	switch {
	case n-e.acked < far && (!t.open || !reached(e.acked, t.openAt)):
		return at, 0, true
	case uint32(n)-t.baseAt < far:
		return at, packet.Number(uint32(n) - t.baseAt), true
	}
	return 0, 0, false
}
