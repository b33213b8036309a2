package snapshot_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// lump is a component of any size, in whole bytes of ones, that counts how often it is written.
type lump struct{ bytes, version int }

type lumpCodec struct{ written *int }

func (lumpCodec) Quantize(b lump) lump { return b }

func (c lumpCodec) Encode(w *packet.Writer, b lump, _ *lump) {
	*c.written++
	w.Bits(uint64(b.version), 8)
	w.Bits(uint64(b.bytes), 8)
	for range b.bytes {
		w.Bits(0xff, 8)
	}
}

func (lumpCodec) Decode(r *packet.Reader, _ *lump) (b lump) {
	b.version = int(r.Bits(8))
	b.bytes = int(r.Bits(8))
	for range b.bytes {
		if r.Bits(8) != 0xff && r.Err() == nil {
			r.Fail(packet.ErrMalformed)
		}
	}
	return b
}

// group is the clients of one world, which share and acknowledge all packets.
type group struct {
	t        testing.TB
	world    *snapshot.World
	shared   *snapshot.Shared
	encoders []*snapshot.Encoder
	decoders []*snapshot.Decoder
	now      tick.Tick
	buf      [1150]byte
	written  int
	lump     snapshot.Component[lump]
}

func newGroup(t testing.TB, c snapshot.Config, clients int) *group {
	g := &group{t: t}
	s := schema(t, c)
	g.lump = snapshot.Register(s, "lump", lumpCodec{&g.written})
	g.world = snapshot.NewWorld(s)
	g.shared = snapshot.NewShared(g.world)
	for range clients {
		g.encoders = append(g.encoders, g.shared.NewEncoder())
		g.decoders = append(g.decoders, snapshot.NewDecoder(s))
	}
	return g
}

func (g *group) spawn() snapshot.ID {
	id, err := g.world.Spawn(1)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, e := range g.encoders {
		e.SetRelevance(id, 1)
	}
	return id
}

// send commits, sends a packet to all clients, which receive it, and returns the bytes of each.
func (g *group) send() (sizes []int) {
	g.t.Helper()
	g.now++
	g.world.Commit()
	g.shared.Gather()
	for k, e := range g.encoders {
		w := packet.NewWriter(g.buf[:])
		e.Encode(&w, packet.Number(g.now), g.now)
		r := packet.NewReader(w.Bytes())
		if _, err := g.decoders[k].Decode(&r, packet.Number(g.now)); err != nil {
			g.t.Fatal(err)
		}
		e.Delivered(packet.Number(g.now))
		sizes = append(sizes, len(w.Bytes()))
	}
	return sizes
}

// TestChangesAreWrittenOnceForAll checks that changes since a baseline of sixteen clients are
// written for the first of them only. Changes that do not fit into the shared memory are written
// for each, and arrive all the same.
func TestChangesAreWrittenOnceForAll(t *testing.T) {
	const clients = 16
	for _, test := range []struct{ bytes, want int }{{4, 1}, {30, 1}, {60, 2 * clients}, {200, 2 * clients}} {
		g := newGroup(t, snapshot.Config{MaxEntities: 8}, clients)
		id := g.spawn()
		g.lump.Set(g.world, id, lump{test.bytes, 1})
		g.send()
		for version := 2; version < 20; version++ {
			g.lump.Set(g.world, id, lump{test.bytes, version})
			g.written = 0
			g.send()
			if g.written != test.want {
				t.Errorf("a component of %d bytes was written %d times for %d clients, want %d", test.bytes, g.written, clients, test.want)
			}
			for k, d := range g.decoders {
				if got, ok := g.lump.Get(d, id); !ok || got != (lump{test.bytes, version}) {
					t.Fatalf("client %d has %+v, %v", k, got, ok)
				}
			}
		}
	}
}

// TestOrdersStayWithinACommit checks that each change is written once for all clients, even while
// the orders of codes follow numbers of changing size.
func TestOrdersStayWithinACommit(t *testing.T) {
	const entities, clients = 100, 8
	g := newGroup(t, snapshot.Config{MaxEntities: entities}, clients)
	var ids []snapshot.ID
	for range entities {
		ids = append(ids, g.spawn())
	}
	for f := range 60 {
		for i, id := range ids {
			far := float32(f%2) * float32(int(1)<<(f/5)) / 16 // and back again in every other tick
			g.world.SetState(id, at(float32(i)+far, far, far))
			g.lump.Set(g.world, id, lump{0, f})
		}
		g.written = 0
		if g.send(); f > 2 && g.written != entities {
			t.Errorf("tick %d: %d changes were written, of %d entities", f, g.written, entities)
		}
	}
}

// TestSharingCostsNoBytes checks that orders of codes that are chosen for all clients are as short
// as those for one client.
func TestSharingCostsNoBytes(t *testing.T) {
	g := newGroup(t, snapshot.Config{MaxEntities: 64}, 5)
	alone := snapshot.NewEncoder(g.world)
	var ids []snapshot.ID
	for range 40 {
		ids = append(ids, g.spawn())
	}
	for _, id := range ids {
		alone.SetRelevance(id, 1)
	}
	var buf [1150]byte
	var shared, own int
	for f := range 400 {
		for i, id := range ids {
			g.world.SetState(id, at(float32(i)+float32(f*f%97)/10, float32(f)/9, float32(i*f%31)/8))
		}
		for _, size := range g.send() {
			shared += size
		}
		w := packet.NewWriter(buf[:])
		alone.Encode(&w, packet.Number(g.now), g.now)
		alone.Delivered(packet.Number(g.now))
		own += len(w.Bytes())
	}
	if ratio := float64(shared) / float64(len(g.encoders)*own); ratio > 1.01 || ratio < 0.99 {
		t.Errorf("packets of clients that share are %.3f times as large as those of one that does not", ratio)
	}
}

// TestSharingAllocatesNothing checks the steady state, with baselines of several ages.
func TestSharingAllocatesNothing(t *testing.T) {
	a := newAudience(t, 100, 9, true)
	for range 60 {
		a.step(t)
	}
	if n := testing.AllocsPerRun(30, func() { a.step(t) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
	if a.records < 100*3*60 {
		t.Errorf("only %d records", a.records)
	}
}
