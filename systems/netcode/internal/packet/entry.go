package packet

import "errors"

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

// write writes the entry, and reports whether it fits. Otherwise it leaves w as it was.
func (e *entry) write(w *Writer) bool {
	before := *w
	tag := e.kind
	if e.last {
		tag |= tagLast
	}
	if e.follows {
		tag |= tagFollows
	}
	w.Bits(uint64(tag), 8)
	if e.kind == kindFragment || e.kind == kindReliable && !e.follows {
		w.Bits(uint64(e.id), 16)
	}
	if e.kind == kindFragment {
		w.Bits(uint64(e.index), 8)
		w.Bits(uint64(e.final), 8)
	}
	w.Blob(e.data)
	if w.Err() != nil {
		*w = before
		return false
	}
	return true
}

// readEntry reads an entry, and reports whether it is one. previous is the last reliable entry of
// the packet, or nil.
func readEntry(r *Reader, previous *entry) (e entry, ok bool) {
	tag := byte(r.Bits(8))
	e = entry{kind: tag & tagKind, last: tag&tagLast != 0, follows: tag&tagFollows != 0}
	ok = tag&^(tagKind|tagLast|tagFollows) == 0 && (e.kind == kindReliable || !e.last && !e.follows)
	switch {
	case e.kind == kindReliable && e.follows:
		if previous == nil {
			return e, false
		}
		e.id = previous.id + 1
	case e.kind == kindReliable:
		e.id = uint16(r.Bits(16))
		ok = ok && (previous == nil || e.id != previous.id+1)
	case e.kind == kindFragment:
		e.id, e.index, e.final = uint16(r.Bits(16)), byte(r.Bits(8)), byte(r.Bits(8))
		ok = ok && e.final != 0 && e.index <= e.final
	case e.kind != kindUnreliable:
		return e, false
	}
	e.data = r.Blob(len(r.buf))
	return e, ok && r.Err() == nil
}
