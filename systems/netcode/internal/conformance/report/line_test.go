package report

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/match"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const (
	snapshotRate = 30
	kilobit      = 1000 / 8 // bytes
	crowd        = 303      // bodies beside the players, so the line has too little capacity
)

// lineCase is a line with the match that is played over it.
type lineCase struct {
	Number string // in the case list
	Name   string
	Text   string // of the line
	Bodies int    // in motion beside the two players; zero: 18
	Length time.Duration
	Hard   hardTime // when the line is at its worst

	path func(seed uint64) linksim.Path // of the first client; the second one's is clean
	// the second client's datagrams wait in the same queues, and it is measured too
	shared bool
	// end of a silence of seconds, after which the view has to recover; zero: none
	silent time.Duration
	bounds []lineBound
}

// hardTime is an interval of time with a rate in bytes per second.
type hardTime struct {
	from, until time.Duration
	rate        int
}

// lineBound is a limit of a figure.
type lineBound struct {
	bound
	figure int
}

// most returns an upper limit of a figure.
func most(what string, figure int, limit float64) lineBound {
	b := bound{Lane: "the whole product", What: what, Unit: lineColumns[figure].Unit, Limit: limit}
	return lineBound{b, figure}
}

// least returns a lower limit of a figure.
func least(what string, figure int, limit float64) lineBound {
	b := most(what, figure, limit)
	b.Least = true
	return b
}

// lineCases returns all cases in the order of the report.
func lineCases() []lineCase {
	const (
		ms   = time.Millisecond
		sec  = time.Second
		long = 3 * time.Minute
	)
	named := func(number, name string, bodies int, length time.Duration, bounds ...lineBound) lineCase {
		line, ok := linksim.FindLine(name)
		if !ok {
			panic("lines: linksim has no line " + name)
		}
		return lineCase{Number: number, Name: name, Text: line.Text, Bodies: bodies, Length: length, path: line.Path, bounds: bounds}
	}
	own := func(number, name, text string, bodies int, length time.Duration, down, up linksim.Condition, bounds ...lineBound) lineCase {
		for _, c := range []*linksim.Condition{&down, &up} {
			c.Delay = 20 * ms
			c.Header = 66
		}
		up.Header = 75
		return lineCase{Number: number, Name: name, Text: text, Bodies: bodies, Length: length, bounds: bounds,
			path: func(seed uint64) linksim.Path {
				p := linksim.Path{Send: up, Receive: down}
				p.Send.Seed, p.Receive.Seed = seed, seed
				return p
			},
		}
	}
	wide := linksim.Condition{Rate: 12_000 * kilobit, Packets: 256}
	thin := linksim.Condition{Rate: 192 * kilobit, Packets: 256}

	clockError := most("error of the server's clock, with round trips below 100 ms for 10 s", lineCalmClock, 0.050)
	missed := func(limit float64) lineBound {
		return most("inputs missed", lineMissed, limit)
	}
	missedAtEnd := most("inputs missed in the last minute", lineMissedAtEnd, 0.01)
	lag95 := func(limit float64) lineBound {
		return most("lag p95", lineLag95, limit)
	}
	oracle := most("mean lag against the oracle's", lineOracle, 1.35)
	oracle.Why = "1.25 was wanted. The view waits through an outage, and an oracle's view runs on through it."
	stopped := most("mean lag against the oracle's, whose view stops 100 ms beyond the newest snapshot, too", lineStopped, 1.25)
	stopped.Why = "An oracle's view that runs on through outages of many seconds shows what no view can know, and its mean lag does not have them in it."
	use := least("use of the line", lineHardUse, 0.85)
	sending := most("longest time to send a packet", lineHardLongest, 0.050)
	reconnects := most("reconnects", lineReconnects, 0)
	recovery := most("until the view is back after gaps up to 1.5 s", lineRecovery, 3)

	clean := own("49", "clean", "12 Mbit/s both ways", 0, 40*sec, wide, wide,
		most("median lag", lineLag50, 0.060), missed(0.001), clockError, reconnects)
	// a crowd alone needs two thirds of it
	thinCrowd := named("51", "thin", 500, 50*sec, lag95(0.400), use, sending)
	thinCrowd.Hard = hardTime{match.WarmUp, 50 * sec, 384 * kilobit}
	drops := func(bodies int) lineCase {
		c := named("51", "drop", bodies, 80*sec,
			most("own queue p95, from 5 s after the drop on", lineHardQueue95, 0.150),
			most("age of the picture p99, likewise", lineHardLag99, 0.600),
			sending,
			least("rate from 5 s after its end on, against that before", lineRegained, 0.95),
			clockError, reconnects)
		c.Hard = hardTime{20 * sec, 60 * sec, 100 * kilobit}
		return c
	}
	pair := own("52", "pair", "192 kbit/s down with a queue of 256 packets, for two players", 98, 70*sec, thin, wide,
		least("Jain's index of both players' bytes", lineJain, 0.9), use)
	pair.shared = true
	pair.Hard = hardTime{match.WarmUp, 70 * sec, 192 * kilobit}
	beside := own("52", "beside", "1 Mbit/s down with a queue of 64 packets, full of a download that does not end", crowd, 50*sec,
		linksim.Condition{Rate: 1000 * kilobit, Packets: 64, Script: []linksim.Event{{Kind: linksim.Reno, At: 2 * sec, By: time.Hour}}}, wide,
		// Each client needs more than the line has, so its share is half of half the line.
		least("share of the line", lineHardUse, 0.25))
	beside.Hard = hardTime{match.WarmUp, 50 * sec, 1000 * kilobit}
	full := own("53", "full", "100 kbit/s from 20 to 50 s with a queue of 20 s, which a download fills", 0, 100*sec,
		linksim.Condition{Rate: 4000 * kilobit, Queue: 20 * 100 * kilobit, Script: []linksim.Event{
			{Kind: linksim.Capacity, At: 20 * sec, To: 100 * kilobit}, {Kind: linksim.Capacity, At: 50 * sec, To: 4000 * kilobit}, {Kind: linksim.Reno, At: 15 * sec, By: 30 * sec},
		}}, wide, reconnects, clockError)
	out := linksim.Condition{Rate: wide.Rate, Packets: wide.Packets, Script: []linksim.Event{{Kind: linksim.Cut, At: 20 * sec, By: 20 * sec}}}
	silence := own("53", "silence", "nothing passes from 20 to 40 s, and nothing of it comes later", 0, 70*sec, out, out,
		most("until the view is back after the silence", lineRecovery, 3), clockError, reconnects)
	silence.silent = 40 * sec
	thinUp := own("51", "thin-up", "64 kbit/s up with a queue of 256 packets", 0, time.Minute, wide, linksim.Condition{Rate: 64 * kilobit, Packets: 256}, missed(0.01))
	return []lineCase{
		clean,
		named("50", "download", 0, long, clockError, missedAtEnd, reconnects),
		named("50", "upload", 0, long, clockError, missedAtEnd, reconnects),
		named("50", "dsl", 0, 2*time.Minute, clockError, missed(0.04), reconnects),
		thinCrowd, thinUp, drops(0), drops(crowd),
		named("52", "shared", 0, time.Minute, reconnects), named("52", "codel", 0, time.Minute, clockError, missed(0.01), reconnects), pair, beside,
		named("53", "handover", 0, long,
			most("frames with a body more than 0.5 m off", lineWrong, 0.065),
			recovery, oracle, clockError, reconnects),
		named("53", "phone", 0, long, stopped, clockError), full, silence,
	}
}

// playLine plays a case with a seed and returns the figures of the first client. On a shared line
// it returns the worse of both clients' figures, and the figures of the line. The same seed gives
// the same figures.
func playLine(c *lineCase, seed uint64) lineFigures {
	players := []*lineRecorder{{c: c}}
	setting := match.Setting{
		TickRate: tickRate, SnapshotRate: snapshotRate, Bodies: c.Bodies, Length: c.Length, Seed: seed, Shared: c.shared,
		Path: func(client int) linksim.Path {
			if client == 0 || c.shared {
				return c.path(seed)
			}
			return linksim.Symmetric(linksim.Condition{Delay: 20 * time.Millisecond})
		},
	}
	if c.shared {
		players = append(players, &lineRecorder{c: c})
	}
	for i, p := range players {
		setting.Watch[i] = p
	}
	must(match.New(setting)).Play()
	return worstPlayer(players)
}

// worstPlayer returns the worse of all players' values of each figure, and the figures of the line
// that two of them share.
func worstPlayer(players []*lineRecorder) lineFigures {
	f := players[0].finish()
	for _, p := range players[1:] {
		other := p.finish()
		a, b, use := f[lineDown], other[lineDown], f[lineHardUse]+other[lineHardUse]
		f.worst(&other)
		f[lineHardUse] = use
		if a+b > 0 {
			f[lineJain] = (a + b) * (a + b) / (2 * (a*a + b*b))
		}
	}
	return f
}

// Every case is within its bounds with a seed that is not on the page. A short run plays one case.
func TestLineBounds(t *testing.T) {
	var group sync.WaitGroup
	defer group.Wait()
	for _, c := range lineCases() {
		if testing.Short() && c.Name != "codel" {
			continue
		}
		group.Go(func() {
			f := playLine(&c, 11)
			for _, check := range c.checks(&f) {
				if !check.Held {
					t.Errorf("%s: %s is %s, want %s", check.Condition, check.What, check.Measured, check.Text())
				}
			}
		})
	}
}

// A bottleneck with enough capacity costs a client no byte. The rate falls only if the line cannot
// carry the data.
func TestWideLineLosesNoByte(t *testing.T) {
	if testing.Short() {
		t.Skip("plays four minutes")
	}
	for _, bodies := range []int{0, 98} {
		c := lineCases()[0]
		if c.Name != "clean" {
			t.Fatal("the first case is not the clean one")
		}
		c.Bodies = bodies
		wide := playLine(&c, 3)
		path := c.path
		c.path = func(seed uint64) (p linksim.Path) {
			p = path(seed)
			for _, d := range []*linksim.Condition{&p.Send, &p.Receive} {
				d.Rate, d.Packets = 0, 0
			}
			return p
		}
		if none := playLine(&c, 3); math.Abs(wide[lineDown]/none[lineDown]-1) > 0.001 || math.Abs(wide[lineUp]/none[lineUp]-1) > 0.001 {
			t.Errorf("%d bodies: %.3f kB a second down and %.3f up, %.3f and %.3f without a bottleneck", c.bodies(), wide[lineDown], wide[lineUp], none[lineDown], none[lineUp])
		}
	}
}

func TestLineIsRepeatable(t *testing.T) {
	for _, c := range lineCases() {
		if c.Name != "handover" {
			continue
		}
		c.Length = 20 * time.Second
		a, b := playLine(&c, 5), playLine(&c, 5)
		if a != b {
			t.Errorf("%s: %+v and %+v", c.Name, a, b)
		}
		if other := playLine(&c, 6); other == a {
			t.Errorf("%s: another seed makes no difference", c.Name)
		}
	}
}
