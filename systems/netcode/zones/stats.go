package zones

import (
	"expvar"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// Stats are the figures of a zone. Counters count since New.
type Stats struct {
	Zone  custody.Zone
	Epoch custody.Epoch
	// Active says that the zone simulates.
	Active bool
	// LeaseAge is the time since the newest renewal of the lease began. It ends at 12 s.
	LeaseAge time.Duration
	// CheckpointAge is the time since the newest checkpoint was written, and CheckpointBytes its
	// size; Checkpoints counts them.
	CheckpointAge   time.Duration
	CheckpointBytes int
	Checkpoints     uint64
	// Load is the share of a tick that the newest steps took, without what runs before the network.
	Load float32
	// ClockError is how far the common clock is ahead of this zone's.
	ClockError time.Duration

	Owned, Ghosts int // entities
	// Known is what the ledger remembers of entities that are elsewhere: copies that wait for a
	// checkpoint of another zone, and hops. It is small in a calm phase.
	Known   int
	Letters int // that wait
	Links   []LinkStats

	HandOvers, Arrivals uint64 // entities
	PutOff              uint64 // groups that were not ready in a step
	Refused             uint64 // players for whom there was no place here
	// Frozen counts the ticks in which no zone has simulated an entity that came, and Latency those
	// from its first offer to its first tick here.
	Frozen, Latency Ticks

	Malformed, Unsent, Undelivered, StoreErrors uint64
}

// LinkStats are the figures of the link to another zone.
type LinkStats struct {
	Zone                  custody.Zone
	Open                  bool
	RTT                   time.Duration
	SentBytes, ReadBytes  uint64
	SentPackets, LostSent uint64
}

// Ticks is a histogram of numbers of ticks. The last bin has all greater ones.
type Ticks [64]uint32

func (t *Ticks) add(n int) { t[min(n, len(t)-1)]++ }

// Quantile returns the least number of ticks that a share of all does not exceed, 0 if there are
// none.
func (t *Ticks) Quantile(share float64) int {
	sum := uint64(0)
	for _, n := range t {
		sum += uint64(n)
	}
	left := int64(share*float64(sum) + 0.999999)
	for i, n := range t {
		if left -= int64(n); left <= 0 {
			return i
		}
	}
	return len(t) - 1
}

// Stats returns the figures of now. Call it on the engine's goroutine.
func (z *Zone[S, I]) Stats() Stats {
	s, now := z.stats, z.config.Now()
	s.Zone, s.Epoch, s.Active = z.self.Zone, z.self.Epoch, z.Active()
	s.LeaseAge, s.ClockError = now-z.leaseAt, z.clockError
	if s.Checkpoints > 0 {
		s.CheckpointAge = now - z.checkpointAt
	}
	for _, x := range z.entities {
		if x.owned {
			s.Owned++
		} else {
			s.Ghosts++
		}
	}
	s.Known, s.Letters = z.ledger.Known(), z.mail.Waiting()
	for _, r := range z.records {
		if n := r.Record.Number; n != z.self.Zone {
			l := z.links.Stats(n)
			s.Links = append(s.Links, LinkStats{
				Zone: n, Open: z.links.Open(n), RTT: l.RTT, SentBytes: l.SentBytes, ReadBytes: l.ReceivedBytes,
				SentPackets: l.Sent, LostSent: l.Lost,
			})
		}
	}
	return s
}

// Var returns the figures for package expvar, as they were at the last call of Publish:
//
//	figures := zone.Var()
//	expvar.Publish("tandem.zones", figures)
func (z *Zone[S, I]) Var() expvar.Var {
	return expvar.Func(func() any { return z.published.Load() })
}

// Publish makes the figures of now those of Var. Call it on the engine's goroutine, once a second,
// say.
func (z *Zone[S, I]) Publish() {
	s := z.Stats()
	z.published.Store(&s)
}
