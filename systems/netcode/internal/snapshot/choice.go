package snapshot

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// choice is the scratch memory for one packet after the other: the candidates, their order, and the
// picks. It belongs to a [Shared] and not to each encoder, so that it stays in the cache from
// client to client.
type choice struct {
	owner      *Encoder           // of the order
	order      []uint16           // slots, the most urgent first
	candidates []uint16           // slots in ascending order
	keys       []uint16           // their urgency
	counts     [topKey + 1]uint16 // of each key, from the lowest to the highest that there is
	low, high  uint16

	chosen []uint64 // a bit for each slot
	split  []uint16 // roots of trees that are sent in parts
	picks  []pick
	index  []uint16      // of a chosen slot in picks
	bytes  [8 << 10]byte // of all picks
	// of the one being encoded; a local one would escape to the heap through the codecs
	writer packet.Writer
	used   int // bytes
	bits   int // of all picks, without gaps
	group  int32
	trees  bool // some picks are members of trees

	tooLarge ID
}

// pick is an entity chosen for the packet, with its encoded bits.
type pick struct {
	slot     uint16
	removal  bool
	headBits uint8
	head     uint16 // which of the forms it has
	bits     int32  // of the rest
	shared   int32  // where that is in Shared; below 0: in the scratch memory
	from     int32  // byte of it
	group    int32  // picks of one group are in the packet together or not at all
	sizes    sizes  // of the numbers in it
}

func (p *pick) size() int { return int(p.headBits) + int(p.bits) }

func newChoice(slots int) *choice {
	return &choice{
		order:      make([]uint16, slots),
		candidates: make([]uint16, 0, slots),
		keys:       make([]uint16, 0, slots),
		chosen:     make([]uint64, (slots+63)/64),
		picks:      make([]pick, 0, MaxRecords+1),
		index:      make([]uint16, slots),
	}
}

// Urgency, in ascending order: priorities in quarters of an octave, waits beyond a second,
// removals. Slots of equal urgency take turns, beginning behind the end of the last packet. The
// steps are coarse so that many are equal: then neighbours are sent together, and naming the slots
// of a packet takes few bits (1.4 bits each in the scene of 901 moving cubes; 3.8 with eighths of
// an octave).
const (
	waitKeys  = 256
	firstWait = 1 << 10
	topKey    = firstWait + waitKeys
)

func priorityKey(p float32) uint16 { return uint16(math.Float32bits(p) >> 21) }

// collect finds the slots with changes, and sorts them. The packets of one snapshot share the
// order, because nothing changes between them.
func (e *Encoder) collect(now tick.Tick) {
	c := e.shared.choice
	if e.fresh && c.owner == e && now == e.last && e.edits == e.world.edits {
		return
	}
	elapsed := int32(1)
	if e.begun {
		elapsed = max(0, now.Sub(e.last))
	}
	e.begun, e.last = true, now
	c.owner, e.fresh, e.edits = e, true, e.world.edits
	c.candidates, c.keys = c.candidates[:0], c.keys[:0]
	clear(c.counts[c.low : c.high+1])
	c.low, c.high = topKey, 0
	first, below := e.hand/64, uint64(1)<<(e.hand%64)-1
	e.collectWord(first, ^below, now, elapsed)
	for k := 1; k < len(e.concerns); k++ {
		e.collectWord((first+k)%len(e.concerns), ^uint64(0), now, elapsed)
	}
	e.collectWord(first, below, now, elapsed)
	c.sort()
}

// sort is a counting sort, stable and descending.
func (c *choice) sort() {
	c.order = c.order[:len(c.candidates)]
	if len(c.order) == 0 {
		c.low = c.high
		return
	}
	at := uint16(0)
	for key := int(c.high); key >= int(c.low); key-- {
		n := c.counts[key]
		c.counts[key] = at
		at += n
	}
	for i, key := range c.keys {
		c.order[c.counts[key]] = c.candidates[i]
		c.counts[key]++
	}
}

// collectWord collects the slots in the mask, of 64, and clears the bits of those that do not
// concern the client any more.
func (e *Encoder) collectWord(word int, mask uint64, now tick.Tick, elapsed int32) {
	c := e.shared.choice
	for set := e.concerns[word] & mask; set != 0; set &= set - 1 {
		i := word*64 + bits.TrailingZeros64(set)
		key, ok := e.urgency(i, now, elapsed)
		if !ok {
			if t, s := e.track(i), &e.world.slots[i]; t.known == 0 && (t.weight == 0 || s.stage == absent || t.generation != s.generation) {
				e.concerns[word] &^= set & -set
				e.freeTrack(i)
			}
			continue
		}
		c.candidates = append(c.candidates, uint16(i))
		c.keys = append(c.keys, key)
		c.counts[key]++
		c.low, c.high = min(c.low, key), max(c.high, key)
	}
}

// lastWords is how often the last change of a known entity is sent again before an acknowledgement
// can have arrived. A body that comes to rest has no later change that replaces a lost one, and the
// client would be starved for a round trip. The views of clients that lose 15 % lie three snapshots
// back, so a fourth repetition would arrive too late to be of use.
const lastWords = 3

// spawnBoost multiplies the priority of entities that the client does not have yet. restBoost does
// that for entities that have come to rest, until the client has acknowledged the final pose, which
// stays on the screen, and for entities that have begun to move, until it has acknowledged that.
const (
	spawnBoost = 4
	restBoost  = 4
)

// urgency returns how soon the slot should be sent, and whether at all.
func (e *Encoder) urgency(i int, now tick.Tick, elapsed int32) (key uint16, ok bool) {
	t, s := e.track(i), &e.world.slots[i]
	if !e.visible(i) {
		if t.known == 0 || t.removing && !t.lost(e.acked) {
			return 0, false
		}
		return topKey, true
	}
	boost := float32(1)
	switch {
	case e.unknown(i):
		boost = spawnBoost
	case t.hasBase && t.baseRev == s.revision:
		t.dirty, t.priority = false, 0
		return 0, false
	case t.sentRev == s.revision && !t.lost(e.acked):
		if !t.hasBase || t.repeats >= lastWords || t.since == now {
			// the packets of one snapshot are often lost together
			return 0, false
		}
		// No boost: if room is scarce, changes that were never sent have precedence.
	case s.rest || t.sentRest:
		boost = restBoost
	}
	if !t.dirty {
		t.dirty, t.since = true, now
	}
	t.priority += t.weight * boost * float32(elapsed)
	if t.known != 0 && e.unknown(i) {
		return topKey, true // the client still shows the entity before it in the slot
	}
	if wait := int(now.Sub(t.since)) - e.world.schema.config.TickRate; wait >= 0 {
		return uint16(firstWait + min(wait, waitKeys-1)), true
	}
	return min(priorityKey(t.priority), firstWait-1), true
}

func (c *choice) reset() {
	for _, p := range c.picks {
		c.chosen[p.slot/64] = 0
	}
	c.picks, c.split = c.picks[:0], c.split[:0]
	c.used, c.bits, c.group, c.trees = 0, 0, 0, false
}

func (c *choice) has(i int) bool { return c.chosen[i/64]&(1<<(i%64)) != 0 }

// add adds the pick that has been written behind the others.
func (c *choice) add(p *pick) {
	c.chosen[p.slot/64] |= 1 << (p.slot % 64)
	c.index[p.slot] = uint16(len(c.picks))
	c.picks = c.picks[:len(c.picks)+1]
	c.bits += p.size()
	if p.shared < 0 {
		c.used = int(p.from + (p.bits+7)/8)
	}
}

// strike removes the picks from the order: from its first n slots, since only trees pick from
// elsewhere.
func (e *Encoder) strike(n int) {
	c := e.shared.choice
	if c.trees {
		n = len(c.order)
	}
	left := slices.DeleteFunc(c.order[:n], func(i uint16) bool {
		// A slot with a removal in this packet still waits for its new entity.
		return c.has(int(i)) && !(c.picks[c.index[i]].removal && e.visible(int(i)))
	})
	c.order = append(left, c.order[n:]...)
}

// size returns the bits of the picks and one more, without the bits of that one, with gaps of the
// expected size.
func (e *Encoder) size() int {
	c := e.shared.choice
	return c.bits + int(e.gap*float32(len(c.picks)+1))
}

// drop removes the picks from n on.
func (c *choice) drop(n int) {
	for _, p := range c.picks[n:] {
		c.chosen[p.slot/64] &^= 1 << (p.slot % 64)
		c.bits -= p.size()
		c.used = min(c.used, int(p.from))
	}
	c.picks = c.picks[:n]
}

// gaps calls f for every gap between the chosen slots in ascending order, and for the slot behind
// it.
func (c *choice) gaps(f func(gap uint64, slot int)) {
	last := -1
	for word, set := range c.chosen {
		for ; set != 0; set &= set - 1 {
			slot := word*64 + bits.TrailingZeros64(set)
			f(uint64(slot-last-1), slot)
			last = slot
		}
	}
}
