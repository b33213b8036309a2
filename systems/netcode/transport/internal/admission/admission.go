// Package admission limits what a server accepts per second. A [Limiter] limits the connection
// attempts from all senders together and from each network, a [Budget] the data of one connection.
// Both count by token buckets on time.Duration; a [Bucket] is one of them.
//
// The memory of a Limiter is constant. Networks are hashed into a table of token buckets with a
// secret seed, so that an attacker can neither make it grow nor choose addresses that fall into a
// victim's bucket. Two networks that fall into one bucket share its rate.
package admission

import (
	"fmt"
	"hash/maphash"
	"net/netip"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/address"
)

// Rate is a long-term rate with a burst above it.
type Rate struct {
	PerSecond int // tokens per second
	Burst     int // tokens that may be taken at once after a rest
}

// Check panics if one of the rates of a configuration is neither zero, which means the default, nor
// at least 1 in both fields. The name is that of the transport.
func Check(name string, rates ...Rate) {
	for _, r := range rates {
		if r != (Rate{}) && (r.PerSecond < 1 || r.Burst < 1) {
			panic(fmt.Sprintf("%s: rate %+v makes no sense: set both fields to at least 1, or leave it zero for the default", name, r))
		}
	}
}

// buckets is the size of the table: 32 KiB.
const buckets = 4096

// Limiter holds a rate for all networks together and one for each network, as address.Network
// defines it. It has no lock: its owner has one.
type Limiter struct {
	all, each gate
	total     time.Duration // state of the gate for all
	networks  [buckets]time.Duration
	seed      maphash.Seed
}

// New returns a limiter. Rates and bursts are at least 1.
func New(all, each Rate) *Limiter {
	return &Limiter{all: newGate(all), each: newGate(each), seed: maphash.MakeSeed()}
}

// Allow takes a token for the address, and reports whether there was one. A refusal takes none. now
// is a monotonic time from any zero, the same in every call.
func (l *Limiter) Allow(now time.Duration, addr netip.Addr) bool {
	network := &l.networks[l.index(addr)]
	total, okAll := l.all.take(l.total, now, 1)
	own, okEach := l.each.take(*network, now, 1)
	if !okAll || !okEach {
		return false
	}
	l.total, *network = total, own
	return true
}

// index returns the bucket of the address's network.
func (l *Limiter) index(addr netip.Addr) uint64 {
	b := address.Network(addr).Addr().As16()
	return maphash.Bytes(l.seed, b[:]) % buckets
}

// gate is a token bucket in the form of the generic cell rate algorithm (ITU-T I.371). Its whole
// state is the time at which it owes no tokens.
type gate struct {
	interval time.Duration // between two tokens at the long-term rate
	slack    time.Duration // how far ahead of that a burst may run
}

func newGate(r Rate) gate {
	interval := max(time.Second/time.Duration(r.PerSecond), 1)
	return gate{interval: interval, slack: interval * time.Duration(r.Burst-1)}
}

// take returns the time after n tokens were taken, and whether there was a token before that.
func (g gate) take(debtFree, now time.Duration, n int) (time.Duration, bool) {
	debtFree = max(debtFree, now)
	return debtFree + time.Duration(n)*g.interval, debtFree-now <= g.slack
}
