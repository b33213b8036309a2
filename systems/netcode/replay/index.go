package replay

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

const (
	trailerMark = 0x45505254 // "TRPE"
	trailerSize = 16
	// chunks that an index lists, so that it is a chunk itself; a longer recording has no index
	maxIndexed = 1 << 19
)

// index says where the chunks are.
type index struct {
	entries []entry
	marks   []Mark
}

// entry is a chunk in a file.
type entry struct {
	at, size    int64
	first, last tick.Tick
	flags       byte
}

func (x *index) add(h head, at, size int64) {
	x.entries = append(x.entries, entry{at, size, h.first, h.last, h.flags})
}

// append appends the index and the trailer of a file. at is the place of the index.
func (x *index) append(b []byte, at int64, w *flate.Writer, packed *bytes.Buffer) []byte {
	var raw []byte
	if len(x.entries) <= maxIndexed {
		raw = binary.AppendUvarint(raw, uint64(len(x.entries)))
		var last tick.Tick
		for _, e := range x.entries {
			raw = append(raw, e.flags)
			raw = binary.AppendUvarint(raw, uint64(uint32(e.first.Sub(last))))
			raw = binary.AppendUvarint(raw, uint64(e.last.Sub(e.first)))
			raw = binary.AppendUvarint(raw, uint64(e.size))
			last = e.last
		}
		for _, m := range x.marks {
			if len(raw) > maxChunk-2*MaxMarkName {
				break
			}
			text := m.append(nil)
			raw = binary.LittleEndian.AppendUint32(raw, uint32(m.Tick))
			raw = append(raw, byte(len(text)))
			raw = append(raw, text...)
		}
	}
	if len(raw) == 0 || len(raw) > maxChunk {
		return b
	}
	return appendTrailer(seal(b, indexMark, head{}, raw, w, packed), at)
}

// appendTrailer appends the trailer, which says where the index is.
func appendTrailer(b []byte, at int64) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint32(b, trailerMark)
	b = binary.LittleEndian.AppendUint64(b, uint64(at))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// readIndex reads the index of a file whose chunks begin at a place.
func readIndex(r io.ReaderAt, begin, size int64) (x index, ok bool) {
	b := make([]byte, trailerSize)
	if size-begin < trailerSize+chunkHead {
		return x, false
	}
	if _, err := r.ReadAt(b, size-trailerSize); err != nil && err != io.EOF {
		return x, false
	}
	at := binary.LittleEndian.Uint64(b[4:])
	if binary.LittleEndian.Uint32(b) != trailerMark || binary.LittleEndian.Uint32(b[12:]) != crc32.Checksum(b[:12], castagnoli) ||
		at < uint64(begin) || at > uint64(size-trailerSize) {
		return x, false
	}
	var u unpacker
	_, raw, ok := u.read(r, int64(at), indexMark, size-trailerSize-int64(at))
	if !ok {
		return x, false
	}
	return parseIndex(raw, begin, int64(at))
}

// parseIndex reads the contents of an index. The chunks follow each other from begin to end.
func parseIndex(raw []byte, begin, end int64) (x index, ok bool) {
	number := func() uint64 {
		v, n := binary.Uvarint(raw)
		if ok = ok && n > 0; !ok {
			return 0
		}
		raw = raw[n:]
		return v
	}
	ok = true
	n := number()
	if n > uint64(len(raw)/4) {
		return x, false
	}
	x.entries = make([]entry, 0, n)
	var last tick.Tick
	at := begin
	for range n {
		if len(raw) == 0 {
			return x, false
		}
		flags := raw[0]
		raw = raw[1:]
		ahead, span, size := number(), number(), number()
		if !ok || ahead > 1<<32-1 || len(x.entries) > 0 && ahead > 1<<31-1 || span > 1<<31-1 || size > uint64(end-at) || size < chunkHead {
			return x, false
		}
		first := last + tick.Tick(ahead)
		last = first + tick.Tick(span)
		x.entries = append(x.entries, entry{at, int64(size), first, last, flags})
		at += int64(size)
		if last.Sub(x.entries[0].first) < 0 { // the ticks have turned over
			return x, false
		}
	}
	for len(raw) > 0 {
		if len(raw) < 5 || len(raw) < 5+int(raw[4]) {
			return x, false
		}
		m, ok := readMark(tick.Tick(binary.LittleEndian.Uint32(raw)), raw[5:5+int(raw[4])])
		if !ok {
			return x, false
		}
		x.marks = append(x.marks, m)
		raw = raw[5+int(raw[4]):]
	}
	return x, at == end
}
