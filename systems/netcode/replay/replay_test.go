package replay_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// memory is a file in memory, which may be slow or full.
type memory struct {
	bytes.Buffer
	room int           // bytes that it takes; 0: any number
	gate chan struct{} // if not nil, each write waits for a value or for the close
}

var errFull = errors.New("no space left")

func (m *memory) Write(b []byte) (int, error) {
	if m.gate != nil {
		<-m.gate
	}
	if m.room > 0 && m.Len()+len(b) > m.room {
		n, _ := m.Buffer.Write(b[:m.room-m.Len()])
		return n, errFull
	}
	return m.Buffer.Write(b)
}

func (m *memory) Close() error { return nil }

func (m *memory) read() (*replay.Tape, error) {
	return replay.Read(bytes.NewReader(m.Bytes()), int64(m.Len()))
}

// The tests record at 10 Hz: more seconds, and so more chunks, in fewer frames.
var session = replay.Session{Kind: replay.Server, Rate: 10, Hello: []byte("hello")}

// keyframes are every two seconds
const keyEvery = 20

// script makes frames: one snapshot a tick, with data that tell the
// tick and do not pack to nothing.
func script(from tick.Tick, ticks, size int) (frames []replay.Frame) {
	for k := range ticks {
		data := make([]byte, 8, 8+size)
		binary.LittleEndian.PutUint64(data, uint64(k))
		for j := range size {
			data = append(data, byte((k*31+j*j*7)>>(j%3)))
		}
		frames = append(frames, replay.Frame{Tick: from.Add(k), Key: k%keyEvery == 0, Complete: k%3 == 0, Number: packet.Number(k + 1), Data: data})
		if k%17 == 5 {
			frames = append(frames, replay.Frame{Tick: from.Add(k), Kind: replay.Message, Data: []byte("goal")})
			frames = append(frames, replay.Mark{Tick: from.Add(k), Player: uint16(k), Name: "goal"}.Frame())
		}
	}
	return frames
}

func record(t testing.TB, r replay.Recorder, frames []replay.Frame) {
	t.Helper()
	if err := r.Begin(session); err != nil {
		t.Fatal(err)
	}
	scratch := make([]byte, 0, 1<<10)
	for _, f := range frames {
		scratch = append(scratch[:0], f.Data...)
		f.Data = scratch // the recorder must copy it
		r.Add(f)
	}
	clear(scratch)
}

// recorded returns the bytes of a file.
func recorded(t testing.TB, frames []replay.Frame) []byte {
	t.Helper()
	m := &memory{}
	f := replay.NewFile(m, replay.Info{Game: "test", Version: "1"})
	record(t, f, frames)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return m.Bytes()
}

func open(t testing.TB, b []byte) *replay.Tape {
	t.Helper()
	tape, err := replay.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// play reads all frames from a cursor on. The data are copies.
func play(c *replay.Cursor) (frames []replay.Frame) {
	for f, ok := c.Next(); ok; f, ok = c.Next() {
		f.Data = bytes.Clone(f.Data)
		frames = append(frames, f)
	}
	return frames
}

func same(a, b replay.Frame) bool {
	data := bytes.Equal(a.Data, b.Data)
	return data && a.Tick == b.Tick && a.Kind == b.Kind && a.Key == b.Key && a.Complete == b.Complete && a.Number == b.Number && a.Gap == b.Gap
}

// All frames come back as they were, in order, also across the wrap of ticks, with the index and
// without it.
func TestFramesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.SampledFrom([]tick.Tick{0, 7, 1<<31 - 100, 1<<32 - 100}).Draw(t, "from")
		want := script(from, rapid.IntRange(1, 700).Draw(t, "ticks"), rapid.IntRange(0, 60).Draw(t, "size"))
		m := &memory{}
		f := replay.NewFile(m, replay.Info{Game: "test", Version: "1"})
		if err := f.Begin(session); err != nil {
			t.Fatal(err)
		}
		for _, frame := range want {
			f.Add(frame)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		b := m.Bytes()
		if rapid.Bool().Draw(t, "without its trailer") {
			b = b[:len(b)-1]
		}
		tape, err := replay.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		got := play(tape.Cursor())
		if len(got) != len(want) {
			t.Fatalf("%d frames of %d", len(got), len(want))
		}
		marks := tape.Marks()
		for i := range want {
			if !same(got[i], want[i]) {
				t.Fatalf("frame %d is %+v, want %+v", i, got[i], want[i])
			}
			if want[i].Kind != replay.Marker {
				continue
			}
			if len(marks) == 0 || marks[0].Tick != want[i].Tick || marks[0].Name != "goal" {
				t.Fatalf("marks %v at tick %d", marks, want[i].Tick)
			}
			marks = marks[1:]
		}
		if last := want[len(want)-1].Tick; tape.First() != from || tape.Last() != last || len(marks) > 0 || len(tape.Gaps()) > 0 {
			t.Fatalf("from %d to %d, marks left: %v, gaps %v", tape.First(), tape.Last(), marks, tape.Gaps())
		}
		k := from.Add(rapid.IntRange(0, int(tape.Last().Sub(from))).Draw(t, "tick"))
		if back := tape.Tick(tape.At(k)); back != k {
			t.Fatalf("tick %d is at %v, which is tick %d", k, tape.At(k), back)
		}
		c := tape.Cursor()
		c.Seek(k)
		f0, _ := c.Next()
		if d := k.Sub(f0.Tick); !f0.Key || d < 0 || d >= keyEvery {
			t.Fatalf("a seek to tick %d begins at %d", k, f0.Tick)
		}
	})
}

// A file that is cut anywhere plays all of its whole chunks, and no other frame.
func TestACutFilePlays(t *testing.T) {
	want := script(3, 90, 4)
	b := recorded(t, want)
	last := 0
	for cut := range len(b) {
		tape, err := replay.Read(bytes.NewReader(b[:cut]), int64(cut))
		if err != nil {
			if !errors.Is(err, replay.ErrFormat) || last > 0 {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		}
		got := play(tape.Cursor())
		for i, f := range got {
			if !same(f, want[i]) {
				t.Fatalf("cut at %d: frame %d is %+v", cut, i, f)
			}
		}
		if len(got) < last {
			t.Fatalf("cut at %d: %d frames, and %d when it was shorter", cut, len(got), last)
		}
		if n := len(got); n > last && last > 0 && want[n-1].Tick.Sub(want[last].Tick) > 10 {
			t.Fatalf("cut at %d: %d frames, and %d when it was a byte shorter: more than a chunk", cut, n, last)
		}
		last = len(got)
	}
	if last != len(want) {
		t.Fatalf("the file without its last byte plays %d of %d frames", last, len(want))
	}
}

// A flipped bit costs the frames from its chunk up to the next keyframe, and never plays a wrong
// one.
func TestAFlippedBitIsNoticed(t *testing.T) {
	want := script(3, 90, 3)
	b := recorded(t, want)
	byTick := map[tick.Tick][]replay.Frame{}
	for _, f := range want {
		byTick[f.Tick] = append(byTick[f.Tick], f)
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for bit := 0; bit < 8*len(b); bit += step {
		broken := bytes.Clone(b)
		broken[bit/8] ^= 1 << (bit % 8)
		tape, err := replay.Read(bytes.NewReader(broken), int64(len(broken)))
		if err != nil {
			if bit/8 > 150 {
				t.Fatalf("bit %d: %v", bit, err)
			}
			continue // of the header
		}
		got := play(tape.Cursor())
		at, gaps := 0, 0
		for _, f := range got {
			if f.Gap {
				gaps++
				f.Gap = false
			}
			for at < len(want) && !same(f, want[at]) {
				at++
			}
			if at == len(want) {
				t.Fatalf("bit %d: frame %+v was not recorded", bit, f)
			}
			at++
		}
		if lost := len(want) - len(got); lost > keyEvery+10 || gaps > 1 {
			t.Fatalf("bit %d: %d frames lost in %d gaps", bit, lost, gaps)
		}
	}
}

// Recording and reading allocate nothing once their memory has grown.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector allocates")
	}
	ring := replay.NewRing(3 * time.Second)
	frames := script(0, 1200, 50)
	record(t, ring, frames)
	k := 1200
	if n := testing.AllocsPerRun(600, func() {
		f := frames[k%600]
		f.Tick, f.Kind, f.Key = tick.Tick(k), replay.Snapshot, k%keyEvery == 0
		ring.Add(f)
		k++
	}); n > 0 {
		t.Errorf("a frame into a ring allocates %v times", n)
	}
	tape := open(t, recorded(t, frames))
	c := tape.Cursor()
	play(c)
	c.Seek(0)
	if n := testing.AllocsPerRun(500, func() { c.Next() }); n > 0 {
		t.Errorf("a frame from a tape allocates %v times", n)
	}
}

// Ten hours are recorded, opened by the index, and sought in.
func TestTenHours(t *testing.T) {
	if testing.Short() {
		t.Skip("one process is enough")
	}
	m := &memory{}
	f := replay.NewFile(m, replay.Info{})
	if err := f.Begin(session); err != nil {
		t.Fatal(err)
	}
	const ticks = 10 * 3600 * 10
	data := make([]byte, 8)
	for k := range ticks {
		binary.LittleEndian.PutUint64(data, uint64(k))
		f.Add(replay.Frame{Tick: tick.Tick(k), Key: k%keyEvery == 0, Number: packet.Number(k + 1), Data: data})
		for f.Waiting() > 4<<20 {
			time.Sleep(time.Millisecond)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	reads := &counting{ReaderAt: bytes.NewReader(m.Bytes())}
	tape, err := replay.Read(reads, int64(m.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if reads.n > m.Len()/20 {
		t.Errorf("opening reads %d of %d bytes", reads.n, m.Len())
	}
	c := tape.Cursor()
	for at := time.Duration(0); at < 10*time.Hour; at += 7*time.Minute + 13*time.Millisecond {
		k := tape.Tick(at)
		c.Seek(k)
		n := 0
		for fr, ok := c.Next(); ok; fr, ok = c.Next() {
			if n++; fr.Tick == k {
				if binary.LittleEndian.Uint64(fr.Data) != uint64(k) || fr.Number != packet.Number(k+1) {
					t.Fatalf("tick %d holds %+v", k, fr)
				}
				break
			}
		}
		if n > keyEvery {
			t.Fatalf("a seek to %v reads %d frames", at, n)
		}
	}
}

// counting counts the bytes that are read.
type counting struct {
	io.ReaderAt
	n int
}

func (c *counting) ReadAt(b []byte, at int64) (int, error) {
	c.n += len(b)
	return c.ReaderAt.ReadAt(b, at)
}

// A file whose chunks are so far apart that its ticks turn over has a length up to there.
func TestTicksDoNotTurnOver(t *testing.T) {
	var file memory
	f := replay.NewFile(&file, replay.Info{})
	if err := f.Begin(session); err != nil {
		t.Fatal(err)
	}
	for k := range 4 {
		f.Add(replay.Frame{Tick: tick.Tick(k) << 30, Key: true, Number: packet.Number(k + 1), Data: []byte("far")})
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for cut := range 2 { // with the index, and without it
		b := file.Bytes()[:file.Len()-cut]
		tape, err := replay.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if n := tape.Last().Sub(tape.First()); n != 1<<30 || tape.Tick(tape.Length()) != tape.Last() {
			t.Errorf("it has %d ticks, and %v", n, tape.Length())
		}
	}
}
