package snapshot_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// checkWhole compares the client with the world at the tick of Whole. Each entity without a newer
// record must have the client's state, and if there is no newer record at all, the client must have
// all entities.
func (x *chaos) checkWhole() {
	at, ok := x.decoder.Whole()
	if ok && at.IsNewer(x.newest) {
		x.t.Fatalf("tick %d is known whole, and the newest that came is %d", at, x.newest)
	}
	if !ok {
		return
	}
	if at != x.whole {
		x.wholes++
		x.whole = at
	}
	for id, want := range x.history[at] {
		if _, of, ok := x.decoder.State(id); at != x.newest && (!ok || of.IsNewer(at)) {
			continue
		}
		if err := x.matches(id, want); err != nil {
			x.t.Fatalf("tick %d is known whole: %v", at, err)
		}
	}
	if at == x.newest && len(x.present) != len(x.history[at]) {
		x.t.Fatalf("tick %d is known whole: %d entities are there, want %d", at, len(x.present), len(x.history[at]))
	}
}

// TestWhole checks that every snapshot is whole on a line without loss. After a loss none is whole
// until the server has detected it, since the lost one may have held any record. A snapshot in
// which a change found no room is not whole.
func TestWhole(t *testing.T) {
	const delay = 4
	p := newPair(t, snapshot.Config{MaxEntities: 40}, func(*snapshot.Schema) {}, 1, wire{delay: delay}, wire{delay: delay})
	var ids []snapshot.ID
	for i := range 40 {
		ids = append(ids, p.spawn(1, 1, at(float32(i), 0, 0)))
	}
	// behind is how much older than the newest snapshot the newest whole one is.
	behind := func() tick.Tick {
		whole, ok := p.decoder.Whole()
		if !ok {
			t.Fatal("no snapshot has been whole")
		}
		return p.newest - whole
	}
	for range 30 {
		p.step()
	}
	for i := range 30 {
		p.world.SetState(ids[i], at(float32(i), 1, 0))
		if p.step(); behind() != 0 {
			t.Fatalf("on a clean line the newest whole snapshot is %d ticks old", behind())
		}
	}
	p.down.loss = 1
	p.step()
	p.down.loss = 0
	most := tick.Tick(0)
	for range 4 * delay {
		p.step()
		most = max(most, behind())
	}
	if behind() != 0 || most < delay || most > 3*delay+3 {
		t.Errorf("after a loss the newest whole snapshot was %d ticks old, and is %d", most, behind())
	}
	p.budget = 60
	for i := range 40 {
		for _, id := range ids {
			p.world.SetState(id, at(float32(i), 2, 0))
		}
		p.step()
	}
	if behind() < 30 {
		t.Errorf("without room for all the newest whole snapshot is %d ticks old", behind())
	}
	p.budget = 1150
	for range 3 * delay {
		p.step()
	}
	if behind() != 0 {
		t.Errorf("with room again the newest whole snapshot is %d ticks old", behind())
	}
}
