package replay_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// What cannot be written is in the error of Close. What was written before plays.
func TestAFullDisk(t *testing.T) {
	m := &memory{room: 3000}
	f := replay.NewFile(m, replay.Info{})
	record(t, f, script(0, 600, 40))
	if err := f.Close(); !errors.Is(err, errFull) {
		t.Fatalf("closing says %v", err)
	}
	tape, err := m.read()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(play(tape.Cursor())); n < 20 {
		t.Fatalf("%d frames play", n)
	}
	if err := f.Close(); err != nil {
		t.Fatalf("closed again: %v", err)
	}
}

// A disk that stands still costs frames, up to a keyframe, and memory of 8 MiB and a chunk. No step
// waits.
func TestASlowDisk(t *testing.T) {
	m := &memory{gate: make(chan struct{})}
	f := replay.NewFile(m, replay.Info{})
	if err := f.Begin(session); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 600<<10)
	for k := range 60 { // 6 MB a second: the disk stands still for four of six seconds
		if k == 40 {
			close(m.gate)
		}
		for k >= 40 && f.Waiting() > 0 {
			time.Sleep(time.Millisecond) // the disk is fast enough now
		}
		binary.LittleEndian.PutUint32(data, uint32(k))
		f.Add(replay.Frame{Tick: tick.Tick(k), Key: k%10 == 0, Number: packet.Number(k + 1), Data: data})
		if w := f.Waiting(); w > 8<<20 {
			t.Fatalf("%d bytes wait", w)
		}
	}
	err := f.Close()
	if err == nil {
		t.Fatal("closing reports nothing")
	}
	t.Log(err)
	tape, err := m.read()
	if err != nil {
		t.Fatal(err)
	}
	frames := play(tape.Cursor())
	gaps, last := 0, -1
	for _, fr := range frames {
		if fr.Gap {
			gaps++
		} else if int(fr.Tick) != last+1 {
			t.Fatalf("tick %d after %d without a gap", fr.Tick, last)
		}
		last = int(fr.Tick)
	}
	if gaps != 1 || last != 59 || len(tape.Gaps()) != 1 || len(frames) < 20 || len(frames) > 50 {
		t.Fatalf("%d frames in %d gaps (%v), the last of tick %d", len(frames), gaps, tape.Gaps(), last)
	}
}

func TestCreateAndOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "match.replay")
	f, err := replay.Create(name, replay.Info{Game: "test", Version: "1.4", Start: time.Unix(1e9, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	want := script(0, 200, 5)
	record(t, f, want)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	tape, err := replay.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if i := tape.Info(); i.Game != "test" || i.Version != "1.4" || i.Start.Unix() != 1e9 || string(i.Hello) != "hello" || i.Rate != session.Rate {
		t.Fatalf("info %+v", i)
	}
	if got := play(tape.Cursor()); len(got) != len(want) {
		t.Fatalf("%d frames of %d", len(got), len(want))
	}
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := replay.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a file that does not exist: %v", err)
	}
	if err := os.WriteFile(name, []byte("TANDEMRP and no more than that"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := replay.Open(name); !errors.Is(err, replay.ErrFormat) {
		t.Fatalf("a damaged header: %v", err)
	}
	if _, err := replay.Create(filepath.Join(name, "x"), replay.Info{}); err == nil {
		t.Fatal("a file below a file was made")
	}
}

func TestMisuse(t *testing.T) {
	f := replay.NewFile(&memory{}, replay.Info{})
	if err := f.Begin(session); err != nil {
		t.Fatal(err)
	}
	if err := f.Begin(session); err == nil {
		t.Fatal("a second recording in one file")
	}
	f.Add(replay.Frame{Tick: 5, Key: true})
	for name, frame := range map[string]replay.Frame{
		"an earlier tick": {Tick: 4},
		"too large":       {Tick: 6, Data: make([]byte, replay.MaxFrame+1)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", name)
				}
			}()
			f.Add(frame)
		}()
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := replay.NewFile(&memory{}, replay.Info{}).Close(); err == nil {
		t.Fatal("an empty file is closed without a word")
	}
	if err := replay.NewFile(&memory{}, replay.Info{Game: string(make([]byte, 70<<10))}).Begin(session); err == nil {
		t.Fatal("a description of 70 kB is taken")
	}
}

// A recorder that is killed leaves all but the last second. So far nothing has ended the file.
func TestAFileWithoutAnEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "match.replay")
	f, err := replay.Create(name, replay.Info{Game: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const ticks = 95
	record(t, f, script(0, ticks, 5))
	for f.Waiting() > 0 {
		time.Sleep(time.Millisecond)
	}
	tape, err := replay.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer tape.Close()
	last := -1
	for _, fr := range play(tape.Cursor()) {
		last = int(fr.Tick)
	}
	if lost := ticks - 1 - last; lost > session.Rate || last != int(tape.Last()) || tape.Closed() || len(tape.Gaps()) > 0 {
		t.Errorf("%d ticks are lost, a second has %d; closed: %v, gaps %v", lost, session.Rate, tape.Closed(), tape.Gaps())
	}
}
