package packet_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// peer is an Endpoint, and a record of its events.
type peer struct {
	*packet.Endpoint
	t         testing.TB
	accepted  map[packet.Number]bool // packets of the other end
	delivered map[packet.Number]bool
	lost      map[packet.Number]bool
	newest    packet.Number // last delivered
	reliable  [][]byte
	others    [][]byte
}

func newPeer(t testing.TB, c packet.Config) *peer {
	t.Helper()
	p := &peer{t: t, accepted: map[packet.Number]bool{}, delivered: map[packet.Number]bool{}, lost: map[packet.Number]bool{}}
	c.Handler = p
	e, err := packet.NewEndpoint(c)
	if err != nil {
		t.Fatal(err)
	}
	p.Endpoint = e
	return p
}

func (p *peer) Delivered(n packet.Number, age time.Duration) {
	if p.delivered[n] || p.lost[n] {
		p.t.Errorf("packet %d resolved twice", n)
	}
	if age < 0 {
		p.t.Errorf("packet %d was delivered before it was sent: %v", n, age)
	}
	p.delivered[n], p.newest = true, n
}

func (p *peer) Lost(n packet.Number) {
	if p.delivered[n] || p.lost[n] {
		p.t.Errorf("packet %d resolved twice", n)
	}
	p.lost[n] = true
}

func (p *peer) Message(data []byte, reliable bool) {
	if reliable {
		p.reliable = append(p.reliable, bytes.Clone(data))
	} else {
		p.others = append(p.others, bytes.Clone(data))
	}
}

// pack makes a packet with the payload.
func (p *peer) pack(now time.Duration, payload ...byte) []byte {
	w := p.Begin(make([]byte, 1200), now, len(payload))
	w.Append(payload, len(payload)*8)
	d, err := p.End()
	if err != nil {
		p.t.Fatal(err)
	}
	return d
}

// receive accepts a datagram and reports whether it was accepted.
func (p *peer) receive(now time.Duration, datagram []byte) bool {
	in, err := p.Open(datagram)
	if errors.Is(err, packet.ErrDuplicate) || errors.Is(err, packet.ErrTooOld) {
		return false
	}
	if err != nil {
		p.t.Fatalf("Open: %v", err)
	}
	if p.accepted[in.Number] {
		p.t.Fatalf("packet %d accepted twice", in.Number)
	}
	p.accepted[in.Number] = true
	if err := p.Accept(in, now); err != nil {
		p.t.Fatalf("Accept: %v", err)
	}
	return true
}

// wire is a bad connection in one direction.
type wire struct {
	r                 *rand.Rand
	delay, jitter     time.Duration
	loss, duplication float64
	flying            []flight
}

type flight struct {
	at   time.Duration
	data []byte
}

func (w *wire) send(now time.Duration, data []byte) {
	copies := 1
	if w.r.Float64() < w.duplication {
		copies = 2
	}
	for range copies {
		if w.r.Float64() < w.loss {
			continue
		}
		at := now + w.delay + time.Duration(w.r.Float64()*float64(w.jitter))
		w.flying = append(w.flying, flight{at, bytes.Clone(data)})
	}
}

// arrived removes and returns the datagrams that have arrived at now, in the order of arrival.
func (w *wire) arrived(now time.Duration) [][]byte {
	var out [][]byte
	for {
		first := -1
		for i, f := range w.flying {
			if f.at <= now && (first < 0 || f.at < w.flying[first].at) {
				first = i
			}
		}
		if first < 0 {
			return out
		}
		out = append(out, w.flying[first].data)
		w.flying = append(w.flying[:first], w.flying[first+1:]...)
	}
}
