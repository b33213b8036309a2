package snapshot_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// FuzzDecode passes the fuzzer's snapshots to a Decoder in the middle of a session. Each is behind
// its packet's number (two bytes, relative to the session's present one) and its length (two
// bytes). A refused one must change nothing, and all values must be in range. A Mirror takes them,
// too, and has nothing that the Decoder lacks.
func FuzzDecode(f *testing.F) {
	x, snapshots := recorded(f)
	first := snapshots[0].n
	var all []byte
	for _, s := range snapshots {
		one := binary.LittleEndian.AppendUint16(nil, uint16(s.n-first))
		one = binary.LittleEndian.AppendUint16(one, uint16(len(s.data)))
		one = append(one, s.data...)
		f.Add(one)
		all = append(all, one...)
	}
	f.Add(all)
	fresh := x.decoder
	f.Fuzz(func(t *testing.T, data []byte) {
		x.decoder = fresh.Clone()
		m := snapshot.NewMirror(x.schema)
		m.Follow(x.decoder)
		for len(data) >= 4 {
			n := first + packet.Number(int16(binary.LittleEndian.Uint16(data)))
			size := min(int(binary.LittleEndian.Uint16(data[2:])), len(data)-4)
			if n > first+1<<20 {
				n = 1 // below the first one
			}
			before := ""
			if len(data)%4 == 0 { // not always, for speed
				before = x.dump()
			}
			r := packet.NewReader(data[4 : 4+size])
			s, err := x.decoder.Decode(&r, n)
			data = data[4+size:]
			if err != nil {
				if !errors.Is(err, packet.ErrShort) && !errors.Is(err, packet.ErrMalformed) && !errors.Is(err, snapshot.ErrBaseline) {
					t.Fatalf("error %v", err)
				}
				if before != "" && x.dump() != before {
					t.Fatalf("a refused snapshot (%v) changed something", err)
				}
				continue
			}
			if len(s.Changes) > snapshot.MaxRecords+x.schema.Config().MaxEntities {
				t.Fatalf("%d changes", len(s.Changes))
			}
			there := map[snapshot.ID]bool{}
			for _, c := range s.Changes {
				if there[c.ID] = c.Op != snapshot.Removed; c.Op == snapshot.Spawned && c.Replaces != c.ID {
					delete(there, c.Replaces)
				}
				if c.Op != snapshot.Removed && x.schema.Quantize(c.State).Position != c.State.Position {
					t.Fatalf("a position off the grid: %+v", c)
				}
			}
			for id, want := range there {
				if x.decoder.Alive(id) != want {
					t.Fatalf("%v is there: %v, by the changes %v", id, !want, want)
				}
			}
			m.Take(s.Changes)
			m.World.Commit()
			for id := range m.World.All {
				if !x.decoder.Alive(id) {
					t.Fatalf("a mirror has %v, which is gone", id)
				}
			}
		}
	})
}

// FuzzHello checks the hello of a stranger.
func FuzzHello(f *testing.F) {
	s := schema(f, snapshot.Config{Version: 1})
	snapshot.Register(s, "health", healthCodec{})
	w := packet.NewWriter(make([]byte, 100))
	s.WriteHello(&w)
	f.Add(w.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		r := packet.NewReader(data)
		err := s.CheckHello(&r)
		if err == nil && r.Close() == nil && len(data) != len(w.Bytes()) {
			t.Fatalf("% x is taken for our own hello", data)
		}
	})
}
