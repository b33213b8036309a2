package zones

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

// noteRecords takes the records of all zones: links, leases, and who is new.
func (z *Zone[S, I]) noteRecords(seen []store.Seen) {
	z.records = seen
	now := z.config.Now()
	peers := make([]link.Peer, 0, len(seen))
	for _, s := range seen {
		r := &s.Record
		if r.Number == z.self.Zone {
			continue
		}
		w := z.watches[r.Number]
		if w == nil {
			w = &custody.Watch{}
			z.watches[r.Number] = w
		}
		w.See(s.Revision, now)
		z.ledger.Meet(r.Number)
		peers = append(peers, link.Peer{
			Process: custody.Process{Zone: r.Number, Epoch: r.Epoch}, Name: s.Zone, Address: r.Link, Pin: r.Pin, Key: r.Key,
		})
	}
	z.links.SetPeers(peers)
}

// giveUp tells the ledger of processes that have ended or whose lease is over, so that it does not
// wait for them. The records are known up to a time: what is not known yet may be a renewal.
func (z *Zone[S, I]) giveUp(known time.Duration) {
	if z.ledger.Active() {
		return
	}
	for _, s := range z.records {
		if w := z.watches[s.Record.Number]; w != nil && (s.Record.Ended || w.Over(known)) {
			z.ledger.Gone(custody.Process{Zone: s.Record.Number, Epoch: s.Record.Epoch})
		}
	}
}

// addressOf returns where clients find a zone.
func (z *Zone[S, I]) addressOf(n custody.Zone) string {
	if i := slices.IndexFunc(z.records, func(s store.Seen) bool { return s.Record.Number == n }); i >= 0 {
		return z.records[i].Record.Address
	}
	return ""
}
