package netcode

import "time"

// ClientStats holds a client's figures. It is also a resource of the client's world. Counters count
// from the making of the client, over all of its connections.
type ClientStats struct {
	Status      Status        // state of the connection
	RTT, Jitter time.Duration // smoothed round trip, and its mean deviation
	Loss        float64       // share of the snapshots that did not arrive in time, 0 to 1
	// Delay is how far behind the server's present the others are shown. It is zero until the
	// server's clock is known.
	Delay time.Duration
	// Silence is how long the client has taken in no packet of the server, also over a lost
	// connection: show a sign from 0.3 s on, and a message from ClientConfig.MaxSilence on.
	Silence  time.Duration
	Lead     time.Duration // how far ahead of the server's present the own player is simulated
	Age      time.Duration // how early the inputs reach the server; negative: too late
	Stretch  float64       // speed of the engine's time against real time
	ViewRate float64       // speed of the others' time against real time; 0: it waits for data
	Replicas int           // replicated entities that are known at present

	Sampled, Starved uint64 // replica steps shown; those of them without a snapshot ahead

	Corrections     uint64  // corrections of the own player's prediction
	CorrectionError float64 // of the last one, in the unit of Game.Distance; may be infinite
	Predicted       int     // bodies that are predicted, wholly or in part
	BodyCorrections uint64  // corrections of bodies, one for each body and step
	BodyError       float64 // of the last one, in units of length
	Jumps           uint64  // jumps of the own clock by whole ticks after stalls
	Redundancy      int     // packets that carry an input, as the lead expects
	Missed          int     // ticks in a row for which the server had no input

	SentBytes     uint64        // without the transport's overhead
	ReceivedBytes uint64        // likewise
	Snapshots     uint64        // accepted packets of the session
	Malformed     uint64        // packets that no server writes
	Reconnects    uint64        // sessions after the first
	Moves         uint64        // to another server, without a reconnect; see Player.Move
	Interval      time.Duration // between two snapshots of a body, as the server reports it
	Path          PathStats     // of the way to the server
}
