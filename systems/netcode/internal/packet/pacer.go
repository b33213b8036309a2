package packet

import "time"

// Pacer is a token bucket: it says how many bytes may be sent now so as not to exceed a rate. The
// zero value lets nothing through; see [NewPacer].
type Pacer struct {
	rate   float64 // bytes per second
	burst  float64 // bytes that may accumulate
	tokens float64
	last   time.Duration
	begun  bool
}

// NewPacer returns a full Pacer for a rate in bytes per second, of which at most burst bytes
// accumulate while nothing is sent. Over any span of time T at most rate*T+burst bytes pass.
func NewPacer(rate, burst float64) Pacer { return Pacer{rate: rate, burst: burst, tokens: burst} }

// SetRate changes the rate and the burst, from the last Allowance on.
func (p *Pacer) SetRate(rate, burst float64) {
	p.rate, p.burst = rate, burst
	p.tokens = min(p.tokens, burst)
}

// Allowance returns how many bytes may be sent at now. A time before that of the last call counts
// as that one.
func (p *Pacer) Allowance(now time.Duration) int {
	if p.begun && now > p.last {
		p.tokens = min(p.tokens+p.rate*(now-p.last).Seconds(), p.burst)
	}
	if !p.begun || now > p.last {
		p.begun, p.last = true, now
	}
	return max(0, int(p.tokens))
}

// Spend takes bytes that were sent. The bucket may go below zero, which later time pays back.
func (p *Pacer) Spend(bytes int) { p.tokens -= float64(bytes) }
