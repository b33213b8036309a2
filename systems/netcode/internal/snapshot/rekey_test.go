package snapshot_test

import (
	"slices"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// recording is an encoder to which everything is relevant, and whose packets arrive at once.
type recording struct {
	encoder *snapshot.Encoder
	n       packet.Number
}

// step returns the packets of a tick.
func (r *recording) step(x *chaos, at tick.Tick) (packets [][]byte) {
	for _, id := range x.live {
		r.encoder.SetRelevance(id, 1)
	}
	for waiting := 1; waiting > 0; {
		r.n++
		w := packet.NewWriter(make([]byte, 300)) // several packets for a tick
		waiting = r.encoder.Encode(&w, r.n, at).Waiting
		packets = append(packets, w.Bytes())
		r.encoder.Delivered(r.n)
	}
	return packets
}

// move is a decoder's report about a pose.
type move struct {
	id snapshot.ID
	op snapshot.Op
	snapshot.State
}

// TestKeyframesChangeNothing: a decoder that reads all packets of a recording gets the same
// movements, spawns and removals with keyframes and without. One that begins at a keyframe has
// everything from there on.
func TestKeyframesChangeNothing(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	config := snapshot.Config{MaxEntities: 40, Velocity: snapshot.Range{Max: 16, Resolution: 0.125}, Angular: snapshot.Range{Max: 8, Resolution: 0.25}}
	said, stood := 0, 0
	for seed := range seeds {
		x := newChaos(t, 2*seed, config, wire{}, wire{})
		var plain, keyed recording
		plain.encoder, keyed.encoder = snapshot.NewEncoder(x.world), snapshot.NewEncoder(x.world)
		first, follows := snapshot.NewDecoder(x.schema), snapshot.NewDecoder(x.schema)
		var begins []*snapshot.Decoder // at each of the keyframes
		read := func(d *snapshot.Decoder, packets [][]byte, n packet.Number) (moves []move) {
			for k, b := range packets {
				r := packet.NewReader(b)
				s, err := d.Decode(&r, n-packet.Number(len(packets)-1-k))
				if err != nil {
					t.Fatalf("seed %d, tick %d: %v", seed, x.now, err)
				}
				for _, c := range s.Changes {
					if c.Op == snapshot.Updated && !c.Moved {
						stood++
						continue
					}
					moves = append(moves, move{c.ID, c.Op, c.State})
				}
			}
			slices.SortStableFunc(moves, func(a, b move) int { return a.id.Slot() - b.id.Slot() })
			return moves
		}
		for x.now = 1; x.now < 300; x.now++ {
			for range x.r.IntN(6) {
				x.shake()
			}
			x.world.Commit()
			want := read(first, plain.step(x, x.now), plain.n)
			if x.now%40 == 20 {
				keyed.encoder.Rekey()
				begins = append(begins, snapshot.NewDecoder(x.schema))
			}
			packets := keyed.step(x, x.now)
			if got := read(follows, packets, keyed.n); !slices.Equal(got, want) {
				t.Fatalf("seed %d, tick %d: with keyframes\n%+v, without\n%+v", seed, x.now, got, want)
			}
			said += len(want)
			for _, d := range begins {
				read(d, packets, keyed.n)
				for _, id := range x.live {
					got, at, ok := d.State(id)
					want, _, _ := follows.State(id)
					info, _ := d.Info(id)
					was, _ := follows.Info(id)
					if !ok || got != want || info != was {
						t.Fatalf("seed %d, tick %d: begun at a keyframe, %v is %+v (%v, tick %d), want %+v", seed, x.now, id, got, ok, at, want)
					}
					hp, ok := x.health.Get(d, id)
					if v, had := x.health.Get(follows, id); ok != had || hp != v {
						t.Fatalf("seed %d, tick %d: begun at a keyframe, %v has health %v, want %v", seed, x.now, id, hp, v)
					}
				}
			}
			for _, d := range append(begins, follows) {
				// the last three packets before the keyframe count as under way
				if at, ok := d.Whole(); x.now%40 > 23 && (!ok || at != x.now) {
					t.Fatalf("seed %d: at tick %d it is whole up to %d (%v)", seed, x.now, at, ok)
				}
			}
		}
	}
	if said < 100 || stood < 100 {
		t.Fatalf("%d movements, %d records without one", said, stood)
	}
}
