package interp

import (
	"cmp"
	"math"
	"time"
)

// DelayConfig describes the stream that a [Delay] measures. The zero value means the defaults.
type DelayConfig struct {
	// Interval is the time between two snapshots. Zero means a 30th of a second.
	Interval time.Duration

	// Tick is the length of the fixed steps at whose ends the view is sampled. The sample for a
	// step's end is taken at its start, so its data must be present one step earlier. Zero means a
	// 60th of a second. Negative means that the view is sampled at the time that it is for.
	Tick time.Duration

	// Min and Max bound the waiting time. Equal ones fix it. A Max of zero or less means no bound.
	Min, Max time.Duration
}

// Delay measures how far behind this machine's clock a view of the server's time must run so that
// there is nearly always a snapshot ahead of it:
//
//	transit of the fastest packets + the wait for late snapshots +
//	a round's time beyond an interval + Tick
//
// The fastest packets are those of the last 5 s. The wait follows from how old the newest snapshot
// has been beyond them. It is one interval on a clean line, two if single snapshots are lost, four
// at 15 % loss and 30 Hz, and the jitter in addition. It is at most 0.75 s. The view does not wait
// for a rare stall. A longer way or a queue is followed within five snapshots and left at once. Use
// one Delay per connection. It takes the arrivals of snapshots, not of bodies.
//
// # Ordered streams
//
// On an ordered stream (a WebSocket) loss becomes a stall, so the delay is a compromise. Over a
// round trip of 200 ms a stall takes 200 ms, or 400 ms if the second transmission is lost too. A
// view that starves for one per cent of the time costs as much as 130 ms of delay.
//
// The clock of the arrivals may be this machine's own or an estimate of the server's. All results
// are in that clock.
type Delay struct {
	interval, tick time.Duration
	least, most    time.Duration
	trend          trend
	ages           ages
	loss           loss

	base   time.Duration                               // of the trend, at the last Update
	newest time.Duration                               // stamp
	came   time.Duration                               // when it did
	latest [longer]struct{ at, transit time.Duration } // of the newest snapshots, a ring
	// of snapshots that were the newest at their arrival
	count int
	ready bool // a snapshot has been processed by Update
	waits time.Duration
	round time.Duration // that a body waits for its turn, beyond an interval
	other time.Duration // the longer transit of another path; valid with both
	both  bool          // there is one
}

const (
	// longer is how many snapshots in a row, over longerTime or more, must be later than the
	// waiting time to count as a longer way or a queue and not as a stall.
	longer     = 5
	longerTime = 50 * time.Millisecond

	// reroute is a rise of the fastest transit from one moment to the next that no drifting clock
	// explains.
	reroute = 5 * time.Millisecond
)

// NewDelay returns a Delay without snapshots.
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
	d.tick = cmp.Or(d.tick, time.Second/60)
	d.tick = max(d.tick, 0)
}

// Arrive takes a snapshot: when it reached this machine, the server time that it shows, and its
// number in the stream of snapshots, which may wrap.
//
// Pass for `at` the time at which the datagram was received. The time at which a frame read it
// costs up to a frame of delay. Arrive ignores duplicates and times more than 36 years from zero.
func (d *Delay) Arrive(at, stamp time.Duration, number uint16) {
	if stamp > latest || stamp < -latest || at > latest || at < -latest || !d.loss.arrive(at, number) {
		return
	}
	transit := at - stamp
	d.trend.add(at, transit)
	switch {
	case d.count == 0:
		d.base = transit
	case stamp <= d.newest: // overtaken by a newer snapshot, so it is not needed
		return
	default:
		d.ages.add(at, d.came-d.newest-d.base, at-d.newest-d.base)
	}
	d.newest, d.came = stamp, at
	l := &d.latest[d.count%longer]
	l.at, l.transit = at, transit
	d.count++
}

// SetRound sets the time in which every body is sent once, if one snapshot has no room for all
// bodies. The view waits for the part of a round beyond an interval. Zero means that each snapshot
// contains all bodies.
func (d *Delay) SetRound(round time.Duration) { d.round = max(round-d.interval, 0) }

// Update processes the arrivals of this frame. Call it once per frame, after the arrivals.
func (d *Delay) Update(now time.Duration) {
	if d.count == 0 {
		return
	}
	d.trend.advance(now)
	if base, ok := d.trend.base(); ok {
		// When the least transit falls, a faster way has opened, and lateness on the old one is
		// assumed to be the same on the new one. When it rises by more than drift explains, the
		// faster way has been closed for the length of the window, and arrivals since then are
		// measured from the new base.
		if rise := base - d.base; rise > reroute {
			d.ages.shift(rise)
		}
		d.base = base
	}
	waits := max(d.interval, d.ages.wait(d.interval, d.round))
	if least, most := d.late(); least > waits {
		waits = most + d.interval
	}
	d.waits, d.ready = min(max(waits+d.round, d.least), d.most), true
	d.loss.update(now, d.waits+d.tick)
}

// late returns the least and the greatest lateness of the latest snapshots. It returns zero if they
// are too few or arrived in one burst.
func (d *Delay) late() (least, most time.Duration) {
	if d.count < longer || d.latest[(d.count-1)%longer].at-d.latest[d.count%longer].at < longerTime {
		return 0, 0
	}
	if first, last := d.latest[d.count%longer], d.latest[(d.count-1)%longer]; first.transit > last.transit+d.interval/2 {
		return 0, 0 // a queue that drains
	}
	least = math.MaxInt64
	for _, l := range d.latest {
		least, most = min(least, l.transit-d.base), max(most, l.transit-d.base)
	}
	return least, most
}

// Behind returns how far the view should be behind the clock of the arrivals. If that clock is an
// estimate of the server's, this is the age of the picture. If it is this machine's own, the
// difference of the clocks is included, and the result may have any sign. See [Delay.Ready].
func (d *Delay) Behind() time.Duration {
	base := d.base
	if d.both {
		base = max(base, d.other)
	}
	return base + d.waits + d.tick
}

// Ready reports whether Update has processed a snapshot.
func (d *Delay) Ready() bool { return d.ready }

// SetOther makes the view wait for snapshots that come on another path, too, with the transit of
// its fastest packets. EndOther ends that.
func (d *Delay) SetOther(transit time.Duration) { d.other, d.both = transit, true }

// EndOther makes the view wait for the snapshots of its own path only.
func (d *Delay) EndOther() { d.both = false }

// Transit returns the transit time of the fastest packets of the last 5 s, on the clock of the
// arrivals.
func (d *Delay) Transit() time.Duration { return d.base }

// Waits returns how long the view waits beyond the transit of the fastest packets: for the next
// snapshot, for one after a lost one, for a late one.
func (d *Delay) Waits() time.Duration { return d.waits }

// Loss returns the share of snapshots that did not arrive in time, 0 to 1, over the last minute or
// so.
func (d *Delay) Loss() float64 { return d.loss.Loss() }

// Newest returns the latest stamp that has arrived, and false before the first snapshot.
func (d *Delay) Newest() (time.Duration, bool) { return d.newest, d.count > 0 }
