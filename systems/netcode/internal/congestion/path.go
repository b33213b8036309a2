package congestion

import (
	"math"
	"time"
)

// Packet is the Controller's record of a packet that was sent.
type Packet struct {
	epoch uint32 // of the Controller
	lost  bool
	at    time.Duration // when it was sent
	bytes float64
	sent  float64 // bytes that were sent, up to and with this packet
}

// sample is the information from the acknowledgement of one packet.
type sample struct {
	at        time.Duration // when the packet was sent, by the sender's clock
	arrived   time.Duration // when it arrived, by the receiver's clock
	transit   time.Duration // the difference; only its changes have a meaning
	sent      float64       // bytes that were sent, up to and with the packet
	delivered float64       // bytes that had arrived by then
	lost      float64       // bytes that had been lost by then
}

// path is the measured state of the way to the receiver.
type path struct {
	sent, delivered, lost float64       // bytes
	acked                 time.Duration // when anything was acknowledged, or was due first

	ring  [256]sample
	count int
	next  int
	noise float64       // ns: mean difference of transits that follow each other
	round time.Duration // from sending to the acknowledgement, smoothed
	gap   time.Duration // between two samples, smoothed
	last  time.Duration // when the newest sample arrived

	least [6]time.Duration // least transit in each of the last spans, the newest first
	spans int
	since time.Duration // when the newest span began, by the receiver's clock
}

const (
	// span is a sixth of the time for which the least transit is kept. In a minute, clocks that
	// differ by 100 ppm drift apart by 6 ms.
	span = 10 * time.Second

	// The wait is the least transit within queueWindow, since jitter delays single packets.
	// Deliveries are counted over lineWindow. If packets wait long, they are also counted over
	// turnsWindow: radio links serve a device in turns, in which more arrives than the link carries
	// on average. Losses are counted over lossWindow. They are those of a queue if it has stood for
	// standWindow. Each window has leastSamples, if necessary older ones.
	queueWindow  = 200 * time.Millisecond
	lineWindow   = 400 * time.Millisecond
	turnsWindow  = 1200 * time.Millisecond
	lossWindow   = 1500 * time.Millisecond
	standWindow  = 300 * time.Millisecond
	leastSamples = 4

	// The limit of the wait is leastLimit, plus the noise, plus octave for each halving of the
	// rate; at most mostLimit.
	leastLimit = 24 * time.Millisecond
	octave     = 15 * time.Millisecond
	mostLimit  = 100 * time.Millisecond

	// leastSilence is the least time without an acknowledgement that counts as silence.
	leastSilence = 300 * time.Millisecond
)

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// add records when a packet arrived. It refuses a packet that was sent before the newest known one.
func (p *path) add(k *Packet, stamp uint16) bool {
	s := sample{at: k.at, sent: k.sent, delivered: p.delivered, lost: p.lost, arrived: time.Duration(stamp) * time.Millisecond}
	if p.count == 0 {
		s.transit = s.arrived - s.at
		p.least[0], p.spans, p.since = s.transit, 1, s.arrived
		p.round, p.last = p.acked-s.at, p.acked
	} else {
		newest := p.newest()
		if k.sent <= newest.sent {
			return false
		}
		ahead := int16(stamp - uint16(newest.arrived/time.Millisecond))
		s.arrived = newest.arrived + time.Duration(ahead)*time.Millisecond
		s.transit = s.arrived - s.at
		p.noise += (float64((s.transit - newest.transit).Abs()) - p.noise) / 32
	}
	if s.arrived-p.since > span {
		copy(p.least[1:], p.least[:])
		p.least[0], p.since, p.spans = s.transit, s.arrived, min(p.spans+1, len(p.least))
	}
	p.least[0] = min(p.least[0], s.transit)
	p.ring[p.next] = s
	p.next = (p.next + 1) % len(p.ring)
	p.count = min(p.count+1, len(p.ring))
	p.round += (p.acked - s.at - p.round) / 8
	p.gap += (p.acked - p.last - p.gap) / 8
	p.last = p.acked
	return true
}

// back returns the i-th sample before the newest.
func (p *path) back(i int) *sample { return &p.ring[(p.next-1-i+2*len(p.ring))%len(p.ring)] }

func (p *path) newest() *sample { return p.back(0) }

// over returns the oldest sample that arrived within a window, and the least transit in it. If few
// arrive, the window is longer, at most four times. Jitter requires more samples.
func (p *path) over(window time.Duration) (oldest *sample, least time.Duration) {
	from := p.newest().arrived - window
	enough := leastSamples + min(int(p.noise/1e7), leastSamples)
	oldest, least = p.newest(), p.newest().transit
	for i := 1; i < p.count; i++ {
		s := p.back(i)
		if s.arrived < from && (i >= enough || s.arrived < from-3*window) {
			break
		}
		oldest, least = s, min(least, s.transit)
	}
	return oldest, least
}

// wait returns how long a packet waited in queues.
func (p *path) wait(s *sample) time.Duration {
	base := p.least[0]
	for _, t := range p.least[1:p.spans] {
		base = min(base, t)
	}
	return s.transit - base
}

// queue returns the least wait within a window.
func (p *path) queue(window time.Duration) time.Duration {
	_, least := p.over(window)
	return p.wait(&sample{transit: least})
}

// sight is the evaluation of the newest samples.
type sight struct {
	queue time.Duration // wait of packets
	limit time.Duration // wait beyond which there is a queue
	line  float64       // bytes that arrive per second: the rate of the line while there is a queue
}

func (p *path) look() sight {
	s := sight{queue: p.queue(queueWindow), line: p.arriving(lineWindow)}
	if s.queue > mostLimit*2/3 {
		s.line = min(s.line, p.arriving(turnsWindow))
	}
	return s
}

// arriving returns the bytes per second that arrived within a window.
func (p *path) arriving(window time.Duration) float64 {
	n := p.newest()
	o, _ := p.over(window)
	return (n.delivered - o.delivered) / max((n.arrived-o.arrived).Seconds(), 0.001)
}

// losses returns the share of the bytes that were lost within a window, the bytes per second that
// were sent, and those that arrived.
func (p *path) losses(window time.Duration) (lost, sent, got float64) {
	n := p.newest()
	o, _ := p.over(window)
	gone, here := n.lost-o.lost, n.delivered-o.delivered
	t := max((n.arrived - o.arrived).Seconds(), 0.1)
	return gone / max(gone+here, 1), (gone + here) / t, here / t
}

// ahead returns how long a packet sent now will wait: the wait of the newest packet that has
// arrived, plus the time that the bytes sent since take on the line, less the time since.
func (p *path) ahead(now time.Duration, line float64) time.Duration {
	n := p.newest()
	return p.queue(queueWindow) + seconds((p.sent-n.sent)/max(line, 1)) - (now - n.at)
}

// limit returns the wait beyond which a flow of a rate counts as having a queue.
func (p *path) limit(most, rate float64) time.Duration {
	return min(leastLimit+time.Duration(p.noise)+time.Duration(float64(octave)*math.Log2(most/rate)), mostLimit)
}
