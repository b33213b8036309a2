package netcode

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
)

// ServerStats are a server's counters. Bytes are without the transport's overhead.
type ServerStats struct {
	Players, Away, Waiting int    // connected; absent and expected back; not accepted yet; no bots
	Entities               int    // replicated
	Joined, Resumed, Left  uint64 // totals, with bots
	Imported, Exported     uint64 // from and to other servers; Exported counts Release
	Refused                uint64 // connections refused: full, wrong token, other build
	Kicked                 uint64 // players removed, by the game or by the policy
	Malformed              uint64 // datagrams that no client writes
	SentBytes, Sent        uint64 // bytes and packets of sessions
	ReceivedBytes          uint64 // of all datagrams received, also before a player is accepted
	Snapshots              uint64 // states of the world that were prepared for sending

	// Causes counts the connected players by what sets the rate at which they are sent to.
	// LeastRate is the least of these rates in bytes per second, with the transport's overhead.
	// MostQueue is the longest wait of packets in queues.
	Causes    [congestion.Silence + 1]int
	LeastRate float64
	MostQueue time.Duration

	Draining bool // Drain has been called
}

// Stats returns the counters; zeros before the server is installed.
func (s *Server[S, I]) Stats() ServerStats {
	st := s.stats
	for p := range s.all {
		switch {
		case p.bot != nil:
			continue
		case p.conn == nil:
			st.Away++
			continue
		}
		st.Players++
		path := p.Stats().Path
		st.Causes[path.Cause]++
		st.MostQueue = max(st.MostQueue, path.Queue)
		if st.Players == 1 || path.Rate < st.LeastRate {
			st.LeastRate = path.Rate
		}
	}
	st.Waiting = len(s.waiting)
	st.Draining = s.draining != (Reason{})
	if s.net != nil {
		st.Entities = s.net.Len()
	}
	return st
}
