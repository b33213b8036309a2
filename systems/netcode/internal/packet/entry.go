package packet

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// ErrEntry is returned for a packet whose messages are not framed as an Endpoint frames them.
var ErrEntry = errors.New("packet: malformed message")

const (
	kindReliable   = 1 // a piece of the reliable stream
	kindUnreliable = 2 // a whole message
	kindFragment   = 3 // a piece of an unreliable message

	tagKind = 3
	tagLast = 1 << 2 // this piece ends a reliable message
	// the id follows that of the last reliable piece of this packet, and is left out
	tagFollows = 1 << 3
)

// entry is a message, or a piece of one, in a packet: a tag, the fields of its kind, the length as
// a varint, and the bytes.
type entry struct {
	kind    byte
	last    bool
	follows bool
	id      uint16 // of the piece (reliable), of the message (fragment)
	index   byte   // of the fragment
	final   byte   // index of the message's last fragment
	data    []byte
}

// size returns the number of bytes that append will take.
func (e *entry) size() int {
	n := 1 + uvarintLen(len(e.data)) + len(e.data)
	switch {
	case e.kind == kindFragment:
		n += 4
	case e.kind == kindReliable && !e.follows:
		n += 2
	}
	return n
}

func (e *entry) append(p []byte) []byte {
	tag := e.kind
	if e.last {
		tag |= tagLast
	}
	if e.follows {
		tag |= tagFollows
	}
	p = append(p, tag)
	switch {
	case e.kind == kindFragment:
		p = binary.LittleEndian.AppendUint16(p, e.id)
		p = append(p, e.index, e.final)
	case e.kind == kindReliable && !e.follows:
		p = binary.LittleEndian.AppendUint16(p, e.id)
	}
	p = binary.AppendUvarint(p, uint64(len(e.data)))
	return append(p, e.data...)
}

// parseEntry reads an entry and returns the bytes behind it. previous is the last reliable entry of
// the packet, or nil.
func parseEntry(p []byte, previous *entry) (entry, []byte, error) {
	if len(p) == 0 {
		return entry{}, nil, ErrEntry
	}
	tag := p[0]
	p = p[1:]
	e := entry{kind: tag & tagKind, last: tag&tagLast != 0, follows: tag&tagFollows != 0}
	if tag&^(tagKind|tagLast|tagFollows) != 0 || e.kind != kindReliable && tag&(tagLast|tagFollows) != 0 {
		return entry{}, nil, ErrEntry
	}
	switch {
	case e.kind == kindReliable && e.follows:
		if previous == nil {
			return entry{}, nil, ErrEntry
		}
		e.id = previous.id + 1
	case e.kind == kindReliable:
		if len(p) < 2 {
			return entry{}, nil, ErrEntry
		}
		e.id, p = binary.LittleEndian.Uint16(p), p[2:]
		if previous != nil && e.id == previous.id+1 {
			return entry{}, nil, ErrEntry
		}
	case e.kind == kindFragment:
		if len(p) < 4 || p[3] == 0 || p[2] > p[3] {
			return entry{}, nil, ErrEntry
		}
		e.id, e.index, e.final, p = binary.LittleEndian.Uint16(p), p[2], p[3], p[4:]
	case e.kind != kindUnreliable:
		return entry{}, nil, ErrEntry
	}
	n, used := binary.Uvarint(p)
	if used <= 0 || n > uint64(len(p)-used) || used != uvarintLen(int(n)) {
		return entry{}, nil, ErrEntry
	}
	e.data = p[used : used+int(n) : used+int(n)]
	return e, p[used+int(n):], nil
}

// uvarintLen returns the length in bytes of binary.AppendUvarint's form.
func uvarintLen(n int) int { return max(1, (bits.Len(uint(n))+6)/7) }
