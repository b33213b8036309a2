package rates

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
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

// Figures are the figures of one player, from the end of the warm-up on.
type Figures struct {
	Lag50, Lag95 time.Duration // server's present less the time shown, in a frame
	Starved      float64       // share of the bodies' steps without a snapshot ahead, 0 to 1
	// greatest distance in metres from the truth at the time shown: 20 m at 20 m/s, and 6 m/s
	// turning round at once
	Circle, Flips float64
	Down, Up      float64 // bytes per second with UDP, IPv4 and encryption
	DownSize      float64 // mean bytes of a datagram, as the netcode makes it
	UpSize        float64
	// median lead of the own player's simulation over the server's present
	Lead time.Duration
	// median of the time since the other player's press that is now on the screen
	Age time.Duration
	// 95th percentile of how far the server has to rewind to this player's picture
	Rewind time.Duration
	// share of ticks in which the server had no input of this player, 0 to 1
	Missed      float64
	Corrections float64 // of the own player, per minute
}

// recorder collects the figures during a run.
type recorder struct {
	setting                *Setting
	lag, lead, age, rewind []time.Duration
	circle, flips          float64
	client                 netcode.ClientStats
	inputs                 prediction.BufferStats
}

func (f *recorder) begin(r *run) {
	f.client = r.ends[0].client.Stats()
	f.inputs = r.inputs(0)
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

func (f *recorder) end(r *run, before netcode.ServerStats) Figures {
	seconds := (r.setting.Length - WarmUp).Seconds()
	client, inputs, server, e := r.ends[0].client.Stats(), r.inputs(0), r.server.Stats(), r.ends[0]
	share := func(part, of float64) float64 { return part / max(of, 1) }
	// The server sends the same to both players.
	sent, bytes := float64(server.Sent-before.Sent)/2, float64(server.SentBytes-before.SentBytes)/2
	ticks := float64(inputs.Ticks - f.inputs.Ticks)
	return Figures{
		Lag50: percentile(f.lag, 0.50), Lag95: percentile(f.lag, 0.95),
		Starved: share(float64(client.Starved-f.client.Starved), float64(client.Sampled-f.client.Sampled)),
		Circle:  f.circle, Flips: f.flips,
		Down: (bytes + sent*overheadDown) / seconds, Up: (float64(e.bytes) + float64(e.packets)*overheadUp) / seconds,
		DownSize: share(bytes, sent), UpSize: share(float64(e.bytes), float64(e.packets)),
		Lead: percentile(f.lead, 0.50), Age: percentile(f.age, 0.50), Rewind: percentile(f.rewind, 0.95),
		Missed:      share(ticks-float64(inputs.Received-f.inputs.Received), ticks),
		Corrections: float64(client.Corrections-f.client.Corrections) / seconds * 60,
	}
}

func percentile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(int(p*float64(len(all))), len(all)-1)]
}

// worst keeps the worse value of each figure.
func (f *Figures) worst(o *Figures) {
	for _, p := range [...][2]*time.Duration{{&f.Lag50, &o.Lag50}, {&f.Lag95, &o.Lag95}, {&f.Lead, &o.Lead}, {&f.Age, &o.Age}, {&f.Rewind, &o.Rewind}} {
		*p[0] = max(*p[0], *p[1])
	}
	for _, p := range [...][2]*float64{
		{&f.Starved, &o.Starved}, {&f.Circle, &o.Circle}, {&f.Flips, &o.Flips}, {&f.Down, &o.Down}, {&f.Up, &o.Up}, {&f.DownSize, &o.DownSize},
		{&f.UpSize, &o.UpSize}, {&f.Missed, &o.Missed}, {&f.Corrections, &o.Corrections},
	} {
		*p[0] = max(*p[0], *p[1])
	}
}
