package congestion_test

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const (
	ms = time.Millisecond

	overhead = 66 // bytes that a transport adds
	ceiling  = 70000
)

// line is a bottleneck of linksim on virtual time, in steps of a millisecond, and the flows that
// share its queue. The way back has the same delay, and no bottleneck.
type line struct {
	condition linksim.Condition
	now       time.Duration
	link      *linksim.Link // has the queue
	flows     []*flow
}

// newLine returns a line of a rate, with changes to other rates. Its queue is drop-tail of so many
// packets, or CoDel if the number is zero.
func newLine(kbit float64, packets int, script ...linksim.Event) *line {
	return makeLine(linksim.Condition{
		Rate: int(kbit * 125), Packets: packets, CoDel: packets == 0, Delay: 20 * ms, Header: overhead, Script: script,
	})
}

func makeLine(c linksim.Condition) *line {
	return &line{condition: c, link: newLink(c)}
}

func newLink(c linksim.Condition) *linksim.Link {
	link, err := linksim.NewLink(c)
	if err != nil {
		panic(err)
	}
	return link
}

// becomes is a change of the line's rate.
func becomes(kbit float64, at time.Duration) linksim.Event {
	return linksim.Event{Kind: linksim.Capacity, At: at, To: int(kbit * 125)}
}

// run runs the line until a time, and calls f after each step.
func (l *line) run(until time.Duration, f func()) {
	for ; l.now < until; l.now += ms {
		for _, f := range l.flows {
			f.receive()
		}
		for _, f := range l.flows {
			f.step()
		}
		if f != nil {
			f()
		}
	}
}

// flow is a game's flow: snapshots of so many bytes at a rate, as far as the controller allows, and
// acknowledgements 60 times a second.
type flow struct {
	line    *line
	link    *linksim.Link
	control *congestion.Controller
	need    int // bytes of a snapshot
	rate    int // snapshots a second
	from    time.Duration
	packets []congestion.Packet
	done    []uint8 // 1: arrived, 2: acknowledged, 3: lost
	newest  int     // arrived
	stamp   uint16
	acks    []ack
	known   int // acknowledged
	suspect int
	tokens  float64
	passed  []linksim.Passage // and lost
	offset  time.Duration     // of the receiver's clock
}

type ack struct {
	at     time.Duration
	newest int
	stamp  uint16
}

func (l *line) add(need, rate int, from time.Duration) *flow {
	c := l.condition
	c.Seed = uint64(len(l.flows))
	f := &flow{
		line: l, link: newLink(c), control: congestion.New(ceiling), need: need, rate: rate, from: from,
		newest: -1, known: -1, tokens: 16000, offset: 12345*ms + time.Duration(len(l.flows))*777*ms,
	}
	f.link.ShareQueue(l.link)
	f.link.Observe(func(p linksim.Passage) { f.passed = append(f.passed, p) })
	l.flows = append(l.flows, f)
	return f
}

func (f *flow) receive() {
	for {
		datagram, at, ok := f.link.Pop(f.line.now)
		if !ok {
			return
		}
		n := int(binary.LittleEndian.Uint32(datagram))
		f.done[n] = 1
		if n > f.newest {
			f.newest = n
			f.stamp = uint16((at + f.offset) / ms)
		}
	}
}

func (f *flow) step() {
	now := f.line.now - f.from
	if now < 0 {
		return
	}
	tick := func(rate int) bool {
		return now*time.Duration(rate)/time.Second != (now-ms)*time.Duration(rate)/time.Second
	}
	for len(f.acks) > 0 && f.acks[0].at <= f.line.now {
		f.acknowledge(f.acks[0])
		f.acks = f.acks[1:]
	}
	if tick(60) && f.newest >= 0 {
		f.acks = append(f.acks, ack{f.line.now + f.line.condition.Delay, f.newest, f.stamp})
	}
	if tick(f.rate) {
		f.send()
	}
}

func (f *flow) send() {
	rate, most := f.control.Rate(f.line.now), 1216
	if rate < ceiling {
		most = min(most, max(int(rate*0.05), 266))
	}
	if len(f.packets) > 0 {
		f.tokens = min(f.tokens, float64(most)) + rate/float64(f.rate)
	}
	for left := f.need; left > 0; left -= most - overhead {
		size := min(left, most-overhead)
		if f.tokens < float64(size+overhead) {
			break
		}
		f.tokens -= float64(size + overhead)
		datagram := binary.LittleEndian.AppendUint32(nil, uint32(len(f.packets)))
		f.packets = append(f.packets, f.control.Sent(f.line.now, size+overhead))
		f.done = append(f.done, 0)
		f.link.Push(f.line.now, append(datagram, make([]byte, max(size-len(datagram), 0))...))
	}
}

func (f *flow) acknowledge(a ack) {
	now := f.line.now
	for n := max(0, a.newest-32); n <= a.newest; n++ {
		if f.done[n] == 1 {
			f.done[n] = 2
			f.control.Delivered(now, &f.packets[n])
		}
	}
	for ; f.suspect < a.newest-3; f.suspect++ {
		if f.done[f.suspect] == 0 {
			f.done[f.suspect] = 3
			f.control.Lost(&f.packets[f.suspect])
		}
	}
	if a.newest > f.known {
		f.known = a.newest
		f.control.Arrived(now, &f.packets[a.newest], a.stamp)
	}
}

// queueing returns the percentile of the waits of packets sent in [from, to).
func (f *flow) queueing(from, to time.Duration, p float64) time.Duration {
	var all []time.Duration
	for _, w := range f.passed {
		if !w.Lost && w.Sent >= from && w.Sent < to {
			all = append(all, w.Left-w.Sent)
		}
	}
	if len(all) == 0 {
		return -1
	}
	slices.Sort(all)
	return all[min(int(p*float64(len(all))), len(all)-1)]
}

// carried returns the bytes per second that left the queue in [from, to).
func (f *flow) carried(from, to time.Duration) float64 {
	sum := 0
	for _, w := range f.passed {
		if !w.Lost && w.Left >= from && w.Left < to {
			sum += w.Bytes
		}
	}
	return float64(sum) / (to - from).Seconds()
}
