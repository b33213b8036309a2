package replay

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
)

// maxWaiting is the number of bytes that may wait for a slow disk. After that, frames are dropped
// up to the next keyframe.
const maxWaiting = 8 << 20

// File records into a file. It is a [Recorder]. One goroutine packs and writes, and no step of the
// match waits for it. Make it with [Create] or [NewFile], and close it.
//
// If the program ends without Close, at most the last second and what waited for the disk is lost.
type File struct {
	chunker
	info    Info
	out     io.WriteCloser
	name    string
	begun   bool
	skip    bool // a chunk was dropped: up to the next keyframe all are
	dropped int  // ticks
	marks   []Mark

	work chan job
	done chan struct{}

	mu      sync.Mutex
	waiting int
	free    [][]byte
	err     error
}

// job is a chunk on its way to the disk.
type job struct {
	head head
	raw  []byte
}

// Create makes a file, over one of that name. It fails if the file cannot be made. The header is
// written when the recording begins.
func Create(name string, info Info) (*File, error) {
	out, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	f := NewFile(out, info)
	f.name = name
	return f, nil
}

// NewFile records into a writer: an upload, for example. The File calls Write from a goroutine of
// its own, and closes the writer.
func NewFile(out io.WriteCloser, info Info) *File {
	return &File{info: info, out: out, name: "the recording"}
}

// Begin implements [Recorder].
func (f *File) Begin(s Session) error {
	if f.begun {
		return errors.New("replay: this File has a recording already: make one for each")
	}
	f.info.Session, f.rate = s, s.Rate
	header, err := appendHeader(nil, f.info)
	if err != nil {
		return err
	}
	f.begun = true
	f.work, f.done = make(chan job, 1024), make(chan struct{})
	go f.write(header)
	return nil
}

// Add implements [Recorder]. The recording ends with Close.
func (f *File) Add(frame Frame) bool {
	if f.out == nil {
		return false
	}
	if frame.Kind == Marker {
		if m, ok := readMark(frame.Tick, frame.Data); ok {
			f.marks = append(f.marks, m)
		}
	}
	if f.add(frame) {
		f.flush(maxWaiting)
		f.add(frame)
	}
	return true
}

// Waiting returns the number of bytes that wait for the disk.
func (f *File) Waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting
}

// flush hands the chunk to the goroutine, or drops it if more than a number of bytes would wait.
func (f *File) flush(most int) {
	if f.head.flags&chunkKey != 0 {
		f.skip = false
	}
	f.mu.Lock()
	full := f.waiting+len(f.raw) > most || f.err != nil
	var raw []byte
	if n := len(f.free); n > 0 {
		raw, f.free = f.free[n-1], f.free[:n-1]
	}
	if !full && !f.skip {
		f.waiting += len(f.raw)
	}
	f.mu.Unlock()
	if full || f.skip {
		f.skip, f.gap = true, true
		f.dropped += int(f.head.last.Sub(f.head.first)) + 1
		f.recycle(f.raw)
	} else {
		f.work <- job{f.head, f.raw} // there is room: each waiting chunk has a second or 4 MiB
	}
	f.restart(raw)
}

// recycle keeps the memory of a chunk for a later one.
func (f *File) recycle(raw []byte) {
	f.mu.Lock()
	f.free = append(f.free, raw)
	f.mu.Unlock()
}

// write runs on a goroutine of its own, until the work ends.
func (f *File) write(b []byte) {
	defer close(f.done)
	packer, _ := flate.NewWriter(io.Discard, 6) // the level exists
	var packed bytes.Buffer
	var index index
	at := int64(len(b))
	put := func() {
		if f.failed() == nil {
			if _, err := f.out.Write(b); err != nil {
				f.fail(err)
			}
		}
	}
	put()
	for j := range f.work {
		b = seal(b[:0], chunkMark, j.head, j.raw, packer, &packed)
		put()
		index.add(j.head, at, int64(len(b)))
		at += int64(len(b))
		f.mu.Lock()
		f.waiting -= len(j.raw)
		f.mu.Unlock()
		f.recycle(j.raw)
	}
	index.marks = f.marks
	b = index.append(b[:0], at, packer, &packed)
	put()
	if err := f.out.Close(); err != nil {
		f.fail(err)
	}
}

func (f *File) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *File) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Close writes what is left and the index, and closes the file. Its error says what could not be
// written. What had been written before plays. A second call does nothing.
func (f *File) Close() error {
	switch {
	case !f.begun && f.out != nil:
		out := f.out
		f.out = nil
		_ = out.Close()
		return fmt.Errorf("replay: %s is empty: it was closed before anything was recorded", f.name)
	case f.out == nil:
		return nil
	}
	if f.chunker.begun {
		f.flush(math.MaxInt) // Close waits for the disk
	}
	close(f.work)
	<-f.done
	f.out = nil
	if f.err != nil {
		return fmt.Errorf("replay: writing %s: %w (what was written before plays)", f.name, f.err)
	}
	if f.dropped > 0 {
		return fmt.Errorf("replay: %s lacks %.1f s, since the disk was too slow; the rest plays", f.name, float64(f.dropped)/float64(f.rate))
	}
	return nil
}
