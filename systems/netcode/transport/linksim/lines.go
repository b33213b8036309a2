package linksim

import (
	"math"
	"math/rand/v2"
	"time"
)

// Line is a named path, as homes and phones have them. Its events repeat every three minutes for an
// hour.
type Line struct {
	Name string
	Text string // description of its events

	down, up func(random *rand.Rand) Condition
}

const (
	dtlsDown = 66 // bytes in addition to a datagram's own: IPv4, UDP and the record of DTLS
	dtlsUp   = 75 // the same, with the connection's number

	period   = 3 * time.Minute
	repeated = time.Hour
	kilobit  = 1000 / 8 // bytes
)

// Lines returns all lines.
func Lines() []Line {
	clean := func(*rand.Rand) Condition { return Condition{Rate: 12_000 * kilobit, Packets: 256} }
	every := func(c Condition, events ...Event) func(*rand.Rand) Condition {
		return func(*rand.Rand) Condition {
			line := c
			for at := time.Duration(0); at < repeated; at += period {
				for _, e := range events {
					e.At += at
					line.Script = append(line.Script, e)
				}
			}
			return line
		}
	}
	bulk := Event{Kind: Reno, At: time.Minute, By: 30 * time.Second}
	forever := Event{Kind: Reno, At: 2 * time.Second, By: period}
	return []Line{
		{"download", "2 Mbit/s down with a queue of 1000 packets, and a download from 60 to 90 s", every(Condition{Rate: 2000 * kilobit, Packets: 1000}, bulk), clean},
		{"upload", "1 Mbit/s up with a queue of 100 packets, and an upload from 60 to 90 s", clean, every(Condition{Rate: 1000 * kilobit, Packets: 100}, bulk)},
		{"dsl", "1 Mbit/s up with a queue of half a second, and an upload in 25 s of each minute", clean, every(Condition{Rate: 1000 * kilobit, Packets: 42},
			Event{Kind: Reno, At: 25 * time.Second, By: 25 * time.Second}, Event{Kind: Reno, At: 85 * time.Second, By: 25 * time.Second}, Event{Kind: Reno, At: 145 * time.Second, By: 25 * time.Second})},
		{"shared", "4 Mbit/s down with a queue of 256 packets, full of a download that does not end", every(Condition{Rate: 4000 * kilobit, Packets: 256}, forever), clean},
		{"codel", "the same with CoDel", every(Condition{Rate: 4000 * kilobit, CoDel: true}, forever), clean},
		{"thin", "384 kbit/s down with a queue of 256 packets", func(*rand.Rand) Condition { return Condition{Rate: 384 * kilobit, Packets: 256} }, clean},
		{"drop", "4 Mbit/s down, 100 kbit/s from 20 to 60 s, with a queue of 256 packets", every(Condition{Rate: 4000 * kilobit, Packets: 256},
			Event{Kind: Capacity, At: 20 * time.Second, To: 100 * kilobit}, Event{Kind: Capacity, At: 60 * time.Second, To: 4000 * kilobit}), clean},
		{"handover", "every 12 to 25 s nothing passes for 0.5 to 2 s, then all that waited comes at once, both ways", handover, nil},
		{"phone", "a phone in motion: 0 to 3.6 Mbit/s both ways, with outages of a second or so, and queues of 256 packets", fading, nil},
	}
}

// FindLine returns the line with the name.
func FindLine(name string) (Line, bool) {
	for _, l := range Lines() {
		if l.Name == name {
			return l, true
		}
	}
	return Line{}, false
}

// Path returns the line as its client sees it: 20 ms each way, the effects that the name states,
// and IPv4, UDP and DTLS around each datagram. All randomness depends on the seed.
func (l Line) Path(seed uint64) Path {
	random := rand.New(rand.NewPCG(seed, 0x6c696e65))
	down := l.down(random)
	up := down // events of a radio link affect both directions at once
	if l.up != nil {
		up = l.up(random)
	}
	for _, c := range []*Condition{&down, &up} {
		if c.Delay == 0 {
			c.Delay = 20 * time.Millisecond
		}
		c.Seed = seed
	}
	down.Header, up.Header = dtlsDown, dtlsUp
	return Path{Send: up, Receive: down}
}

// handover is a line whose radio link moves from one cell, or satellite, to the next.
func handover(random *rand.Rand) Condition {
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
	const rate = 4000 * kilobit
	c := Condition{Delay: 30 * time.Millisecond, Jitter: 4 * time.Millisecond, Loss: 0.002, InOrder: true, Rate: rate, Packets: 256}
	for at := between(12*time.Second, 20*time.Second); at < repeated; at += between(12*time.Second, 25*time.Second) {
		out := between(500*time.Millisecond, 2*time.Second)
		c.Script = append(c.Script, Event{Kind: Capacity, At: at}, Event{Kind: Capacity, At: at + out, To: rate})
		at += out
	}
	return c
}

// fading is a radio link after the model that Sprout infers from such links. Packets pass at random
// with a rate in Brownian motion. When the rate reaches zero there is an outage, which ends at
// random, too. (Winstein, Sivaraman and Balakrishnan, "Stochastic Forecasts Achieve High Throughput
// and Low Delay over Cellular Networks", NSDI 2013.)
func fading(random *rand.Rand) Condition {
	const (
		step   = 0.02  // s
		sigma  = 40.0  // packets per second and root of a second
		most   = 300.0 // packets per second
		escape = 1.0   // outages end per second
	)
	rate := most / 2
	var trace []time.Duration
	for i := range int(period.Seconds() / step) {
		move := sigma * math.Sqrt(step) * random.NormFloat64()
		if rate > 0 {
			rate = min(max(rate+move, 0), most)
		} else if random.Float64() < escape*step {
			rate = most / 4
		}
		if rate == 0 {
			continue
		}
		for at := random.ExpFloat64() / rate; at < step; at += random.ExpFloat64() / rate {
			trace = append(trace, time.Duration((float64(i)*step+at)*1000)*time.Millisecond)
		}
	}
	return Condition{Trace: append(trace, period), Packets: 256}
}
