package conformance

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// special is a case with measures of its own. Run returns one figure for each bound. The greatest
// figure over the seeds counts, or the least for a lower bound.
type special struct {
	number, condition string
	bounds            []bound
	once              bool // the case has no random draw
	run               func(seed uint64) []float64
}

// specials returns all such cases.
func specials() []special {
	plus := scripted(base, "base, at 60 s the way becomes 100 ms longer", linksim.Event{Kind: linksim.Route, At: route, By: 100 * ms})
	minus := scripted(base, "base, at 60 s the way becomes 100 ms shorter", linksim.Event{Kind: linksim.Route, At: route, By: -100 * ms})
	minus.Down.Delay, minus.Up.Delay = 200*ms, 200*ms
	minus.Name = "200±10 ms, at 60 s the way becomes 100 ms shorter"
	list := []special{recovery(), extrapolation(), duplicates()}
	for _, ppm := range []float64{500, -500} {
		list = append(list, drift("11", ppm, 1800*time.Second, false))
	}
	for _, ppm := range []float64{2000, -2000} {
		list = append(list, drift("12", ppm, long, true))
	}
	list = append(list,
		reroute(plus, 2.5, 180*time.Second),
		reroute(minus, 12, 180*time.Second),
		epochs(),
		hierarchy(base, 0.01),
		slowClient(), suspended(), pause(),
	)
	list = append(list, predictionCases()...)
	return append(list, cubeCases()...)
}

// lags records how far behind the server the first lane is, frame by frame.
type lags struct{ at, lag []time.Duration }

func (l *lags) watch(lane int, f *Frame) {
	if lane == 0 {
		l.at = append(l.at, f.Now)
		l.lag = append(l.lag, f.Now-f.Claim)
	}
}

// median returns the median of the lags from one instant to another.
func (l *lags) median(from, to time.Duration) time.Duration {
	var v []time.Duration
	for i, t := range l.at {
		if t >= from && t < to {
			v = append(v, l.lag[i])
		}
	}
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// settled returns how long after an instant the lag last differed from its final value by a
// tolerance or more.
func (l *lags) settled(after, end, tolerance time.Duration) time.Duration {
	last := after
	for i, t := range l.at {
		if t > after && (l.lag[i]-end).Abs() >= tolerance {
			last = t
		}
	}
	return last - after
}

// recovery returns the case of an ordered stream, on which every loss becomes a stall. Some time
// after the end of the loss the view must have a short lag again.
//
// A packet that was sent before the end may be lost with all of its retransmissions. It arrives
// seconds late and delays all packets behind it. A view that stops 100 ms beyond the newest
// snapshot is then as late as the stream, less 100 ms, and catches up at 1.5 of real speed. So the
// bound is the greater of 1.1 times the lag without loss and 1.1 times the least lag that such a
// view can have by then. The first figure alone, for the worst seed, is printed beside it.
func recovery() special {
	const calm = 60 * time.Second
	n := ordered
	n.Calm = calm
	quiet := ordered
	quiet.Down.Loss, quiet.Up.Loss = 0, 0
	return special{
		number: "6", condition: "seeds over an ordered stream, M1, loss ends after 60 s",
		bounds: []bound{
			{lane: tandem, what: "lag 5 s later against that without loss, or against the least that a view at 1.5 of real speed can have where that is more", unit: factors, limit: 1.1},
			{lane: tandem, what: "lag 5 s later against that without loss, whatever the stream", unit: factors, compare: true},
			{lane: tandem, what: "time until it is below 1.1 times that", unit: secs, compare: true},
		},
		run: func(seed uint64) []float64 {
			var got, want lags
			const later = calm + 5*time.Second
			least := time.Duration(0) // lag that a view can have then
			Run(Spec{
				Network: n, Motion: motion("M1"), Lanes: lanes(tandem, naive), Length: calm + 60*time.Second, Seed: seed,
				Watch: func(lane int, f *Frame) {
					got.watch(lane, f)
					if lane == 1 && f.Now < later { // a lane that shows the newest sample
						least = max(least, f.Now-f.Claim-100*ms-(later-f.Now)/2)
					}
				},
			})
			Run(Spec{Network: quiet, Motion: motion("M1"), Lanes: lanes(tandem), Length: 30 * time.Second, Seed: seed, Watch: want.watch})
			normal := want.median(10*time.Second, 30*time.Second)
			over := time.Duration(0)
			for i, t := range got.at {
				if t > calm && float64(got.lag[i]) > 1.1*float64(normal) {
					over = t - calm
				}
			}
			at5 := got.median(later, later+100*ms)
			return []float64{at5.Seconds() / max(normal, least).Seconds(), at5.Seconds() / normal.Seconds(), over.Seconds()}
		},
	}
}

// extrapolation returns the case of a burst of losses. A body continues for 100 ms at most and then
// stands.
func extrapolation() special {
	return special{
		number: "7", condition: bursts.Name + ", M1",
		bounds: []bound{
			{lane: tandem, what: "view beyond the newest sample", unit: millis, limit: 0.1},
			{lane: tandem, what: "steps in which the view runs back", unit: counts, limit: 0},
		},
		run: func(seed uint64) []float64 {
			var most, last time.Duration
			back := 0
			Run(Spec{
				Network: bursts, Motion: motion("M1"), Lanes: lanes(tandem), Length: short, Seed: seed,
				Step: func(_ int, _, view time.Duration, info *interp.Info) {
					most = max(most, info.Extrapolated)
					if view < last {
						back++
					}
					last = view
				},
			})
			return []float64{most.Seconds(), float64(back)}
		},
	}
}

// duplicates returns the case in which every third packet arrives twice. The picture must be equal
// to the bit.
func duplicates() special {
	differ := func(seed uint64, names ...string) []float64 {
		count := make([]float64, len(names))
		type key struct {
			now, claim time.Duration
			x, y, z    float64
		}
		frames := make([][]key, len(names))
		watch := func(lane int, f *Frame) {
			frames[lane] = append(frames[lane], key{f.Now, f.Claim, f.Drawn[0], f.Drawn[1], f.Drawn[2]})
		}
		spec := Spec{Network: base, Motion: motion("M3"), Lanes: lanes(names...), Length: 60 * time.Second, Seed: seed, Watch: watch}
		spec.Network.Down.Loss, spec.Network.Up.Loss = 0.05, 0.05
		Run(spec)
		first := frames
		frames = make([][]key, len(names))
		// downwards only, since a ping that arrives twice would be answered twice
		spec.Network.Down.Duplicate = 0.3
		Run(spec)
		for i := range first {
			for j := range first[i] {
				if j >= len(frames[i]) || first[i][j] != frames[i][j] {
					count[i]++
				}
			}
		}
		return count
	}
	return special{
		number: "10", condition: "base with 5 % loss, with and without 30 % duplicates, M3",
		bounds: []bound{
			{lane: tandem, what: "frames that differ by any bit", unit: counts},
			{lane: mirror, what: "frames that differ by any bit", unit: counts},
		},
		run: func(seed uint64) []float64 { return differ(seed, tandem, mirror) },
	}
}

// hierarchy returns the case of a spinning child on a turning parent. Both are sampled at one view
// time, and local poses are blended.
func hierarchy(n Network, limit float64) special {
	return special{
		number: "21", condition: n.Name + ", M8",
		bounds: []bound{
			{lane: tandem, what: "steps in which the two are shown of different times", unit: counts},
			{lane: tandem, what: "child's error in the world", unit: metres, limit: limit},
			{lane: tandem, what: "child's rotation in the world", unit: degrees, limit: 5},
		},
		run: func(seed uint64) []float64 {
			m := Run(Spec{Network: n, Motion: motion("M8"), Child: &child8, Lanes: lanes(tandem), Length: short, Seed: seed}).Lanes[0]
			return []float64{float64(m.Torn), m.ErrorMax, m.TurnMax}
		},
	}
}
