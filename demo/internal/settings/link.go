package settings

import "time"

// Link is the simulated network link between the server and the client of scenes that have one, alike in both directions.
type Link struct {
	Latency   time.Duration // round trip, 0 to MaxLatency
	Jitter    float64       // share by which the time on the way varies, up and down, 0 to 1
	Loss      float64       // probability that a datagram is lost, independently of the others
	Burst     float64       // probability per datagram that a burst of losses begins, which takes eight datagrams on average
	Duplicate float64       // probability that a datagram arrives twice
	Reorder   float64       // probability that a datagram is held back, so that later ones overtake it
	SendRate  int           // snapshots per second, 1 to MaxSendRate
}

// Limits of what flags accept for the link.
const (
	MaxLatency  = 2 * time.Second
	MaxSendRate = 120
)

// DefaultLink is the network of the article "Multiplayer Platformer Log #3": 200 ms round trip, a tenth more or less, and 15 % loss.
func DefaultLink() Link {
	return Link{Latency: 200 * time.Millisecond, Jitter: 0.1, Loss: 0.15, SendRate: 30}
}

var (
	latencies   = []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond, 400 * time.Millisecond}
	linkJitters = []float64{0, 0.1, 0.25, 0.5, 1}
	losses      = []float64{0, 0.05, 0.15, 0.3, 0.5}
	bursts      = []float64{0, 0.01, 0.02, 0.05}
	shares      = []float64{0, 0.1, 0.3}
	sendRates   = []int{5, 10, 20, 30, 60}
)

// The rounds of the link's values, backwards if asked to.
func (l *Link) NextLatency(back bool)   { l.Latency = around(latencies, l.Latency, back) }
func (l *Link) NextJitter(back bool)    { l.Jitter = around(linkJitters, l.Jitter, back) }
func (l *Link) NextLoss(back bool)      { l.Loss = around(losses, l.Loss, back) }
func (l *Link) NextBurst(back bool)     { l.Burst = around(bursts, l.Burst, back) }
func (l *Link) NextDuplicate(back bool) { l.Duplicate = around(shares, l.Duplicate, back) }
func (l *Link) NextReorder(back bool)   { l.Reorder = around(shares, l.Reorder, back) }
func (l *Link) NextSendRate(back bool)  { l.SendRate = around(sendRates, l.SendRate, back) }
