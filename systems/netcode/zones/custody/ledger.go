package custody

import (
	"fmt"
	"maps"
	"slices"
)

// Ledger says which entities a zone owns. It is no more than a state: it reads no clock, starts
// nothing, and sends nothing by itself. After each call the caller sends Outbox and spawns Arrived.
// One goroutine at a time may use it.
type Ledger struct {
	// Accept decides whether the zone takes an entity that another one commits; nil takes all. It
	// may be asked again about the same one. A false gives the entity back to the sender.
	Accept func(n Name, state []byte) bool

	self  Process
	peers map[Zone]*peer
	count uint32 // of names
	next  stamp  // of the next hand-over

	owned    map[Name]hop
	copies   map[Name]kept
	receipts map[Name][]receipt // at most one of each sender
	heard    map[Name]hop       // what the answers to the last questions have taught
	marks    map[Zone]stamp     // heard is needed until each of these has said done
	// is still in flight to this zone, which has gone on without another
	coming map[Name]coming

	asking   *asking // nil: active
	restored map[Name][]byte
	made     uint64 // checkpoints
	pending  *writing
	written  uint64 // the newest checkpoint that is in the store

	outbox  []Message
	arrived []Entity
	omit    omission
}

// Entity is an entity that the zone owns from now on, and the state that it has then.
type Entity struct {
	Name  Name
	State []byte
}

// peer is what is known of another zone.
type peer struct {
	epoch Epoch // older ones are refused
	floor stamp // its hand-overs to this zone below it are over
}

// omission leaves one rule out. Only the model's negative controls do so.
type omission uint8

const (
	omitHops     omission = 1 + iota // take what is known
	omitEpochs                       // believe processes that are replaced
	omitAsking                       // go on at once after a restore
	omitCopies                       // drop the copy at taken
	omitArrival                      // know hop h of what is in flight at h, in the place of h-1
	omitReceipts                     // forget a hop as soon as it is in a checkpoint
	omitStamps                       // take commits from below the floor
	omitLeap                         // go on without a zone at the same hops
	omitComing                       // the same for what is in flight
	omitAnew                         // keep the answers of before another zone's crash
)

// Outbox returns the messages that are to be sent, and empties the list.
func (l *Ledger) Outbox() []Message {
	out := l.outbox
	l.outbox = nil
	return out
}

// Arrived returns the entities that the zone owns since the last call, with their states, and
// empties the list: those that other zones have committed, those that came back, and once, when the
// ledger has become active, those of the checkpoint. They are to be simulated from the next step
// on.
func (l *Ledger) Arrived() []Entity {
	in := l.arrived
	l.arrived = nil
	return in
}

// Active reports whether the zone may simulate: whether all others have answered. The lease is
// asked beside it.
func (l *Ledger) Active() bool { return l.asking == nil }

// Meet adds a zone that did not exist when the ledger was opened. It does nothing for a known one.
// The new zone asks all others first, so nothing that it owns can be missing here.
func (l *Ledger) Meet(z Zone) {
	if z == l.self.Zone || z > MaxZone {
		panic(fmt.Sprintf("custody: zone %d meets zone %d: add other zones only, at most %d", l.self.Zone, z, MaxZone))
	}
	if l.peers[z] == nil {
		l.peers[z] = &peer{}
		if l.asking != nil {
			l.asking.waiting[z] = 0
			l.repeatQuestions()
		}
	}
}

// Owns reports whether the zone has the entity.
func (l *Ledger) Owns(n Name) bool { return l.owned[n] != 0 }

// Owned returns the names of all entities that the zone has, by rising names.
func (l *Ledger) Owned() []Name { return sorted(l.owned) }

// Create returns the name of a new entity, which the zone owns.
func (l *Ledger) Create() Name {
	l.mustBeActive("Create")
	l.count++
	if l.count == 0 {
		panic("custody: 4 billion names in one epoch: restart the zone, its next epoch has as many again")
	}
	n := newName(l.self, l.count)
	l.owned[n] = 1
	return n
}

// Remove ends an entity that the zone owns. If the zone crashes before its next checkpoint is
// written, the entity may be back, like all that was undone by the crash.
func (l *Ledger) Remove(n Name) {
	l.mustOwn("Remove", n)
	delete(l.owned, n) // a receipt, if it came from elsewhere, goes on to know its hop
}

func (l *Ledger) mustBeActive(call string) {
	if !l.Active() {
		panic(fmt.Sprintf("custody: %s of zone %d, which still waits for answers: ask Active before", call, l.self.Zone))
	}
}

func (l *Ledger) mustOwn(call string, n Name) {
	l.mustBeActive(call)
	if !l.Owns(n) {
		panic(fmt.Sprintf("custody: %s of %v, which zone %d does not own: ask Owns before", call, n, l.self.Zone))
	}
}

// seen returns the highest hop of an entity that the zone knows, 0 if it knows nothing of it.
func (l *Ledger) seen(n Name) hop {
	return max(l.owned[n], l.copies[n].hop, l.past(n))
}

// past returns the highest hop that is known to be past without a copy.
func (l *Ledger) past(n Name) hop {
	h := l.heard[n]
	for _, r := range l.receipts[n] {
		h = max(h, r.hop)
	}
	return h
}

// Known returns how many entities the ledger knows without owning them: copies that wait, and hops
// that it has to remember. A metric: it falls to 0 when hand-overs cease and all zones save.
func (l *Ledger) Known() int {
	n := 0
	for range l.others() {
		n++
	}
	return n
}

// others ranges over the names that the zone knows and does not own.
func (l *Ledger) others() map[Name]bool {
	names := map[Name]bool{}
	for n := range l.copies {
		names[n] = true
	}
	for n := range l.receipts {
		names[n] = true
	}
	for n := range l.heard {
		names[n] = true
	}
	for n := range l.owned {
		delete(names, n)
	}
	return names
}

// send puts a message to a zone into the outbox, from and to the processes of now.
func (l *Ledger) send(to Zone, m Message) {
	m.From, m.To = l.self, Process{to, l.peers[to].epoch}
	l.outbox = append(l.outbox, m)
}

// sorted returns the keys of a map in order, so that equal calls give equal messages.
func sorted[K ~uint16 | ~uint64, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
