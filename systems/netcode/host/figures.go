package host

import (
	"maps"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// figures are a copy of a server's figures at a moment.
type figures struct {
	server    netcode.ServerStats
	listeners transport.ListenerStats
	steps     uint64
	dropped   time.Duration
	game      map[string]any // those of Config.Vars
	// of the ticks, which are recorded on their own
	recent percentiles
	all    histogram
}

// vars returns the figures by their names in the JSON. Those of the game come last, so that they
// take precedence.
func (f *figures) vars() map[string]any {
	s, l := &f.server, &f.listeners
	vars := map[string]any{
		"players": s.Players, "away": s.Away, "waiting": s.Waiting, "entities": s.Entities, "joined": s.Joined, "resumed": s.Resumed, "left": s.Left,
		"refused": s.Refused, "kicked": s.Kicked, "malformed": s.Malformed, "sent_bytes": s.SentBytes, "sent_packets": s.Sent, "received_bytes": s.ReceivedBytes,
		"snapshots": s.Snapshots, "least_rate": int(s.LeastRate), "most_queue_ms": s.MostQueue.Milliseconds(),
		"handshakes_accepted": l.Accepted, "handshakes_refused": l.Refused, "handshakes_failed": l.Failed, "handshakes_pending": l.Pending,
		"hellos": l.Hellos, "challenges": l.Challenges, "unanswered": l.Unanswered, "strays": l.Strays,
		"steps": f.steps, "dropped_ms": f.dropped.Milliseconds(), "draining": s.Draining,
		"tick_p50_us": f.recent.p50.Microseconds(), "tick_p95_us": f.recent.p95.Microseconds(),
		"tick_p99_us": f.recent.p99.Microseconds(), "tick_max_us": f.recent.most.Microseconds(),
	}
	for cause, players := range s.Causes {
		vars["rate_"+netcode.RateCause(cause).String()] = players
	}
	maps.Copy(vars, f.game)
	return vars
}
