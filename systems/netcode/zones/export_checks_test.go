package zones

import (
	"fmt"
	"slices"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

// VanishForTest ends the process of a zone as a machine that loses its power: other zones notice
// by silence only.
func (z *Zone[S, I]) VanishForTest() {
	z.closed = true
	z.hold.Close()
	if z.unlock != nil {
		z.unlock()
		z.unlock = nil
	}
}

// EachOwnedForTest calls f with each entity that the zone owns and simulates.
func (z *Zone[S, I]) EachOwnedForTest(f func(custody.Name, arche.Entity)) {
	for n, x := range z.entities {
		if x.owned && z.alive(x.e) {
			f(n, x.e)
		}
	}
}

// CheckForTest returns an error if what the zone says of its entities does not fit together.
func (z *Zone[S, I]) CheckForTest() error {
	seen := map[custody.Name]arche.Entity{}
	id := arche.ComponentID[names.ID](z.world)
	q := z.world.Query(arche.All(id))
	var err error
	for q.Next() {
		n := (*names.ID)(q.Get(id)).Name
		if old, twice := seen[n]; twice {
			err = fmt.Errorf("entities %v and %v both have the name %v", old, q.Entity(), n)
		}
		seen[n] = q.Entity()
	}
	for n, x := range z.entities {
		switch ghost := z.alive(x.e) && z.world.Has(x.e, z.ids.ghost); {
		case !z.alive(x.e):
		case seen[n] != x.e:
			err = fmt.Errorf("%v is entity %v, which does not have the name", n, x.e)
		case x.owned == ghost:
			err = fmt.Errorf("%v: owned %v, a ghost %v", n, x.owned, ghost)
		case x.owned && !z.ledger.Owns(n): // what arrived in this frame is the ledger's first
			err = fmt.Errorf("%v: the zone simulates it, and the ledger does not own it", n)
		}
		delete(seen, n)
	}
	for n, e := range seen {
		if z.world.Alive(e) {
			err = fmt.Errorf("%v, entity %v, is unknown to the zone", n, e)
		}
	}
	return err
}

// NameForTest returns the name of an entity, or 0.
func (z *Zone[S, I]) NameForTest(e arche.Entity) custody.Name { return z.nameOf(e) }

// EntityForTest returns the entity with a name, or the zero entity.
func (z *Zone[S, I]) EntityForTest(n custody.Name) arche.Entity { return z.entityOf(n) }

// StateForTest returns the state of an entity that the zone owns, as a hand-over carries it.
func (z *Zone[S, I]) StateForTest(n custody.Name) []byte { return z.stateFor(n) }

// KeyForTest returns the key that other zones show to this one.
func (z *Zone[S, I]) KeyForTest() [32]byte { return z.hold.Record().Key }

// ProtocolForTest returns what zones compare when a link opens.
func (z *Zone[S, I]) ProtocolForTest() uint64 { return z.protocolHash() }

// isEarly reports whether an entity waits for its tick, or for a place.
func (z *Zone[S, I]) isEarly(n custody.Name) bool {
	return slices.ContainsFunc(z.early, func(e custody.Entity) bool { return e.Name == n })
}

// GuestsForTest returns how many players of other zones are expected here.
func (z *Zone[S, I]) GuestsForTest() int { return len(z.guests) }

// VisitsForTest returns how many of the players have been near a border.
func (z *Zone[S, I]) VisitsForTest() int { return len(z.visits) }
