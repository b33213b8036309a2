package snapshot

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// track is an encoder's data of a slot that concerns its client. It fills a line of the cache, and
// the tracks of one client lie side by side: most of a large world concerns only other clients.
//
// It has the lower 32 bits of packets' numbers and of records' indices. Those of an entity that has
// not been sent for half of that range would compare wrongly. Such an entity is at rest, and its
// change costs a few bytes more than it has to.
type track struct {
	slot       uint16 // of an unused track: the next unused one plus one
	generation uint16 // of the entity that weight belongs to
	known      uint16 // generation that the client may have; 0: none
	epoch      uint16 // counts the times that known began or ended
	repeats    uint8  // how often sentRev was sent again, up to lastWords
	dirty      bool   // since is valid
	removing   bool   // known ends, and a removal has been sent
	hasBase    bool
	sentRest   bool // the last record sent was at rest
	open       bool // openAt is valid
	weight     float32
	priority   float32
	since      tick.Tick // when the change was seen, or last sent
	sentAt     uint32    // the last packet with the entity
	sentRev    uint32
	sentNum    uint32 // records sent in this epoch
	lastRec    uint32 // index of the last
	baseAt     uint32 // packet
	baseRev    uint32
	baseNum    uint32    // the value of sentNum in the baseline's record
	baseTick   tick.Tick // the tick of the baseline's packet
	openAt     uint32    // the first packet with the entity after baseAt
}

// track returns the slot's track, to be changed only if it has one.
func (e *Encoder) track(i int) *track {
	if p := e.places[i]; p != 0 {
		return &e.tracks[p-1]
	}
	return &e.none
}

// addTrack gives the slot a track, which moves the others.
func (e *Encoder) addTrack(i int) {
	p := e.unused
	if p != 0 {
		e.unused = e.tracks[p-1].slot
	} else {
		e.tracks = append(e.tracks, track{})
		p = uint16(len(e.tracks))
	}
	e.tracks[p-1] = track{slot: uint16(i), epoch: e.epochs[i]}
	e.places[i] = p
}

// freeTrack takes the slot's track away, if it has one. Nothing but the epoch is of use when the
// slot concerns the client again.
func (e *Encoder) freeTrack(i int) {
	p := e.places[i]
	if p == 0 {
		return
	}
	t := &e.tracks[p-1]
	e.places[i], e.epochs[i] = 0, t.epoch
	*t = track{slot: e.unused}
	e.unused = p
}

// reached reports whether a packet is the one with these lower bits, or a later one.
func reached(n packet.Number, low uint32) bool { return int32(uint32(n)-low) >= 0 }

// Preload reads a part of each cache line that the next calls of SetRelevance and Encode need, in
// the order of memory, which is many times as fast as one by one as they are needed. The results of
// Encode are the same without it.
func (e *Encoder) Preload() {
	sum := uint16(0)
	for i := 0; i < len(e.places); i += placesInLine {
		sum += e.places[i]
	}
	for i := range e.tracks {
		sum += e.tracks[i].slot
	}
	e.shared.preloaded = sum // so that no compiler leaves the reading out
	e.settle()
}

// placesInLine is the number of places in a line of the cache.
const placesInLine = 32

// preloadDeltas does that for the first changes of the order: for those in the Shared, and for the
// baselines of those that are not there yet.
func (e *Encoder) preloadDeltas(most int) {
	s, w, order := e.shared, e.world, e.shared.choice.order
	if s.deltas == nil {
		return
	}
	sum := uint64(0)
	for _, i := range order[:min(len(order), most)] {
		slot, since := int(i), e.track(int(i)).baseRev
		sum += s.deltas[deltaAt(slot, since)].terms + uint64(w.ring[w.at(slot, since)].largest)
	}
	s.preloaded += uint16(sum)
}
