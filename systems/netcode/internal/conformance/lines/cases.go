package lines

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/rates"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const (
	tickRate     = 60
	snapshotRate = 30
	kilobit      = 1000 / 8 // bytes
	crowd        = 303      // bodies beside the players, so the line has too little capacity
)

// Case is a line with the match that is played over it.
type Case struct {
	Number string // in the case list
	Name   string
	Text   string // of the line
	Bodies int    // in motion beside the two players; zero: 18
	Length time.Duration
	Hard   hard // when the line is at its worst

	path func(seed uint64) linksim.Path // of the first client; the second one's is clean
	// the second client's datagrams wait in the same queues, and it is measured too
	shared bool
	// end of a silence of seconds, after which the view has to recover; zero: none
	silent time.Duration
	bounds []bound
}

// hard is an interval of time with a rate in bytes per second.
type hard struct {
	from, until time.Duration
	rate        int
}

// bound is a limit of a figure.
type bound struct {
	what  string
	unit  conformance.Unit
	limit float64
	least bool // a lower bound
	value func(f *Figures) float64
	why   string // reason for the bound, if it is not obvious
}

func most(what string, u conformance.Unit, limit float64, value func(f *Figures) float64) bound {
	return bound{what: what, unit: u, limit: limit, value: value}
}

func least(what string, u conformance.Unit, limit float64, value func(f *Figures) float64) bound {
	return bound{what: what, unit: u, limit: limit, least: true, value: value}
}

// Cases returns all cases in the order of the report.
func Cases() []Case {
	const (
		ms   = time.Millisecond
		sec  = time.Second
		long = 3 * time.Minute
	)
	named := func(number, name string, bodies int, length time.Duration, bounds ...bound) Case {
		line, ok := linksim.FindLine(name)
		if !ok {
			panic("lines: linksim has no line " + name)
		}
		return Case{Number: number, Name: name, Text: line.Text, Bodies: bodies, Length: length, path: line.Path, bounds: bounds}
	}
	own := func(number, name, text string, bodies int, length time.Duration, down, up linksim.Condition, bounds ...bound) Case {
		for _, c := range []*linksim.Condition{&down, &up} {
			c.Delay = 20 * ms
			c.Header = 66
		}
		up.Header = 75
		return Case{Number: number, Name: name, Text: text, Bodies: bodies, Length: length, bounds: bounds,
			path: func(seed uint64) linksim.Path {
				p := linksim.Path{Send: up, Receive: down}
				p.Send.Seed, p.Receive.Seed = seed, seed
				return p
			},
		}
	}
	wide := linksim.Condition{Rate: 12_000 * kilobit, Packets: 256}
	thin := linksim.Condition{Rate: 192 * kilobit, Packets: 256}

	clockError := most("error of the server's clock, with round trips below 100 ms for 10 s", millis, 0.050, func(f *Figures) float64 { return f.CalmClock.Seconds() })
	missed := func(limit float64) bound {
		return most("inputs missed", percents, limit, func(f *Figures) float64 { return f.Missed })
	}
	missedAtEnd := most("inputs missed in the last minute", percents, 0.01, func(f *Figures) float64 { return f.MissedAtEnd })
	lag95 := func(limit float64) bound {
		return most("lag p95", millis, limit, func(f *Figures) float64 { return f.Lag95.Seconds() })
	}
	oracle := bound{
		what: "mean lag against the oracle's", unit: factors, limit: 1.35, value: func(f *Figures) float64 { return f.Oracle },
		why: "1.25 was wanted. The view waits through an outage, and an oracle's view runs on through it.",
	}
	stopped := bound{
		what: "mean lag against the oracle's, whose view stops 100 ms beyond the newest snapshot, too", unit: factors, limit: 1.25,
		value: func(f *Figures) float64 { return f.Stopped },
		why:   "An oracle's view that runs on through outages of many seconds shows what no view can know, and its mean lag does not have them in it.",
	}
	use := least("use of the line", percents, 0.85, func(f *Figures) float64 { return f.HardUse })
	sending := most("longest time to send a packet", millis, 0.050, func(f *Figures) float64 { return f.HardLongest.Seconds() })
	reconnects := most("reconnects", counts, 0, func(f *Figures) float64 { return f.Reconnects })
	recovery := most("until the view is back after gaps up to 1.5 s", secs, 3, func(f *Figures) float64 { return f.Recovery.Seconds() })

	clean := own("49", "clean", "12 Mbit/s both ways", 0, 40*sec, wide, wide,
		most("median lag", millis, 0.060, func(f *Figures) float64 { return f.Lag50.Seconds() }), missed(0.001), clockError, reconnects)
	// a crowd alone needs two thirds of it
	thinCrowd := named("51", "thin", 500, 50*sec, lag95(0.400), use, sending)
	thinCrowd.Hard = hard{rates.WarmUp, 50 * sec, 384 * kilobit}
	drops := func(bodies int) Case {
		c := named("51", "drop", bodies, 80*sec,
			most("own queue p95, from 5 s after the drop on", millis, 0.150, func(f *Figures) float64 { return f.HardQueue95.Seconds() }),
			most("age of the picture p99, likewise", millis, 0.600, func(f *Figures) float64 { return f.HardLag99.Seconds() }),
			sending,
			least("rate from 5 s after its end on, against that before", percents, 0.95, func(f *Figures) float64 { return f.Regained }),
			clockError, reconnects)
		c.Hard = hard{20 * sec, 60 * sec, 100 * kilobit}
		return c
	}
	pair := own("52", "pair", "192 kbit/s down with a queue of 256 packets, for two players", 98, 70*sec, thin, wide,
		least("Jain's index of both players' bytes", factors, 0.9, func(f *Figures) float64 { return f.Jain }), use)
	pair.shared = true
	pair.Hard = hard{rates.WarmUp, 70 * sec, 192 * kilobit}
	beside := own("52", "beside", "1 Mbit/s down with a queue of 64 packets, full of a download that does not end", crowd, 50*sec,
		linksim.Condition{Rate: 1000 * kilobit, Packets: 64, Script: []linksim.Event{{Kind: linksim.Reno, At: 2 * sec, By: time.Hour}}}, wide,
		// Each client needs more than the line has, so its share is half of half the line.
		least("share of the line", percents, 0.25, func(f *Figures) float64 { return f.HardUse }))
	beside.Hard = hard{rates.WarmUp, 50 * sec, 1000 * kilobit}
	full := own("53", "full", "100 kbit/s from 20 to 50 s with a queue of 20 s, which a download fills", 0, 100*sec,
		linksim.Condition{Rate: 4000 * kilobit, Queue: 20 * 100 * kilobit, Script: []linksim.Event{
			{Kind: linksim.Capacity, At: 20 * sec, To: 100 * kilobit}, {Kind: linksim.Capacity, At: 50 * sec, To: 4000 * kilobit}, {Kind: linksim.Reno, At: 15 * sec, By: 30 * sec},
		}}, wide, reconnects, clockError)
	out := linksim.Condition{Rate: wide.Rate, Packets: wide.Packets, Script: []linksim.Event{{Kind: linksim.Cut, At: 20 * sec, By: 20 * sec}}}
	silence := own("53", "silence", "nothing passes from 20 to 40 s, and nothing of it comes later", 0, 70*sec, out, out,
		most("until the view is back after the silence", secs, 3, func(f *Figures) float64 { return f.Recovery.Seconds() }), clockError, reconnects)
	silence.silent = 40 * sec
	thinUp := own("51", "thin-up", "64 kbit/s up with a queue of 256 packets", 0, time.Minute, wide, linksim.Condition{Rate: 64 * kilobit, Packets: 256}, missed(0.01))
	return []Case{
		clean,
		named("50", "download", 0, long, clockError, missedAtEnd, reconnects),
		named("50", "upload", 0, long, clockError, missedAtEnd, reconnects),
		named("50", "dsl", 0, 2*time.Minute, clockError, missed(0.04), reconnects),
		thinCrowd, thinUp, drops(0), drops(crowd),
		named("52", "shared", 0, time.Minute, reconnects), named("52", "codel", 0, time.Minute, clockError, missed(0.01), reconnects), pair, beside,
		named("53", "handover", 0, long,
			most("frames with a body more than 0.5 m off", percents, 0.065, func(f *Figures) float64 { return f.Wrong }),
			recovery, oracle, clockError, reconnects),
		named("53", "phone", 0, long, stopped, clockError), full, silence,
	}
}

// Measure plays a case with a seed and returns the figures of the first client. On a shared line it
// returns the worse of both clients' figures. The same seed gives the same figures.
func Measure(c *Case, seed uint64) Figures {
	m := newMatch(c)
	clean := linksim.Condition{Delay: 20 * time.Millisecond}
	_, err := rates.Run(rates.Setting{
		TickRate: tickRate, SnapshotRate: snapshotRate, Bodies: c.Bodies, Length: c.Length, Seed: seed, Shared: c.shared, Watch: m,
		Path: func(client int) linksim.Path {
			if client == 0 || c.shared {
				return c.path(seed)
			}
			return linksim.Symmetric(clean)
		},
	})
	if err != nil {
		panic(err) // the cases are this package's own
	}
	return m.finish()
}
