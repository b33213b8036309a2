package snapshot_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// TestMirrorsAreTheDecoder: over a bad line, with slots that are reused, trees that are split and
// sessions that begin anew, a reader of the packets that are made of a mirror has what the client's
// decoder has after each packet: to the bit, under the same identities, and nothing else.
func TestMirrorsAreTheDecoder(t *testing.T) {
	config := snapshot.Config{MaxEntities: 40, Velocity: snapshot.Range{Max: 16, Resolution: 0.125}, Angular: snapshot.Range{Max: 8, Resolution: 0.25}}
	bad := wire{delay: 4, jitter: 6, loss: 0.2, duplication: 0.3}
	seeds := uint64(8)
	if testing.Short() {
		seeds = 2
	}
	same, apart, sessions := 0, 0, 0
	for seed := range seeds {
		x := newChaos(t, 2*seed, config, bad, bad)
		x.budget, x.split = 200, true
		m := snapshot.NewMirror(x.schema)
		m.Follow(x.decoder)
		r := recording{encoder: snapshot.NewEncoder(m.World)}
		reader := snapshot.NewDecoder(x.schema)
		packets := 0
		write := func(at tick.Tick) {
			for waiting := 1; waiting > 0; {
				for id := range m.World.All {
					r.encoder.SetRelevance(id, 1)
				}
				r.n++
				w := packet.NewWriter(make([]byte, 300))
				waiting = r.encoder.Encode(&w, r.n, at).Waiting
				r.encoder.Delivered(r.n)
				from := packet.NewReader(w.Bytes())
				if _, err := reader.Decode(&from, r.n); err != nil {
					t.Fatalf("seed %d, tick %d: %v", seed, at, err)
				}
			}
		}
		check := x.each
		x.each = func(s snapshot.Snapshot) {
			check(s)
			if packets++; packets%150 == 149 { // another session
				m.Follow(x.decoder)
				write(s.Tick)
				if m.World.Len() != 0 || len(entities(reader)) != 0 {
					t.Fatalf("seed %d: %d entities at the begin of a session", seed, len(entities(reader)))
				}
				sessions++
			}
			m.Take(s.Changes)
			m.World.Commit()
			write(s.Tick)
			want := 0
			for id := range x.decoder.All() {
				whole := true
				for up := id; up != snapshot.None && whole; {
					var info snapshot.Info
					info, whole = x.decoder.Info(up)
					up = info.Parent
				}
				got, _, ok := reader.State(id)
				if ok != whole {
					t.Fatalf("seed %d, tick %d: %v, which has its parents: %v, is there: %v", seed, s.Tick, id, whole, ok)
				}
				if !whole {
					apart++
					continue
				}
				want++
				state, _, _ := x.decoder.State(id)
				info, _ := x.decoder.Info(id)
				had, _ := reader.Info(id)
				hp, lives := x.health.Get(x.decoder, id)
				points, living := x.health.Get(reader, id)
				if got != state || had != info || hp != points || lives != living {
					t.Fatalf("seed %d, tick %d: %v is %+v %+v with %v, want %+v %+v with %v", seed, s.Tick, id, got, had, points, state, info, hp)
				}
				same++
			}
			if n := len(entities(reader)); n != want || m.World.Len() != want {
				t.Fatalf("seed %d, tick %d: %d entities, want %d", seed, s.Tick, n, want)
			}
		}
		x.run(400, 6)
	}
	if !testing.Short() && (same < 10000 || apart == 0 || sessions < 10) {
		t.Errorf("%d equal, %d without their parents, %d sessions", same, apart, sessions)
	}
	t.Logf("%d equal, %d without their parents, %d sessions", same, apart, sessions)
}

// entities returns all that a decoder has.
func entities(d *snapshot.Decoder) (all []snapshot.ID) {
	for id := range d.All() {
		all = append(all, id)
	}
	return all
}
