package snapshot

import (
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Result holds the counts of one call of [Encoder.Encode].
type Result struct {
	Records  int // entities in the packet
	Waiting  int // entities with changes that found no room
	TooLarge ID  // an entity that does not fit into the whole room of the packet; None if all do
}

// Encode writes the part of the World's last commit that is new to the client and fits. It writes
// behind the bits in w and as the last in the packet. The buffer's length is the budget, which is
// never exceeded. n is the number of the packet ([packet.Endpoint.Next]), higher in each call. now
// is the tick whose state the commit holds. If Result.Waiting is above zero, another packet may
// follow for the same tick.
//
// If not even the header fits, nothing is written and w has an error. A packet that is not sent
// counts as lost.
func (e *Encoder) Encode(w *packet.Writer, n packet.Number, now tick.Tick) Result {
	room := w.Room() - headerBits - classes*orderBits
	c := e.shared.choice
	c.reset()
	var res Result
	e.settle()
	if e.shared.deltas == nil {
		e.shared.Gather()
	}
	e.collect(now)
	if room >= 0 {
		e.preloadDeltas(room / 32) // few records are shorter
		var tried int
		tried, res.TooLarge = e.choose(n, now, room)
		e.strike(tried)
	}
	h := header{tick: now, whole: len(c.order) == 0, count: len(c.picks), orders: e.shared.tally.orders}
	h.orders[classGap] = e.gaps.orders[classGap]
	if n-e.acked < 1<<baseBits {
		h.acked = e.acked
	}
	h.write(w, n, e.world.schema)
	if w.Err() != nil {
		return res
	}
	order := h.orders[classGap]
	c.gaps(func(gap uint64, slot int) {
		p := &c.picks[c.index[slot]]
		code, n := packet.GolombCode(gap, order)
		w.Bits(code|uint64(p.head)<<n, n+uint(p.headBits))
		if p.shared >= 0 {
			w.Append(e.shared.deltas[p.shared].bytes[:], int(p.bits))
		} else {
			w.Append(c.bytes[p.from:], int(p.bits))
		}
		e.gaps.add(classGap, gap)
		e.shared.tally.count(p.sizes)
	})
	e.reserve(n, len(c.picks))
	for i := range c.picks {
		p := &c.picks[i]
		e.note(int(p.slot), n, now, p.removal)
	}
	e.packets[n%packet.Outstanding] = sentPacket{n, now, e.nextRec - uint64(len(c.picks)), len(c.picks)}
	e.gaps.adapt()
	if k := len(c.picks); k > 0 {
		e.hand = (int(c.picks[k-1].slot) + 1) % e.world.high
	}
	res.Records = len(c.picks)
	res.Waiting = len(c.order)
	return res
}

// choose fills the packet from the front of the order. It returns the number of slots that it has
// tried, and an entity that is too large for any such packet.
func (e *Encoder) choose(n packet.Number, now tick.Tick, room int) (at int, tooLarge ID) {
	c := e.shared.choice
	c.tooLarge = None
	for range 3 {
		at = e.fill(at, n, now, room)
		exact, trimmed := e.trim(room)
		if k := len(c.picks); k > 0 {
			e.gap = float32(exact-c.bits) / float32(k)
		}
		if trimmed || at == len(c.order) || room-exact < 2*headerBits {
			break // otherwise the gaps took less than expected, and there is room for more
		}
	}
	return at, c.tooLarge
}

// patience is the number of entities in a row that do not fit, after which no other is tried.
const patience = 16

// fill picks from the place in the order on, until the packet is full with gaps of the expected
// size, and returns the place at which it ended.
func (e *Encoder) fill(at int, n packet.Number, now tick.Tick, room int) int {
	c := e.shared.choice
	for misses := 0; at < len(c.order) && misses < patience; at++ {
		i := int(c.order[at])
		if c.has(i) {
			continue
		}
		if len(c.picks) == MaxRecords || e.size()+minRecord > room {
			break
		}
		if e.pickGroup(i, n, now, room) {
			misses = 0
		} else {
			misses++
		}
	}
	return at
}

// trim drops the last groups until the packet fits into the room with its exact gaps, and returns
// its size.
func (e *Encoder) trim(room int) (exact int, trimmed bool) {
	c := e.shared.choice
	for {
		exact = c.bits
		c.gaps(func(gap uint64, _ int) { exact += packet.GolombLen(gap, e.gaps.orders[classGap]) })
		if exact <= room {
			return exact, trimmed
		}
		first := len(c.picks) - 1
		for group := c.picks[first].group; first > 0 && c.picks[first-1].group == group; {
			first--
		}
		if first == 0 {
			c.tooLarge = e.world.id(int(c.picks[0].slot))
		}
		c.drop(first)
		trimmed = true
	}
}

// pickGroup picks the slot's entity with all that must be in the same packet, and reports whether
// there was room.
func (e *Encoder) pickGroup(i int, n packet.Number, now tick.Tick, room int) bool {
	c, t, s := e.shared.choice, e.track(i), &e.world.slots[i]
	c.group++
	if !e.visible(i) {
		return e.pick(i, true, n, now, room)
	}
	if s.parent != 0 || s.child != 0 {
		return e.pickTree(i, n, now, room)
	}
	if e.pick(i, false, n, now, room) {
		return true
	}
	// There is no room for the new entity, but the client must not keep the one before it in the
	// slot.
	return t.known != 0 && t.known != s.generation && !t.removing && e.pick(i, true, n, now, room)
}

// pickTree picks all entities of the slot's tree that differ from the acknowledged ones: packets in
// flight may yet be lost. Of a tree that is too large for an empty packet it picks the slot's
// entity alone, with its parents.
func (e *Encoder) pickTree(i int, n packet.Number, now tick.Tick, room int) bool {
	c, root := e.shared.choice, e.world.root(i)
	c.trees = true
	first := len(c.picks)
	if !slices.Contains(c.split, uint16(root)) {
		fits := true
		for m := root; m >= 0 && fits; m = e.world.after(m, root) {
			if !c.has(m) && e.visible(m) && e.differs(m) {
				fits = e.pick(m, false, n, now, room)
			}
		}
		if fits {
			return true
		}
		c.drop(first)
		if c.bits > room/4 {
			return false // the next packet may have room for all
		}
		c.split = append(c.split, uint16(root))
	}
	if e.pickParents(i, n, now, room) && e.pick(i, false, n, now, room) {
		return true
	}
	c.drop(first)
	return false
}

// pickParents picks the parents of the slot's entity, the topmost first, unless the client has
// acknowledged them as they are.
func (e *Encoder) pickParents(i int, n packet.Number, now tick.Tick, room int) bool {
	if e.world.slots[i].parent == 0 {
		return true
	}
	p := int(e.world.slots[i].parent) - 1
	return e.pickParents(p, n, now, room) && (e.shared.choice.has(p) || !e.differs(p) || e.pick(p, false, n, now, room))
}

// differs reports whether the client has not acknowledged the visible entity as it is.
func (e *Encoder) differs(i int) bool {
	t := e.track(i)
	return e.unknown(i) || !t.hasBase || t.baseRev != e.world.slots[i].revision
}

// pick encodes the slot's entity, or its removal, and adds it if there is room.
func (e *Encoder) pick(i int, removal bool, n packet.Number, now tick.Tick, room int) bool {
	c := e.shared.choice
	if len(c.picks) == MaxRecords {
		return false
	}
	p := &c.picks[:len(c.picks)+1][len(c.picks)]
	*p = pick{slot: uint16(i), removal: removal, group: c.group, from: int32(c.used), shared: -1, headBits: 3}
	fits := removal || e.writeEntity(p, n, now)
	if !fits || p.size() >= room {
		c.tooLarge = e.world.id(i)
	}
	if !fits || e.size()+p.size() > room {
		return false
	}
	c.add(p)
	return true
}

// writeEntity encodes all of an entity but the gap before it, and reports whether there was room in
// the scratch memory.
func (e *Encoder) writeEntity(p *pick, n packet.Number, now tick.Tick) bool {
	c, i := e.shared.choice, int(p.slot)
	t := e.track(i)
	base, back, ok := e.base(i, n)
	switch {
	case !ok:
		p.head, p.headBits = 0b100, 3
		c.writer = packet.NewWriter(c.bytes[c.used:])
		e.writeWhole(&c.writer, i)
	case back == 0:
		p.head, p.headBits = 0b1, 1
	default:
		p.head, p.headBits = 0b10|uint16(back)<<2, 2+baseBits
	}
	if ok {
		ticks := now.Sub(t.baseTick)
		if place, bits := e.shared.delta(i, base, t.baseRev, ticks); place >= 0 {
			p.shared, p.bits, p.sizes = place, bits, e.shared.deltas[place].sizes
			return true
		}
		c.writer = packet.NewWriter(c.bytes[c.used:])
		p.sizes = e.shared.write(&c.writer, i, base, t.baseRev, ticks)
	}
	c.writer.Bytes() // stores the last bits
	p.bits = int32(c.writer.Len())
	return c.writer.Err() == nil
}

// writeWhole writes the slot's entity for a client that does not have it.
func (e *Encoder) writeWhole(w *packet.Writer, i int) {
	t, s := e.track(i), &e.world.slots[i]
	r := &e.world.ring[e.world.at(i, s.revision)]
	id := identity{s.generation, uint8(t.epoch % (1 << epochBits)), s.kind, s.poseless}
	if e.unknown(i) {
		id.epoch = uint8((t.epoch + 1) % (1 << epochBits))
	}
	id.write(w)
	e.world.writeTraits(w, i, -1, 0)
	if !s.poseless {
		e.world.schema.quantizer.writePose(w, r)
	}
}
