package snapshot_test

import (
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// truth is the state of an entity at a tick, as far as a client may see it.
type truth struct {
	state  snapshot.State
	info   snapshot.Info
	health *health
	colour *colour
}

func same[T comparable](got T, ok bool, want *T) bool {
	return ok == (want != nil) && (want == nil || got == *want)
}

// matches compares a client's data of an entity with the truth.
func (x *chaos) matches(id snapshot.ID, want truth) error {
	info, ok := x.decoder.Info(id)
	if !ok {
		return fmt.Errorf("%v is not there", id)
	}
	if info != want.info {
		return fmt.Errorf("%v: %+v, want %+v", id, info, want.info)
	}
	if s, _, _ := x.decoder.State(id); s != want.state {
		return fmt.Errorf("%v: %+v, want %+v", id, s, want.state)
	}
	if v, ok := x.health.Get(x.decoder, id); !same(v, ok, want.health) {
		return fmt.Errorf("%v: health %v, %v, want %v", id, v, ok, want.health)
	}
	if v, ok := x.colour.Get(x.decoder, id); !same(v, ok, want.colour) {
		return fmt.Errorf("%v: colour %v, %v, want %v", id, v, ok, want.colour)
	}
	return nil
}

// check is called after every packet that the client decoded.
func (x *chaos) check(s snapshot.Snapshot) {
	at := x.history[s.Tick]
	for _, c := range s.Changes {
		x.seen[c.Op]++
		want, ok := at[c.ID]
		switch {
		case c.Op == snapshot.Removed:
			if !x.present[c.ID] {
				x.t.Fatalf("tick %d: %v was removed without having been there", s.Tick, c.ID)
			}
			delete(x.present, c.ID)
			continue
		case !ok:
			x.t.Fatalf("tick %d: %v %v, which was not relevant then", s.Tick, c.ID, c.Op)
		case c.State != want.state || c.Info != want.info:
			x.t.Fatalf("tick %d: %v %v as %+v %+v, want %+v", s.Tick, c.ID, c.Op, c.State, c.Info, want)
		case c.Late:
			x.late++
			continue
		case c.Op == snapshot.Spawned:
			if c.Replaces != snapshot.None {
				if !x.present[c.Replaces] || c.Replaces.Slot() != c.ID.Slot() {
					x.t.Fatalf("tick %d: %v replaces %v, which is not there", s.Tick, c.ID, c.Replaces)
				}
				delete(x.present, c.Replaces)
			}
			if x.present[c.ID] {
				x.t.Fatalf("tick %d: %v spawned twice", s.Tick, c.ID)
			}
			x.present[c.ID] = true
		case !x.present[c.ID]:
			x.t.Fatalf("tick %d: %v updated without having been spawned", s.Tick, c.ID)
		}
		if err := x.matches(c.ID, want); err != nil {
			x.t.Fatalf("tick %d: %v", s.Tick, err)
		}
		if x.health.ChangedIn(&c) && c.Op == snapshot.Updated && want.health == nil && c.Components == 0 {
			x.t.Fatalf("tick %d: components %b", s.Tick, c.Components)
		}
	}
	x.checkTrees(s)
	x.checkWhole()
	n := 0
	for id := range x.decoder.All() {
		if n++; !x.present[id] {
			x.t.Fatalf("tick %d: %v is there without a change that said so", s.Tick, id)
		}
	}
	if n != len(x.present) {
		x.t.Fatalf("tick %d: %d entities are there, by the changes %d", s.Tick, n, len(x.present))
	}
}

// checkTrees is conformance case 21: a client that stores received states by tick has the poses of
// parent and child for every tick for which either was sent.
func (x *chaos) checkTrees(s snapshot.Snapshot) {
	for _, c := range s.Changes {
		switch {
		case c.Op == snapshot.Removed:
			continue
		case c.Op == snapshot.Spawned:
			x.samples[c.ID], x.since[c.ID] = nil, s.Tick
		}
		x.samples[c.ID] = append(x.samples[c.ID], sample{s.Tick, truth{state: c.State, info: c.Info}})
	}
	at := x.history[s.Tick]
	for _, c := range s.Changes {
		if c.Op == snapshot.Removed {
			continue
		}
		for id, want := range at {
			if c.Parent != id && (want.info.Parent != c.ID || x.split) || !x.decoder.Alive(id) || x.since[id].IsNewer(s.Tick) {
				// no relation, or a newer packet has removed it or spawned it anew
				continue
			}
			if got, ok := newest(x.samples[id], s.Tick); !ok || got.state != want.state || got.info.Parent != want.info.Parent {
				x.t.Fatalf("tick %d: %v was sent with parent %v; of %v with parent %v then there is %+v, want %+v",
					s.Tick, c.ID, c.Parent, id, want.info.Parent, got, want)
			}
		}
	}
}

type sample struct {
	at tick.Tick
	truth
}

// newest returns the newest sample up to the tick.
func newest(samples []sample, at tick.Tick) (best sample, ok bool) {
	for _, s := range samples {
		if !s.at.IsNewer(at) && (!ok || s.at.IsNewer(best.at)) {
			best, ok = s, true
		}
	}
	return best, ok
}
