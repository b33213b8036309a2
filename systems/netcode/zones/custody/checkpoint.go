package custody

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Open returns the ledger of a process that begins to run a zone. others are the numbers of all
// other zones of the world. checkpoint is the newest that was written for the zone, by Checkpoint,
// or nil if there is none. The epoch must be higher than that of any process of the zone before.
//
// The zone asks all others first, and is active when they have answered.
func Open(self Process, others []Zone, checkpoint []byte) (*Ledger, error) {
	return open(self, others, checkpoint, 0)
}

func open(self Process, others []Zone, checkpoint []byte, omit omission) (*Ledger, error) {
	if self.Zone > MaxZone || self.Epoch == 0 || self.Epoch > MaxEpoch {
		panic(fmt.Sprintf("custody: Open of zone %d in epoch %d: zones are at most %d, epochs 1 to %d",
			self.Zone, self.Epoch, MaxZone, MaxEpoch))
	}
	l := newLedger(self)
	l.omit = omit
	for _, z := range others {
		if z == self.Zone || z > MaxZone {
			panic(fmt.Sprintf("custody: Open of zone %d with zone %d among the others: name the other zones only", self.Zone, z))
		}
		l.peers[z] = &peer{}
	}
	if checkpoint != nil {
		if err := l.restore(checkpoint); err != nil {
			return nil, err
		}
	}
	l.ask()
	return l, nil
}

func newLedger(self Process) *Ledger {
	return &Ledger{
		self: self, next: stamp{epoch: self.Epoch},
		peers: map[Zone]*peer{}, owned: map[Name]hop{}, copies: map[Name]kept{}, receipts: map[Name][]receipt{},
		heard: map[Name]hop{}, marks: map[Zone]stamp{}, restored: map[Name][]byte{}, coming: map[Name]coming{},
	}
}

// writing is a checkpoint that is being written.
type writing struct {
	number uint64
	floors map[Zone]stamp // what is over once it is written
}

// Checkpoint returns the ledger in bytes for the store, with the state of each entity that the zone
// owns. When the store has it, the caller passes number to Written. A later checkpoint takes the
// place of one that was not written.
func (l *Ledger) Checkpoint(state func(Name) []byte) (number uint64, data []byte) {
	l.mustBeActive("Checkpoint")
	l.made++
	l.pending = &writing{l.made, map[Zone]stamp{}}
	for z := range l.peers {
		l.pending.floors[z] = l.next
	}
	for _, c := range l.copies {
		if c.stamp.before(l.pending.floors[c.to]) {
			l.pending.floors[c.to] = c.stamp
		}
	}
	return l.made, l.appendCheckpoint(nil, state)
}

// Written says that a checkpoint is in the store and takes the place of the one before. Now senders
// may drop their copies, and receivers may forget what this zone has sent and has no copy of: no
// process of this zone can begin with it again.
//
// Both are told anew after each checkpoint, so a message that is lost does no harm.
func (l *Ledger) Written(number uint64) {
	if l.pending == nil || l.pending.number != number {
		return
	}
	l.written = number
	for _, n := range sorted(l.receipts) {
		for _, r := range l.receipts[n] {
			if r.since <= number {
				l.send(r.from, Message{kind: saved, name: n, hop: r.hop})
			}
		}
		if l.omit == omitReceipts {
			delete(l.receipts, n)
		}
	}
	for _, z := range sorted(l.pending.floors) {
		l.send(z, Message{kind: done, stamp: l.pending.floors[z]})
	}
	l.pending = nil
}

// A checkpoint is a magic number with a version, the zone, tables, and a checksum (CRC-32C). Each
// table is a count and its rows. A reader refuses other versions.
const magic = "TCU1"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (l *Ledger) appendCheckpoint(b []byte, state func(Name) []byte) []byte {
	start := len(b)
	b = append(b, magic...)
	b = binary.AppendUvarint(b, uint64(l.self.Zone))
	b = binary.AppendUvarint(b, uint64(l.self.Epoch))
	b = binary.AppendUvarint(b, uint64(len(l.owned)))
	for _, n := range sorted(l.owned) {
		b = appendEntity(b, n, l.owned[n])
		b = appendBytes(b, state(n))
	}
	b = binary.AppendUvarint(b, uint64(len(l.copies)))
	for _, n := range sorted(l.copies) {
		c := l.copies[n]
		b = appendEntity(b, n, c.hop)
		b = binary.AppendUvarint(b, uint64(c.to))
		b = appendStamp(b, c.stamp)
		b = appendBool(b, c.back)
		b = appendBytes(b, c.state)
	}
	b = binary.AppendUvarint(b, uint64(len(l.receipts)))
	for _, n := range sorted(l.receipts) {
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.AppendUvarint(b, uint64(len(l.receipts[n])))
		for _, r := range l.receipts[n] {
			b = binary.AppendUvarint(b, uint64(r.from))
			b = binary.AppendUvarint(b, uint64(r.hop))
			b = appendStamp(b, r.stamp)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(l.heard)))
	for _, n := range sorted(l.heard) {
		b = appendEntity(b, n, l.heard[n])
	}
	b = binary.AppendUvarint(b, uint64(len(l.marks)))
	for _, z := range sorted(l.marks) {
		b = binary.AppendUvarint(b, uint64(z))
		b = appendStamp(b, l.marks[z])
	}
	b = binary.AppendUvarint(b, uint64(len(l.peers)))
	for _, z := range sorted(l.peers) {
		b = appendProcess(b, Process{z, l.peers[z].epoch})
		b = appendStamp(b, l.peers[z].floor)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// restore takes the tables of a checkpoint. It is the zone's own, so what fails is the disk: all of
// it is refused then.
func (l *Ledger) restore(b []byte) error {
	if len(b) < len(magic)+4 || string(b[:len(magic)]) != magic {
		return errors.New("custody: not a checkpoint of this version: restore one that this program wrote")
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return errors.New("custody: the checkpoint's checksum is wrong: it is damaged, restore the one before")
	}
	r := reader{b: body[len(magic):]}
	of := r.process()
	for range r.count() {
		n, h := r.entity()
		l.owned[n], l.restored[n] = h, r.bytes(len(b))
	}
	for range r.count() {
		n, h := r.entity()
		c := kept{hop: h, to: r.zone(), stamp: r.stamp(), back: r.bool(), state: r.bytes(MaxState)}
		l.copies[n] = c
		if l.peers[c.to] == nil {
			r.fail()
		}
	}
	for range r.count() {
		n := Name(r.uint(64))
		for range r.count() {
			from, h := r.zone(), hop(r.uint(32))
			l.receipts[n] = append(l.receipts[n], receipt{from: from, hop: h, stamp: r.stamp()})
		}
	}
	for range r.count() {
		n, h := r.entity()
		l.heard[n] = h
	}
	for range r.count() {
		z := r.zone()
		l.marks[z] = r.stamp()
	}
	for range r.count() {
		p, floor := r.process(), r.stamp()
		if q := l.peers[p.Zone]; q != nil {
			q.epoch, q.floor = p.Epoch, floor
		}
	}
	switch {
	case r.err != nil || len(r.b) > 0:
		return errors.New("custody: the checkpoint is malformed though its checksum is right: another version wrote it")
	case of.Zone != l.self.Zone || of.Epoch >= l.self.Epoch:
		return fmt.Errorf("custody: the checkpoint is of zone %d in epoch %d, for zone %d it must be of an epoch before %d",
			of.Zone, of.Epoch, l.self.Zone, l.self.Epoch)
	}
	return nil
}
