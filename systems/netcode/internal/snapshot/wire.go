package snapshot

import (
	"math/bits"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// An entity in a packet is the gap from the slot before it, in a Golomb code, and then one of
//
//	1   traits pose           changes to the newest state in or before the packet acked of the header
//	01  back traits pose      changes to the state in the packet that is `back` before this one
//	001 identity traits pose  all of it
//	000                       the entity is removed, or not relevant any more
//
// The first form names no baseline, which saves eight bits. The client may have received states
// whose acknowledgements have not reached the server. So this form is used if that makes no
// difference, which is nearly always the case.
//
// The traits are one bit if none changed, else a bit for each of owner, parent, discontinuity and
// age, followed by its value if it is set, and then the components that changed: a bit, the gap
// from the one before, whether the entity still has it, and its value; a zero bit ends them. Traits
// that name nothing are of no use, so they announce a new scale: it follows, and then the traits.
//
// The identity says whether the entity has no pose. Then no record has one.

// Orders of the Golomb codes of gaps between components, of generations and of kinds.
const (
	componentOrder  = 1
	generationOrder = 2
	kindOrder       = 4
)

// flag writes the bit and returns it.
func flag(w *packet.Writer, v bool) bool {
	w.Bool(v)
	return v
}

// writeDelta writes the slot's entity as changes to the state at base, which is that of revision
// since, some ticks ago. It notes the sizes of the numbers.
func (w *World) writeDelta(out *packet.Writer, slot, base int, since uint32, ticks int32, o *coding) {
	w.writeTraits(out, slot, base, since)
	if w.slots[slot].poseless {
		return
	}
	r, b := &w.ring[w.at(slot, w.slots[slot].revision)], &w.ring[base]
	w.schema.quantizer.writePoseDelta(out, r, b, predictOver(r, b, ticks), o)
}

// writeTraits writes the traits of the slot's last revision as changes to those of the state at
// base, which is that of revision since (base < 0: none).
func (w *World) writeTraits(out *packet.Writer, slot, base int, since uint32) {
	var blank record
	at := w.at(slot, w.slots[slot].revision)
	r, b, age := &w.ring[at], &blank, w.age[slot]
	if base >= 0 {
		b = &w.ring[base]
	}
	if r.scale != b.scale {
		writeScale(out, r.scale, b.scale)
	}
	components := w.changes(slot, r, base, since)
	if !flag(out, r.owner != b.owner || r.parent != b.parent || r.discontinuity != b.discontinuity || age != 0 || components != 0) {
		return
	}
	if flag(out, r.owner != b.owner) {
		out.Bits(uint64(r.owner), 16)
	}
	if flag(out, r.parent != b.parent) {
		out.Bits(uint64(r.parent.Slot()), 16)
		out.Golomb(uint64(r.parent.Generation()), generationOrder)
	}
	if flag(out, r.discontinuity != b.discontinuity) {
		out.Bits(uint64(r.discontinuity), 8)
	}
	if flag(out, age != 0) {
		out.Bits(uint64(age), 8)
	}
	last := -1
	for set := components; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		out.Bool(true)
		out.Golomb(uint64(i-last-1), componentOrder)
		last = i
		if !flag(out, r.present&(1<<i) != 0) {
			continue
		}
		if b.present&(1<<i) != 0 {
			w.columns[i].encode(out, at, base)
		} else {
			w.columns[i].encode(out, at, -1)
		}
	}
	out.Bool(false)
}

// changes returns the components that have changed since base (< 0: none), which is the place of
// revision since, and that the slot has now or had then. One that has changed back counts too: that
// is rare, and comparing all values would take longer than writing them. One that was added and
// removed since base does not count: a Decoder that received it in a record in between removes it.
func (w *World) changes(slot int, r *record, base int, since uint32) uint64 {
	if base < 0 {
		return r.present
	}
	if int32(w.slots[slot].components-since) <= 0 {
		return 0
	}
	had := w.ring[base].present
	changed := r.present ^ had
	altered := w.altered[slot*len(w.columns):]
	for both := r.present & had; both != 0; both &= both - 1 {
		if i := bits.TrailingZeros64(both); int32(altered[i]-since) > 0 {
			changed |= 1 << i
		}
	}
	return changed
}

// readTraits changes the record, a copy of the baseline, by the traits behind the bit that says
// that there are any. The values of components that are present wait in their columns.
func (d *Decoder) readTraits(r *packet.Reader, p *parsed) {
	if d.readNamedTraits(r, p) {
		return
	}
	p.record.scale = readScale(r, p.record.scale)
	if r.Bool() && !d.readNamedTraits(r, p) {
		r.Fail(packet.ErrMalformed)
	}
}

// readNamedTraits reads traits, and reports whether they name one.
func (d *Decoder) readNamedTraits(r *packet.Reader, p *parsed) (named bool) {
	rec := &p.record
	if r.Bool() {
		rec.owner, named = uint16(r.Bits(16)), true
	}
	if r.Bool() {
		rec.parent, named = d.readParent(r), true
	}
	if r.Bool() {
		rec.discontinuity, named = uint8(r.Bits(8)), true
	}
	if r.Bool() {
		p.age, named = uint8(r.Bits(8)), true
	}
	before, i := rec.present, uint64(0)
	for ; r.Bool(); i++ {
		named = true
		i += r.Golomb(componentOrder)
		if i >= uint64(len(d.columns)) {
			r.Fail(packet.ErrMalformed)
			break
		}
		p.components |= 1 << i
		if !r.Bool() {
			rec.present &^= 1 << i
			continue
		}
		rec.present |= 1 << i
		if before&(1<<i) != 0 {
			d.columns[i].decode(r, p.base)
		} else {
			d.columns[i].decode(r, -1)
		}
	}
	return named
}

func (d *Decoder) readParent(r *packet.Reader) ID {
	slot, generation := int(r.Bits(16)), r.Golomb(generationOrder)
	if slot >= len(d.entities) || generation > 1<<16-1 || generation == 0 && slot != 0 {
		r.Fail(packet.ErrMalformed)
		return None
	}
	return newID(slot, uint16(generation))
}

// identity holds the data of an entity that never change while it is in its slot.
type identity struct {
	generation uint16
	epoch      uint8 // counts the entity's periods of relevance
	kind       uint16
	poseless   bool
}

func (id *identity) write(w *packet.Writer) {
	w.Golomb(uint64(id.generation-1), generationOrder)
	w.Bits(uint64(id.epoch), epochBits)
	w.Golomb(uint64(id.kind), kindOrder)
	w.Bool(id.poseless)
}

func readIdentity(r *packet.Reader) identity {
	generation, epoch, kind := r.Golomb(generationOrder)+1, r.Bits(epochBits), r.Golomb(kindOrder)
	if generation > 1<<16-1 || kind > 1<<16-1 {
		r.Fail(packet.ErrMalformed)
	}
	return identity{uint16(generation), uint8(epoch), uint16(kind), r.Bool()}
}

// predictOver returns the ticks over which a baseline predicts: zero across a jump or into another
// frame.
func predictOver(r, base *record, ticks int32) int32 {
	if r.discontinuity != base.discontinuity || r.parent != base.parent {
		return 0
	}
	return ticks
}
