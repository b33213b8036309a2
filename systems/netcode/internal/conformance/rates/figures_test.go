package rates

import "github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"

// The figures count the overhead of the encrypted transport on UDP: the bytes that IPv4 and UDP add
// to a datagram, the record around it, its tag, and towards the server the connection's number.
const (
	overheadDown = 66
	overheadUp   = 75
)

// These are the figures of one player, from the end of the warm-up on. Times are in seconds.
const (
	lag50   = iota // server's present less the time shown, in a frame
	lag95          // the same, 95th percentile
	starved        // share of the bodies' steps without a snapshot ahead, 0 to 1
	// greatest distance in metres from the truth at the time shown: of the body that circles, and
	// of the body that turns round at once
	circleOff
	flipsOff
	down // kilobytes per second with UDP, IPv4 and encryption
	up
	lead     // median lead of the own player's simulation over the server's present
	age      // median of the time since the other player's press that is now on the screen
	rewind   // 95th percentile of how far the server has to rewind to this player's picture
	missed   // share of ticks in which the server had no input of this player, 0 to 1
	downSize // mean bytes of a datagram, as the netcode makes it
	upSize
	corrections // of the own player, per minute
	figureCount
)

var columns = conformance.Columns{
	lag50:       {Head: "lag p50", Unit: conformance.Millis},
	lag95:       {Head: "p95", Unit: conformance.Millis},
	starved:     {Head: "starved", Unit: conformance.Percents},
	circleOff:   {Head: "circle", Unit: conformance.Metres},
	flipsOff:    {Head: "flips", Unit: conformance.Metres},
	down:        {Head: "down", Unit: conformance.Kilobytes},
	up:          {Head: "up", Unit: conformance.Kilobytes},
	lead:        {Head: "lead", Unit: conformance.Millis},
	age:         {Head: "enemy's age", Unit: conformance.Millis},
	rewind:      {Head: "rewind", Unit: conformance.Millis},
	missed:      {Head: "missed", Unit: conformance.Percents},
	downSize:    {Head: "bytes of a snapshot", Unit: conformance.Counts},
	upSize:      {Head: "bytes each", Unit: conformance.Counts},
	corrections: {Head: "corrections", Unit: conformance.Counts},
}

// figures are the figures by their numbers.
type figures [figureCount]float64
