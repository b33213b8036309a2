package snapshot_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// waitOf returns the number of ticks after which an entity is sent for the first time, or with its
// last pose. The world has 400 other moving entities, twenty of which fit into a packet.
func waitOf(t *testing.T, weight float32, rests bool) int {
	w := snapshot.NewWorld(schema(t, snapshot.Config{MaxEntities: 512}))
	e := snapshot.NewEncoder(w)
	var ids []snapshot.ID
	spawn := func(weight float32) {
		id, err := w.Spawn(0)
		if err != nil {
			t.Fatal(err)
		}
		e.SetRelevance(id, weight)
		ids = append(ids, id)
	}
	for range 400 {
		spawn(1)
	}
	if rests {
		spawn(weight)
	}
	const begin = 300
	buf := make([]byte, 150)
	for f := 1; f < 1000; f++ {
		if f == begin && !rests {
			spawn(weight)
		}
		for i, id := range ids {
			s := at(float32(i), 0.05*float32(f), 0)
			if i == 400 && f >= begin {
				s = at(0, 0, 0)
				s.AtRest = rests
			}
			w.SetState(id, s)
		}
		w.Commit()
		p := packet.NewWriter(buf)
		e.Encode(&p, packet.Number(f), tick.Tick(f))
		e.Delivered(packet.Number(f))
		if f >= begin {
			if sent, ok := e.SentTick(ids[400]); ok && sent == tick.Tick(f) {
				return f - begin
			}
		}
	}
	t.Fatal("never sent")
	return 0
}

func TestPriorityOrder(t *testing.T) {
	for _, test := range []struct {
		name        string
		weight      float32
		rests       bool
		least, most int
	}{
		{"new", 1, false, 1, 6},
		{"new and important", 100, false, 0, 0},
		{"new and unimportant", 0.001, false, 59, 61},
		{"come to rest", 0.2, true, 0, 11},
	} {
		got := waitOf(t, test.weight, test.rests)
		t.Logf("%s: %d ticks", test.name, got)
		if got < test.least || got > test.most {
			t.Errorf("%s: sent after %d ticks, want %d to %d", test.name, got, test.least, test.most)
		}
	}
}

// TestDespawnsMakeRoom checks that the old entity of a slot is removed even if there is no room for
// the new one.
func TestDespawnsMakeRoom(t *testing.T) {
	var blobs snapshot.Component[[200]byte]
	p := newPair(t, snapshot.Config{MaxEntities: 8}, func(s *snapshot.Schema) { blobs = snapshot.Register(s, "blob", blobCodec{}) }, 3, wire{}, wire{})
	p.budget = 150
	old := p.spawn(0, 1, at(0, 0, 0))
	for range 3 {
		p.step()
	}
	p.world.Despawn(old)
	next := p.spawn(0, 1, at(1, 0, 0))
	blobs.Set(p.world, next, [200]byte{1})
	p.step()
	if next.Slot() != old.Slot() || p.decoder.Alive(old) || p.decoder.Alive(next) || p.encoder.Removals() != 1 {
		t.Errorf("%v after %v: the old is there: %v, sent %+v", next, old, p.decoder.Alive(old), p.sent)
	}
	p.budget = 400
	p.step()
	if !p.decoder.Alive(next) {
		t.Error("the new entity does not come when there is room")
	}
}

// The last change of an entity is sent in four packets, since no later change would replace a lost
// one. It is not sent again once it is acknowledged, and not twice in one snapshot.
func TestLastChangeIsSentFourTimes(t *testing.T) {
	for _, test := range []struct{ acked, want int }{{100, 4}, {3, 3}, {1, 1}} {
		// ticks until packets are acknowledged
		w := snapshot.NewWorld(schema(t, snapshot.Config{MaxEntities: 8}))
		e := snapshot.NewEncoder(w)
		id, err := w.Spawn(0)
		if err != nil {
			t.Fatal(err)
		}
		e.SetRelevance(id, 1)
		const stop, end = 20, 60
		said := 0
		var number packet.Number
		var packets [end][]packet.Number // of each tick
		for f := 1; f < end; f++ {
			w.SetState(id, at(float32(min(f, stop)), 0, 0))
			w.Commit()
			late := test.acked
			if f <= stop { // until then no packet is lost
				late = 1
			}
			for k := 1; k <= f-late; k++ {
				for _, n := range packets[k] {
					e.Delivered(n)
				}
				packets[k] = nil
			}
			before := said
			for range 2 { // packets in one snapshot
				number++
				p := packet.NewWriter(make([]byte, 200))
				if e.Encode(&p, number, tick.Tick(f)).Records > 0 && f >= stop {
					said = before + 1 // in this snapshot, once or twice
				}
				packets[f] = append(packets[f], number)
			}
		}
		if said != test.want {
			t.Errorf("acknowledged %d ticks later: the last change was said %d times, want %d", test.acked, said, test.want)
		}
	}
}
