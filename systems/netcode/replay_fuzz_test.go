package netcode_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// frameHead is the size of a frame's head in the fuzzer's input: the ticks since the last frame,
// the kind, whether it is a keyframe (1) or complete (2), and the length of the data.
const frameHead = 5

// FuzzReplay plays the fuzzer's frames: on, back, forward, and by a player's eyes. Nothing panics,
// and the playback stays within the recording.
func FuzzReplay(f *testing.F) {
	m := newMatchOf(f, eyesProtocol(f), nil)
	m.protocol = eyesProtocol(f)
	m.join(perfect(), nil)
	m.box(box{X: 3})
	k := &frames{}
	if err := m.server.Record(k); err != nil {
		f.Fatal(err)
	}
	m.run(time.Second/2, nil)
	f.Add(k.data)
	f.Add(k.data[:len(k.data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<15 {
			return
		}
		var file tapeFile
		to := replay.NewFile(&file, replay.Info{})
		if err := to.Begin(k.Session); err != nil {
			t.Fatal(err)
		}
		at, number := netcode.Tick(0), packet.Number(0)
		for first := true; len(data) >= frameHead; first = false {
			size := min(int(binary.LittleEndian.Uint16(data[3:])), len(data)-frameHead)
			at = at.Add(int(data[0]))
			flags := data[2]
			if first {
				flags |= 1
			}
			kind := replay.FrameKind(data[1] % 8)
			if kind == replay.Snapshot {
				number++
			}
			to.Add(replay.Frame{Tick: at, Kind: kind, Key: flags&1 != 0, Complete: flags&2 != 0, Number: number, Data: data[frameHead : frameHead+size]})
			data = data[frameHead+size:]
		}
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
		tape, err := replay.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			return
		}
		v := newViewerOf(t, tape, eyesProtocol(t))
		r := v.client.Replay()
		for i := range 60 {
			switch i % 20 {
			case 6:
				r.FollowEyes(1)
			case 11:
				r.Seek(r.Length() * time.Duration(i) / 60)
			case 15:
				r.Follow(2)
				r.Seek(0)
			}
			v.step()
			v.client.Input()
			if at := r.At(); at < 0 || at > r.Length() {
				t.Fatalf("it shows %v of %v", at, r.Length())
			}
		}
	})
}

// frames is a recorder that keeps the frames as FuzzReplay takes them.
type frames struct {
	session
	data []byte
	last netcode.Tick
}

func (k *frames) Add(f replay.Frame) bool {
	flags := byte(0)
	if f.Key {
		flags |= 1
	}
	if f.Complete {
		flags |= 2
	}
	k.data = append(k.data, byte(f.Tick.Sub(k.last)), byte(f.Kind), flags)
	k.data = append(binary.LittleEndian.AppendUint16(k.data, uint16(len(f.Data))), f.Data...)
	k.last = f.Tick
	return true
}
