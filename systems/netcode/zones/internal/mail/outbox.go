package mail

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

const (
	// MaxLetter is the most bytes of a letter.
	MaxLetter = 1024
	// MaxWaiting is the most letters of a zone that are not acknowledged.
	MaxWaiting = 4096
)

// ErrFull is the error of Post when MaxWaiting letters are not acknowledged.
var ErrFull = errors.New("mail: too many letters wait for their receivers")

// Stamp numbers the letters of a zone, over all of its processes. It grows.
type Stamp uint64

// ID names a letter in the whole world.
type ID struct {
	Zone  custody.Zone
	Stamp Stamp
}

// Letter is a message to an entity.
type Letter struct {
	ID   ID
	To   custody.Name
	Data []byte
}

// Outbox holds the letters of a zone until they are acknowledged.
type Outbox struct {
	zone    custody.Zone
	next    Stamp
	letters []waiting // by rising stamps
	// what Snapshot has written last, for Written
	number    uint64
	end       Stamp // all below it are in that checkpoint, if they wait
	low       Stamp // none below it is
	committed Stamp // letters below it are in the store's checkpoint, with their causes
	floor     Stamp
}

type waiting struct {
	to   custody.Name
	at   Stamp
	data []byte
}

// NewOutbox returns the outbox of a process. A later epoch's stamps are higher.
func NewOutbox(self custody.Process) *Outbox {
	next := Stamp(self.Epoch) << 32
	return &Outbox{zone: self.Zone, next: next, committed: next}
}

// Post writes a letter. It is sent when a checkpoint has it. The outbox keeps a copy of data. The
// error is ErrFull, or states that the letter is too long.
func (o *Outbox) Post(to custody.Name, data []byte) error {
	switch {
	case len(data) > MaxLetter:
		return fmt.Errorf("mail: a letter of %d bytes, at most %d", len(data), MaxLetter)
	case len(o.letters) >= MaxWaiting:
		return ErrFull
	}
	o.letters = append(o.letters, waiting{to, o.next, slices.Clone(data)})
	o.next++
	return nil
}

// Due calls yield for each letter that may be sent. Its bytes are the outbox's.
func (o *Outbox) Due(yield func(Letter) bool) {
	for _, l := range o.letters {
		if l.at >= o.committed || !yield(Letter{ID{o.zone, l.at}, l.to, l.data}) {
			return
		}
	}
}

// Acknowledge ends a letter: the checkpoint of a zone has its effect. It reports whether the letter
// was waiting.
func (o *Outbox) Acknowledge(s Stamp) bool {
	i, ok := slices.BinarySearchFunc(o.letters, s, func(l waiting, s Stamp) int {
		switch {
		case l.at < s:
			return -1
		case l.at > s:
			return 1
		}
		return 0
	})
	if ok {
		o.letters = slices.Delete(o.letters, i, i+1)
	}
	return ok
}

// Drop ends all letters to an entity that is removed.
func (o *Outbox) Drop(to custody.Name) {
	o.letters = slices.DeleteFunc(o.letters, func(l waiting) bool { return l.to == to })
}

// Waiting returns how many letters are not acknowledged.
func (o *Outbox) Waiting() int { return len(o.letters) }

// Floor returns the stamp below which no letter of this zone is ever sent again.
func (o *Outbox) Floor() Stamp { return o.floor }

// Snapshot appends the outbox's bytes for a checkpoint with a number. Call Written with the number
// when the store has it.
func (o *Outbox) Snapshot(b []byte, number uint64) []byte {
	o.number, o.end, o.low = number, o.next, o.next
	if len(o.letters) > 0 {
		o.low = o.letters[0].at
	}
	b = binary.AppendUvarint(b, uint64(len(o.letters)))
	for _, l := range o.letters {
		b = binary.AppendUvarint(b, uint64(l.to))
		b = binary.AppendUvarint(b, uint64(l.at))
		b = binary.AppendUvarint(b, uint64(len(l.data)))
		b = append(b, l.data...)
	}
	return b
}

// Written states that the store has the checkpoint with a number.
func (o *Outbox) Written(number uint64) {
	if number != o.number {
		return
	}
	o.committed, o.floor = max(o.committed, o.end), max(o.floor, o.low)
}

var errMalformed = errors.New("mail: malformed bytes in a checkpoint: restore the one before")

// Restore reads what Snapshot has written and returns the bytes behind it. Call it on a new outbox.
// An error leaves the outbox empty.
func (o *Outbox) Restore(b []byte) (rest []byte, err error) {
	n, b, ok := number(b)
	if !ok || n > MaxWaiting {
		return nil, errMalformed
	}
	letters := make([]waiting, 0, n)
	last := Stamp(0)
	for range n {
		var to, at, size uint64
		if to, b, ok = number(b); !ok {
			return nil, errMalformed
		}
		if at, b, ok = number(b); !ok {
			return nil, errMalformed
		}
		if size, b, ok = number(b); !ok || size > MaxLetter || size > uint64(len(b)) || Stamp(at) <= last || Stamp(at) >= o.next {
			return nil, errMalformed
		}
		letters = append(letters, waiting{custody.Name(to), Stamp(at), slices.Clone(b[:size])})
		b, last = b[size:], Stamp(at)
	}
	o.letters = letters
	return b, nil
}

func number(b []byte) (v uint64, rest []byte, ok bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}
