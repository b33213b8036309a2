package packet

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
)

// Stats counts the traffic of an [Endpoint].
type Stats struct {
	Sent, SentBytes uint64 // packets and their bytes, with headers
	Received        uint64 // packets accepted
	Duplicates      uint64 // datagrams refused by Open as accepted before
	TooOld          uint64 // datagrams refused by Open as too old
	Malformed       uint64 // datagrams refused by Open for any other reason
	Delivered       uint64 // packets known to have arrived
	Lost            uint64 // packets that count as lost
	Resent          uint64 // pieces of reliable messages sent again
	PartsDropped    uint64 // unreliable messages dropped because pieces were missing

	// Loss is the share of sent packets that were lost, of about the last 100, 0 to 1. A packet
	// counts when 32 later ones may have arrived.
	Loss float64

	// RTT is the smoothed time from sending a packet to its acknowledgement, Deviation its mean
	// deviation, MinRTT the least seen. They include the time until the other end sent its next
	// packet. Zero before the first acknowledgement.
	RTT, Deviation, MinRTT time.Duration

	// LastReceived is the time of the last Accept, for time-outs. Zero before the first.
	LastReceived time.Duration

	// Path is the state of the path to the other end as Config.Control has found it, as of the
	// newest packet.
	Path congestion.Stats

	// Pending is the number of pieces of reliable messages without an acknowledgement.
	Pending int
}

// countRefused counts a datagram that Open refuses with an error.
func (s *Stats) countRefused(err error) {
	switch err {
	case ErrDuplicate:
		s.Duplicates++
	case ErrTooOld:
		s.TooOld++
	default:
		s.Malformed++
	}
}

func (s *Stats) countLoss(lost float64) { s.Loss += (lost - s.Loss) / 100 }

// Stats returns the counters so far.
func (e *Endpoint) Stats() Stats {
	s := e.stats
	s.RTT, s.Deviation, s.MinRTT = e.rtt.smoothed, e.rtt.deviate, e.rtt.least
	s.Resent = e.out.resent
	s.Pending = e.out.pending()
	s.Path = e.config.Control.Stats(e.build.now)
	return s
}
