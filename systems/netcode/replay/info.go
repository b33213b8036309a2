package replay

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"
)

// Info describes a recording. Everything in it may be read by all that get the file.
type Info struct {
	Game    string    `json:"game"`    // the program, as it calls itself
	Version string    `json:"version"` // of the program, in its own words
	Start   time.Time `json:"start"`   // wall-clock time at the begin; zero: unknown
	Session
}

// Session is the part of [Info] that the recording server or client fills in.
type Session struct {
	Kind  Kind   `json:"kind"`
	Rate  int    `json:"rate"`  // fixed steps per second
	Hello []byte `json:"hello"` // of the protocol: a program with another one cannot play the file
	// Players were moved on their own clocks: their states have ages.
	OnArrival bool `json:"onArrival,omitempty"`
	// Config, of an Exact recording, has the settings of the client.
	Config json.RawMessage `json:"config,omitempty"`
}

// Kind tells the end of the connection that recorded.
type Kind string

// The kinds of recordings.
const (
	Server Kind = "server" // all entities, in every recorded tick
	Client Kind = "client" // what one client knew
	// Exact is a capture: all that one client took from outside. It has one keyframe, its begin.
	Exact Kind = "exact"
)

const (
	magic      = "TANDEMRP"
	format     = 1
	headerHead = len(magic) + 12
	maxInfo    = 64 << 10
	maxRate    = 1000
)

// ErrFormat is wrapped by errors of [Open] and [Read] about bytes that are no recording, or one of
// a newer format.
var ErrFormat = errors.New("replay: not a recording that this program can read")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendHeader appends the header of a file.
func appendHeader(b []byte, info Info) ([]byte, error) {
	text, err := json.Marshal(info)
	if err != nil {
		return nil, fmt.Errorf("replay: the description: %w", err)
	}
	if len(text) > maxInfo {
		return nil, fmt.Errorf("replay: the description takes %d bytes, and a file has room for %d: shorten Game and Version", len(text), maxInfo)
	}
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, format)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(text, castagnoli))
	return append(b, text...), nil
}

// readHeader reads the header of a file, and returns the place behind it.
func readHeader(r io.ReaderAt, size int64) (info Info, end int64, err error) {
	head := make([]byte, headerHead)
	if size < int64(headerHead) {
		return info, 0, fmt.Errorf("%w: it has %d bytes only", ErrFormat, size)
	}
	if _, err := r.ReadAt(head, 0); err != nil {
		return info, 0, fmt.Errorf("replay: reading the header: %w", err)
	}
	version := binary.LittleEndian.Uint32(head[len(magic):])
	n := binary.LittleEndian.Uint32(head[len(magic)+4:])
	switch {
	case string(head[:len(magic)]) != magic:
		return info, 0, fmt.Errorf("%w: it does not begin with %s", ErrFormat, magic)
	case version != format:
		return info, 0, fmt.Errorf("%w: it has format %d, and this program reads format %d: use a newer program", ErrFormat, version, format)
	case n > maxInfo || int64(n) > size-int64(headerHead):
		return info, 0, fmt.Errorf("%w: its header is damaged", ErrFormat)
	}
	text := make([]byte, n)
	if _, err := r.ReadAt(text, int64(headerHead)); err != nil && !errors.Is(err, io.EOF) {
		return info, 0, fmt.Errorf("replay: reading the header: %w", err)
	}
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(head[len(magic)+8:]) {
		return info, 0, fmt.Errorf("%w: its header is damaged", ErrFormat)
	}
	if err := json.Unmarshal(text, &info); err != nil {
		return info, 0, fmt.Errorf("%w: its header: %w", ErrFormat, err)
	}
	if info.Rate < 1 || info.Rate > maxRate {
		return info, 0, fmt.Errorf("%w: it has %d fixed steps a second, and 1 to %d are possible", ErrFormat, info.Rate, maxRate)
	}
	return info, int64(headerHead) + int64(n), nil
}
