package replay

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// A chunk holds the frames of about a second. It is the unit of packing, of checksums and of loss.

const (
	chunkMark = 0x43505254 // "TRPC"
	indexMark = 0x49505254 // "TRPI"
	chunkHead = 33
	maxChunk  = 4 << 20 // bytes of frames
	// A chunk of p bytes holds at most maxRatio*p + maxSmall bytes of frames: a small file cannot
	// cost the time of a large one. What packs better stays as it is.
	maxRatio, maxSmall = 32, 4 << 10
)

// Flags of a chunk.
const (
	chunkKey    = 1 << iota // it begins with a keyframe
	chunkGap                // frames before it are missing
	chunkPacked             // by DEFLATE
)

// head describes a chunk.
type head struct {
	flags       byte
	first, last tick.Tick     // of its frames
	number      packet.Number // of its first snapshot
	raw, packed uint32        // bytes of the frames, and of the chunk without its head
}

// seal appends a chunk. packed is the memory that it packs into, reused between calls; w packs, nil
// for none.
func seal(b []byte, mark uint32, h head, raw []byte, w *flate.Writer, packed *bytes.Buffer) []byte {
	h.raw = uint32(len(raw))
	body := raw
	if w != nil {
		packed.Reset()
		w.Reset(packed)
		_, _ = w.Write(raw) // into memory
		_ = w.Close()
		if n := packed.Len(); n < len(raw) && len(raw) <= maxRatio*n+maxSmall {
			h.flags |= chunkPacked
			body = packed.Bytes()
		}
	}
	at := len(b)
	b = binary.LittleEndian.AppendUint32(b, mark)
	b = append(b, h.flags)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.first))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.last))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.number))
	b = binary.LittleEndian.AppendUint32(b, h.raw)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	sum := crc32.Update(crc32.Checksum(b[at:], castagnoli), castagnoli, body)
	b = binary.LittleEndian.AppendUint32(b, sum)
	return append(b, body...)
}

// readHead reads a chunk's head, which has chunkHead bytes. ok is false for what cannot be one.
func readHead(b []byte, mark uint32, room int64) (h head, ok bool) {
	h = head{
		flags:  b[4],
		first:  tick.Tick(binary.LittleEndian.Uint32(b[5:])),
		last:   tick.Tick(binary.LittleEndian.Uint32(b[9:])),
		number: packet.Number(binary.LittleEndian.Uint64(b[13:])),
		raw:    binary.LittleEndian.Uint32(b[21:]), packed: binary.LittleEndian.Uint32(b[25:]),
	}
	ok = binary.LittleEndian.Uint32(b) == mark && h.raw <= maxChunk && h.packed <= h.raw && int64(h.raw) <= maxRatio*int64(h.packed)+maxSmall &&
		int64(h.packed) <= room-chunkHead && h.last.Sub(h.first) >= 0
	return h, ok
}

// whole reports whether a chunk's bytes, head and body, have their checksum.
func whole(b []byte) bool {
	sum := crc32.Update(crc32.Checksum(b[:chunkHead-4], castagnoli), castagnoli, b[chunkHead:])
	return sum == binary.LittleEndian.Uint32(b[chunkHead-4:])
}

// unpacker reads chunks, one at a time, into memory that it uses again.
type unpacker struct {
	bytes  []byte
	raw    []byte
	source bytes.Reader
	flate  io.ReadCloser
}

// read returns the frames of the chunk at a place. They are valid until the next call.
func (u *unpacker) read(r io.ReaderAt, at int64, mark uint32, room int64) (h head, raw []byte, ok bool) {
	if room < chunkHead {
		return h, nil, false
	}
	u.bytes = append(u.bytes[:0], make([]byte, chunkHead)...)
	if _, err := r.ReadAt(u.bytes, at); err != nil && err != io.EOF {
		return h, nil, false
	}
	if h, ok = readHead(u.bytes, mark, room); !ok {
		return h, nil, false
	}
	u.bytes = append(u.bytes, make([]byte, h.packed)...)
	if n, err := r.ReadAt(u.bytes, at); n < len(u.bytes) && err != nil || !whole(u.bytes) {
		return h, nil, false
	}
	body := u.bytes[chunkHead:]
	if h.flags&chunkPacked == 0 {
		return h, body, h.packed == h.raw
	}
	u.source.Reset(body)
	if u.flate == nil {
		u.flate = flate.NewReader(&u.source)
	} else {
		_ = u.flate.(flate.Resetter).Reset(&u.source, nil) // it has no error
	}
	u.raw = append(u.raw[:0], make([]byte, h.raw)...)
	if _, err := io.ReadFull(u.flate, u.raw); err != nil {
		return h, nil, false
	}
	return h, u.raw, true
}
