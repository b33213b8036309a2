package prediction

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// A player that moves to another server takes its inputs along: those that wait for their ticks,
// and what the next feedback depends on. Counters and the limits of packets begin anew.

// maxAway is how far from the present the clock of a client may be that Arrivals.Carried reads.
const maxAway = 10 * time.Second

// Carry writes the inputs that Carried reads, to another Buffer.
func (b *Buffer[I]) Carry(w *packet.Writer, codec Codec[I]) {
	var zero I
	w.Bits(uint64(b.next), 32)
	w.Bits(uint64(b.ack), 32)
	w.Bool(b.received)
	w.Bits(uint64(b.first), 32)
	w.Bits(uint64(min(b.starve, MaxStarved)), 4)
	codec.Write(w, b.last, zero)
	b.late.carry(w, codec)
	r := b.age.Newest()
	w.Bits(uint64(r.Newest), 32)
	w.Int(int64(r.Age), 16)
	newer := zero
	for k := Ahead - 1; k >= -Window; k-- {
		t := b.next.Add(k)
		held := b.held[t%bufferRing] == tag{t, true}
		if w.Bool(held); !held || k < 0 {
			continue // of the inputs that have run only the ticks are needed
		}
		in := b.ring[t%bufferRing]
		if w.Bool(in == newer); in != newer {
			codec.Write(w, in, newer)
		}
		newer = in
	}
}

// Carried reads what Carry wrote, at a time of this server's clock. The bits may come from
// anywhere. After an error, which is the reader's, the Buffer is of no use.
func (b *Buffer[I]) Carried(r *packet.Reader, codec Codec[I], now time.Duration) error {
	var zero I
	b.Reset(tick.Tick(r.Bits(32)))
	b.ack = tick.Tick(r.Bits(32))
	b.received = r.Bool()
	b.first = tick.Tick(r.Bits(32))
	b.starve = int(r.Bits(4))
	b.last = readCarried(r, codec, zero)
	b.late.carried(r, codec)
	report := clocksync.Report{Newest: tick.Tick(r.Bits(32)), Age: clocksync.Age(r.Int(16))}
	if away := b.ack.Sub(b.next); away < -Window-1 || away > Ahead {
		r.Fail(packet.ErrMalformed)
	}
	if r.Err() != nil {
		return r.Err()
	}
	b.age.Resume(report, now)
	newer := zero
	for k := Ahead - 1; k >= -Window && r.Err() == nil; k-- {
		if !r.Bool() {
			continue
		}
		t := b.next.Add(k)
		b.held[t%bufferRing] = tag{t, true}
		if k >= 0 {
			if !r.Bool() {
				newer = readCarried(r, codec, newer)
			}
			b.ring[t%bufferRing] = newer
		}
	}
	return r.Err()
}

// Carry writes the inputs that Carried reads, to another Arrivals.
func (a *Arrivals[I]) Carry(w *packet.Writer, codec Codec[I]) {
	var zero I
	w.Bool(a.started)
	w.Bits(uint64(a.clock), 64)
	w.Bool(a.received)
	w.Bits(uint64(a.newest), 32)
	w.Bits(uint64(a.last), 32)
	a.late.carry(w, codec)
	for k := range tick.Tick(2 * Window) {
		w.Bool(a.held[(a.newest-k)%(2*Window)] == tag{a.newest - k, true})
	}
	waiting := a.queue[:min(len(a.queue), MaxHistory)]
	w.Uvarint(uint64(len(waiting)))
	for _, in := range waiting {
		codec.Write(w, in.input, zero)
		w.Bits(uint64(in.id), 32)
	}
}

// Carried reads what Carry wrote, at a time of this server's clock. The bits may come from
// anywhere. After an error, which is the reader's, the Arrivals are of no use.
func (a *Arrivals[I]) Carried(r *packet.Reader, codec Codec[I], now time.Duration) error {
	var zero I
	a.Reset()
	a.started = r.Bool()
	a.clock = time.Duration(r.Bits(64))
	a.received = r.Bool()
	a.newest, a.last = tick.Tick(r.Bits(32)), tick.Tick(r.Bits(32))
	a.now, a.shedAt = now, now
	if a.started && (a.clock < now-maxAway || a.clock > now+maxAway) {
		r.Fail(packet.ErrMalformed)
	}
	a.late.carried(r, codec)
	for k := range tick.Tick(2 * Window) {
		a.held[(a.newest-k)%(2*Window)] = tag{a.newest - k, r.Bool()}
	}
	count := r.Uvarint()
	if count > MaxHistory {
		r.Fail(packet.ErrMalformed)
	}
	for i := uint64(0); i < count && r.Err() == nil; i++ {
		in := readCarried(r, codec, zero)
		a.queue = append(a.queue, waiting[I]{in, tick.Tick(r.Bits(32))})
	}
	a.low = len(a.queue)
	return r.Err()
}

// readCarried reads an input, and refuses one that is not equal to itself.
func readCarried[I comparable](r *packet.Reader, codec Codec[I], newer I) I {
	in := codec.Read(r, newer)
	if !Comparable(in) {
		r.Fail(packet.ErrMalformed)
	}
	return in
}

func (p *presses[I]) carry(w *packet.Writer, codec Codec[I]) {
	var zero I
	if w.Bool(p.some); p.some {
		codec.Write(w, p.input, zero)
	}
}

func (p *presses[I]) carried(r *packet.Reader, codec Codec[I]) {
	var zero I
	if p.some = r.Bool(); p.some {
		p.input = readCarried(r, codec, zero)
	}
}
