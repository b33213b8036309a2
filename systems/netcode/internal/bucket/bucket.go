// Package bucket contains the token buckets that limit rates in the netcode. A [Bucket] is filled
// by its owner, for example once a tick. A [Paced] bucket fills with time.
//
// The transports' admission has token buckets of its own, which count in time.Duration: the state
// of one is a single Duration, of which it keeps a table of thousands.
package bucket

import "time"

// Bucket holds tokens up to a burst. Whole tokens are counted exactly up to 2^53. The zero value is
// empty and stays so; see [Full].
type Bucket struct{ tokens, burst float64 }

// Full returns a full Bucket that holds at most burst tokens.
func Full(burst float64) Bucket { return Bucket{tokens: burst, burst: burst} }

// Grant adds n tokens, up to the burst.
func (b *Bucket) Grant(n float64) { b.tokens = min(b.tokens+n, b.burst) }

// Take removes n tokens and returns true, or removes none and returns false if there are fewer.
func (b *Bucket) Take(n float64) bool {
	if b.tokens < n {
		return false
	}
	b.tokens -= n
	return true
}

// Spend removes n tokens. The number of tokens may fall below zero; later grants repay the debt.
func (b *Bucket) Spend(n float64) { b.tokens -= n }

// Tokens returns the number of tokens, which is negative in debt.
func (b *Bucket) Tokens() float64 { return b.tokens }

// Paced is a Bucket that fills at a rate. The zero value is empty and stays so; see [NewPaced].
type Paced struct {
	Bucket
	rate  float64 // tokens per second
	last  time.Duration
	begun bool
}

// NewPaced returns a full Paced bucket for a rate in tokens per second. At most burst tokens
// accumulate, so over any span of time T at most rate*T+burst tokens pass.
func NewPaced(rate, burst float64) Paced { return Paced{Bucket: Full(burst), rate: rate} }

// SetRate changes the rate and the burst, from the last Allowance on.
func (p *Paced) SetRate(rate, burst float64) {
	p.rate, p.burst = rate, burst
	p.Grant(0)
}

// Allowance fills the bucket up to now and returns the number of whole tokens, at least 0. A time
// before that of the last call is treated as that time.
func (p *Paced) Allowance(now time.Duration) int {
	if p.begun && now > p.last {
		p.Grant(p.rate * (now - p.last).Seconds())
	}
	if !p.begun || now > p.last {
		p.begun, p.last = true, now
	}
	return max(0, int(p.tokens))
}
