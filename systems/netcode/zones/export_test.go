package zones

import (
	"context"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// SettleForTest waits until NATS has answered all that the zone has asked.
func (z *Zone[S, I]) SettleForTest(ctx context.Context) error { return z.hold.Settle(ctx) }

// OwnedForTest calls f with the names of the entities that the zone owns.
func (z *Zone[S, I]) OwnedForTest(f func(custody.Name)) {
	for n, x := range z.entities {
		if x.owned {
			f(n)
		}
	}
}

// LeaseForTest reports whether the lease holds.
func (z *Zone[S, I]) FrozenForTest() bool { return z.frozen }

// KillForTest ends what the zone holds outside, as the system does for a process that is killed: no
// checkpoint, and no goodbye that means anything.
func (z *Zone[S, I]) KillForTest() {
	z.closed = true
	z.release()
}

// PendingForTest calls f with the names of the entities that the ledger owns and the world has not.
func (z *Zone[S, I]) PendingForTest(f func(custody.Name)) {
	for _, n := range z.ledger.Owned() {
		if x := z.entities[n]; x == nil || !x.owned {
			f(n)
		}
	}
}

// DrainForTest does what the operator's tool asks for.
func (z *Zone[S, I]) DrainForTest() { z.draining = true }
