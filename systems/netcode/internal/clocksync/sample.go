package clocksync

import (
	"errors"
	"time"
)

// Sample holds the four stamps of one ping and its answer, as in NTP (RFC 5905, section 8).
// ClientSend and ClientReceive are on the client's monotonic clock, ServerReceive and ServerSend on
// the server's time line, whose zero is the edge of tick 0. The two epochs are unrelated.
//
// The server echoes ClientSend and uses neither of the client's stamps, so a client can falsify
// only its own clock. The server's two stamps remove the server's waiting time from the round trip.
// With one stamp, as in Racer's request and acknowledge, up to half a frame of waiting counts as
// network delay.
type Sample struct {
	ClientSend, ServerReceive, ServerSend, ClientReceive time.Duration
}

// These are the errors with which [Reference.Add] refuses a sample. A refused sample changes only
// the count of refused samples.
var (
	// ErrStamps is returned for stamps that no exchange can produce: an answer before its question
	// on either clock, a negative round trip, or a stamp more than 36 years from its epoch.
	ErrStamps = errors.New("clocksync: impossible stamps in a ping's answer; drop it")
	// ErrSlow is returned for a round trip above MaxRTT, which has too little information about the
	// clocks.
	ErrSlow = errors.New("clocksync: the round trip took longer than MaxRTT; drop the sample")
	// ErrOrder is returned for a sample that was received before one that is already held. Answers
	// may overtake each other on the network, but must be added in the order of their arrival.
	ErrOrder = errors.New("clocksync: the sample was received before one already added; add samples in the order of their arrival")
	// ErrDuplicate is returned for a second answer to the same ping, recognised by its ClientSend.
	ErrDuplicate = errors.New("clocksync: this ping was already answered; drop the duplicate")
)

// stampLimit bounds every stamp, so no sum or difference of stamps and offsets can overflow. 2^60
// ns are 36 years.
const stampLimit = time.Duration(1) << 60

// RTT returns the time that the sample spent on the network: (t4-t1) - (t3-t2).
func (s Sample) RTT() time.Duration {
	return (s.ClientReceive - s.ClientSend) - (s.ServerSend - s.ServerReceive)
}

// Offset returns server time minus client time, ((t2-t1) + (t3-t4)) / 2. It is exact if both
// directions took the same time. Its error is at most half of RTT.
func (s Sample) Offset() time.Duration {
	// rounds in the same way for all epochs
	return ((s.ServerReceive - s.ClientSend) + (s.ServerSend - s.ClientReceive)) >> 1
}

// Validate returns ErrStamps if no exchange over any network can have produced the stamps.
func (s Sample) Validate() error {
	for _, t := range [4]time.Duration{s.ClientSend, s.ServerReceive, s.ServerSend, s.ClientReceive} {
		if t <= -stampLimit || t >= stampLimit {
			return ErrStamps
		}
	}
	if s.ClientReceive < s.ClientSend || s.ServerSend < s.ServerReceive || s.RTT() < 0 {
		return ErrStamps
	}
	return nil
}
