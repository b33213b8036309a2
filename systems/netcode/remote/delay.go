package remote

import (
	"math"
	"time"
)

// DelayConfig describes the stream that a [Delay] measures. The zero value means the defaults.
type DelayConfig struct {
	// Interval is the time between two snapshots. Zero means a 30th of a second.
	Interval time.Duration

	// Tick is the length of the fixed steps at whose ends the view is sampled: the sample for a step's end is taken at its start, so its data must be there one step
	// earlier. Zero means a 60th of a second; negative means that the view is sampled at the time that it is for.
	Tick time.Duration

	// Min and Max bound n*Interval + lateness; equal ones fix it. A Max of zero or less means no bound.
	Min, Max time.Duration
}

// Delay measures how far behind this machine's clock a view of the server's time must run so that there is nearly always a snapshot ahead of it:
//
//	transit of the fastest packets + n*Interval + 99th percentile of the lateness + Tick
//
// n covers lost snapshots and follows the loss (1 % asks for 2, 15 % for 3, 25 % for 4, at most 5); the lateness covers jitter, is measured against the
// fastest packets of the last 5 s, and counts up to 350 ms. The sum is raised at once and lowered slowly, but at once where a time of stalls is found to be over: where
// none has come for so long as is unlikely at the pace of those before. There is one Delay per connection, and it takes the arrival of snapshots, not of bodies.
//
// # Ordered streams
//
// Where loss becomes a stall (a WebSocket), the bound of the lateness is a compromise. Over a round trip of 200 ms a stall is 200 ms, or 400 ms where the second transmission is
// lost, too. At 15 % loss a view that waits for 350 ms of it runs 525 ms behind and starves in 5 % of the time, mostly by less than bodies are extrapolated; one that waits for
// 500 ms runs 675 ms behind and starves in 2 %. The difference also matters when the loss ends: a view that runs at 1.1 of real speed makes up half a second in 5 s, of which one
// or two are gone before the end is believed.
//
// The clock of the arrivals may be this machine's own or an estimate of the server's; all that follows is in that clock.
type Delay struct {
	interval, tick time.Duration
	least, most    time.Duration
	trend          trend
	lateness       lateness
	loss           loss

	base   time.Duration // of the trend, at the last Update
	worst  time.Duration // lateness among this frame's arrivals
	any    bool          // of them
	opened time.Duration // stamp of the first snapshot that came by the fastest way known
	begun  bool          // something has arrived
	ready  bool          // and has been taken in
	total  time.Duration
	last   time.Duration // Update
	newest time.Duration // stamp
}

const (
	// mostLateness bounds what is waited for: where stalls are longer (a stream that loses), the view that hides them all would be no use to anyone. It is no bound
	// for what is late again and again, which is a longer way.
	mostLateness = 350 * time.Millisecond

	// reroute is a rise of the fastest transit from one moment to the next that no drifting clock explains.
	reroute = 5 * time.Millisecond

	// The total falls by 10 ms a second, faster where more than 100 ms are to be given up: by a tenth of the excess a second.
	lowering     = 0.01
	loweringTime = 10.0
)

// NewDelay returns a Delay that has seen nothing yet.
func NewDelay(config DelayConfig) *Delay {
	d := new(Delay)
	d.init(config)
	return d
}

func (d *Delay) init(c DelayConfig) {
	*d = Delay{interval: c.Interval, tick: c.Tick, least: max(c.Min, 0), most: c.Max}
	if d.most <= 0 {
		d.most = math.MaxInt64
	}
	if d.interval <= 0 {
		d.interval = time.Second / 30
	}
	if d.tick == 0 {
		d.tick = time.Second / 60
	}
	d.tick = max(d.tick, 0)
}

// Arrive takes a snapshot: when it reached this machine, the server time that it shows, and its number in the stream of snapshots, which may wrap.
//
// `at` should be the time at which the datagram was received. A program that can only say when it looked pays for that with up to a frame of delay.
// Duplicates are ignored, and times more than 36 years from zero.
func (d *Delay) Arrive(at, stamp time.Duration, number uint16) {
	if stamp > latest || stamp < -latest || at > latest || at < -latest || !d.loss.arrive(at, number) {
		return
	}
	transit := at - stamp
	d.trend.add(at, transit)
	if !d.begun {
		d.base, d.begun, d.last = transit, true, at
		d.newest, d.opened = stamp, stamp
	}
	if d.base-transit > reroute {
		d.opened = stamp
	}
	d.newest = max(d.newest, stamp)
	if stamp < d.opened {
		return // sent before a faster way opened, and overtaken: late on that way, but none to come will be
	}
	// Of a burst only the latest packet counts, once: a stall is one event, however many packets it held up.
	if late := transit - d.base; !d.any || late > d.worst {
		d.worst, d.any = late, true
	}
}

// Update takes this frame's arrivals in. Call it once per frame, after the arrivals.
func (d *Delay) Update(now time.Duration) {
	if !d.begun {
		return
	}
	d.trend.advance(now)
	calm := false
	if base, ok := d.trend.base(); ok {
		// When the least transit falls, a faster way has opened, and what was late on the old one is taken to be as late on the new one. When it rises by more than
		// drift explains, the faster way has closed for the length of the window, and what came since is measured from the new base.
		rise := base - d.base
		if rise > reroute {
			d.lateness.shift(rise)
		}
		d.worst -= rise
		d.base = base
	}
	if d.any {
		d.lateness.add(now, max(d.worst, 0))
		d.any = false
		calm = d.lateness.calm()
	}
	d.loss.update(now, d.Lateness()+d.tick)

	waits := min(max(time.Duration(d.loss.cover())*d.interval+d.Lateness(), d.least), d.most)
	want := d.base + waits + d.tick
	elapsed := max(now-d.last, 0)
	d.last = now
	if excess := d.total - want; excess <= 0 || !d.ready || calm {
		d.total, d.ready = want, true
	} else {
		share := max(lowering, excess.Seconds()/loweringTime)
		d.total = max(want, d.total-time.Duration(share*float64(elapsed)))
	}
}

// Behind returns how far the view should be behind the clock of the arrivals. Where that clock is an estimate of the server's, this is the age of what is
// seen; where it is this machine's own, the difference of the clocks is in it, and it may be of any sign. See [Delay.Ready].
func (d *Delay) Behind() time.Duration { return d.total }

// Ready reports whether a snapshot has arrived and been taken in.
func (d *Delay) Ready() bool { return d.ready }

// Transit returns the transit time of the fastest packets of the last 5 s, on the clock of the arrivals.
func (d *Delay) Transit() time.Duration { return d.base }

// Lateness returns the 99th percentile of how much later than the fastest a snapshot came, as far as it is worth waiting for.
func (d *Delay) Lateness() time.Duration {
	p := d.lateness.p99()
	if p > mostLateness {
		p = min(p, max(mostLateness, d.lateness.recent(mostLateness)))
	}
	return p
}

// Intervals returns n, the number of send intervals by which the view is delayed to survive n-1 losses in a row.
func (d *Delay) Intervals() int { return d.loss.cover() }

// Loss returns the share of snapshots that did not come in time, 0 to 1, over the last minute or so.
func (d *Delay) Loss() float64 { return d.loss.rate() }

// Newest returns the latest stamp that has arrived; false before the first.
func (d *Delay) Newest() (time.Duration, bool) { return d.newest, d.begun }
