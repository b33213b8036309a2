package rates

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

const (
	// mtu is that of the encrypted transport on UDP. The figures count its overhead: the bytes that
	// IPv4 and UDP add to a datagram, the record around it, its tag, and towards the server the
	// connection's number.
	mtu          = 1150
	overheadDown = 66
	overheadUp   = 75
)

// These are the figures of one player, from the end of the warm-up on. Times are in seconds.
const (
	Lag50   = iota // server's present less the time shown, in a frame
	Lag95          // the same, 95th percentile
	Starved        // share of the bodies' steps without a snapshot ahead, 0 to 1
	// greatest distance in metres from the truth at the time shown: of the body that circles, and
	// of the body that turns round at once
	CircleOff
	FlipsOff
	Down // kilobytes per second with UDP, IPv4 and encryption
	Up
	Lead     // median lead of the own player's simulation over the server's present
	Age      // median of the time since the other player's press that is now on the screen
	Rewind   // 95th percentile of how far the server has to rewind to this player's picture
	Missed   // share of ticks in which the server had no input of this player, 0 to 1
	DownSize // mean bytes of a datagram, as the netcode makes it
	UpSize
	Corrections // of the own player, per minute
	figureCount
)

var (
	kilobytes = conformance.Unit{Format: "%.1f kB/s", Factor: 1}

	columns = conformance.Columns{
		Lag50:       {Head: "lag p50", Unit: conformance.Millis},
		Lag95:       {Head: "p95", Unit: conformance.Millis},
		Starved:     {Head: "starved", Unit: conformance.Percents},
		CircleOff:   {Head: "circle", Unit: conformance.Metres},
		FlipsOff:    {Head: "flips", Unit: conformance.Metres},
		Down:        {Head: "down", Unit: kilobytes},
		Up:          {Head: "up", Unit: kilobytes},
		Lead:        {Head: "lead", Unit: conformance.Millis},
		Age:         {Head: "enemy's age", Unit: conformance.Millis},
		Rewind:      {Head: "rewind", Unit: conformance.Millis},
		Missed:      {Head: "missed", Unit: conformance.Percents},
		DownSize:    {Head: "bytes of a snapshot", Unit: conformance.Counts},
		UpSize:      {Head: "bytes each", Unit: conformance.Counts},
		Corrections: {Head: "corrections", Unit: conformance.Counts},
	}
)

// Figures are the figures by their numbers.
type Figures [figureCount]float64

// recorder collects the figures during a run.
type recorder struct {
	lag, lead, age, rewind []time.Duration
	circle, flips          float64
	client                 netcode.ClientStats // at the end of the warm-up, as are the next two
	server                 netcode.ServerStats
	inputs                 prediction.BufferStats
}

// begin records the state at the end of the warm-up.
func (f *recorder) begin(r *run) {
	f.client, f.server, f.inputs = r.ends[0].client.Stats(), r.server.Stats(), r.inputs(0)
}

// inputs returns the server's figures about a client's inputs.
func (r *run) inputs(client int) (s prediction.BufferStats) {
	for _, p := range r.players {
		if p.Number() == r.ends[client].client.Number() {
			s = p.InputStats()
		}
	}
	return s
}

// end returns the figures.
func (f *recorder) end(r *run) Figures {
	seconds := (r.setting.Length - WarmUp).Seconds()
	client, inputs, server, e := r.ends[0].client.Stats(), r.inputs(0), r.server.Stats(), r.ends[0]
	share := func(part, of float64) float64 { return part / max(of, 1) }
	percentile := func(all []time.Duration, p float64) float64 { return conformance.Percentile(all, p).Seconds() }
	// The server sends the same to both players.
	sent, bytes := float64(server.Sent-f.server.Sent)/2, float64(server.SentBytes-f.server.SentBytes)/2
	ticks := float64(inputs.Ticks - f.inputs.Ticks)
	return Figures{
		Lag50: percentile(f.lag, 0.50), Lag95: percentile(f.lag, 0.95),
		Starved:   share(float64(client.Starved-f.client.Starved), float64(client.Sampled-f.client.Sampled)),
		CircleOff: f.circle, FlipsOff: f.flips,
		Down: (bytes + sent*overheadDown) / seconds / 1000, Up: (float64(e.bytes) + float64(e.packets)*overheadUp) / seconds / 1000,
		DownSize: share(bytes, sent), UpSize: share(float64(e.bytes), float64(e.packets)),
		Lead: percentile(f.lead, 0.50), Age: percentile(f.age, 0.50), Rewind: percentile(f.rewind, 0.95),
		Missed:      share(ticks-float64(inputs.Received-f.inputs.Received), ticks),
		Corrections: float64(client.Corrections-f.client.Corrections) / seconds * 60,
	}
}
