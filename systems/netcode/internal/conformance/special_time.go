package conformance

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// drift returns the case of a client clock that is fast or slow. The view must have the same lag as
// with a good clock.
func drift(number string, ppm float64, length time.Duration, controls bool) special {
	n := drifting(base, fmt.Sprintf("base, client's clock %+.0f ppm", ppm), ppm)
	if !controls {
		return special{
			number: number, condition: fmt.Sprintf("%s, M1, %v", n.Name, length),
			bounds: []bound{
				{lane: tandem, what: "view-time error after 10 s", unit: tenths, limit: 0.005},
				{lane: tandem, what: "median speed of the view off the clocks' ratio by", unit: percents, limit: 0.002},
			},
			run: func(seed uint64) []float64 {
				off, rate := viewError(n, length, seed, tandem, 10*time.Second)
				return []float64{off[len(off)-1].Seconds(), math.Abs(rate - 1/(1+ppm*1e-6))}
			},
		}
	}
	p99 := func(off []time.Duration) float64 { return off[len(off)*99/100].Seconds() }
	return special{
		number: number, condition: n.Name + ", M1",
		bounds: []bound{
			{lane: tandem, what: "view-time error, 99 % of the frames", unit: tenths, limit: 0.010},
			{lane: log5, what: "the same at 10 Hz, which its constants are for", unit: tenths, limit: 0.010, control: true},
		},
		run: func(seed uint64) []float64 {
			ours, _ := viewError(n, length, seed, tandem, WarmUp)
			theirs, _ := viewError(at10(n), length, seed, log5, WarmUp)
			return []float64{p99(ours), p99(theirs)}
		},
	}
}

// viewError returns the sorted differences between the lag and its median in the same run with a
// good clock, and the median speed of the view.
func viewError(n Network, length time.Duration, seed uint64, lane string, from time.Duration) ([]time.Duration, float64) {
	good := n
	good.Drift = 0
	var want, got lags
	Run(Spec{Network: good, Motion: motion("M1"), Lanes: lanes(lane), Length: 60 * time.Second, Seed: seed, Watch: want.watch})
	normal := want.median(10*time.Second, 60*time.Second)

	var rates []float64
	var lastAt, lastView time.Duration
	Run(Spec{
		Network: n, Motion: motion("M1"), Lanes: lanes(lane), Length: length, Seed: seed, Watch: got.watch,
		Step: func(_ int, at, view time.Duration, _ *interp.Info) {
			if at-lastAt >= time.Second {
				if lastAt > 0 {
					rates = append(rates, float64(view-lastView)/float64(at-lastAt))
				}
				lastAt, lastView = at, view
			}
		},
	})
	var off []time.Duration
	for i, t := range got.at {
		if t > from {
			off = append(off, (got.lag[i] - normal).Abs())
		}
	}
	slices.Sort(off)
	slices.Sort(rates)
	return off, rates[len(rates)/2]
}

// reroute returns the case of a path that becomes longer or shorter permanently.
func reroute(n Network, within float64, length time.Duration) special {
	change := n.Down.Script[0].By
	const tail = 20 * time.Second
	absorb := func(seed uint64, lane string) (took float64, m Measure) {
		var l lags
		res := Run(Spec{Network: n, Motion: motion("M1"), Lanes: lanes(lane), Length: length, Seed: seed, Watch: l.watch})
		return l.settled(route, l.median(length-tail, length), 10*ms).Seconds(), res.Lanes[0]
	}
	return special{
		number: "13", condition: n.Name + ", M1",
		bounds: []bound{
			{lane: tandem, what: "until the view is within 10 ms of its place", unit: secs, limit: within},
			{lane: tandem, what: "speed of the view off 1 by", unit: factors, limit: 0.1},
			{lane: tandem, what: "steps in which it runs back", unit: counts},
			{lane: mirror, what: "until the view is within 10 ms of its place", unit: secs, compare: true},
			{lane: log5, what: "the same at 10 Hz, which its constants are for", unit: secs, limit: within, control: true},
		},
		run: func(seed uint64) []float64 {
			ours, m := absorb(seed, tandem)
			theirs, _ := absorb(seed, mirror)
			// The loop changes by 0.1 ms per update, so its last twenty seconds do not show its
			// final lag. It ends when it has absorbed all of the change.
			var l lags
			Run(Spec{Network: at10(n), Motion: motion("M1"), Lanes: lanes(log5), Length: length, Seed: seed, Watch: l.watch})
			end := l.median(route-tail, route) + change
			return []float64{ours, max(1-m.RateMin, m.RateMax-1), float64(m.Back), theirs, l.settled(route, end, 10*ms).Seconds()}
		},
	}
}

// epochs returns the case of a client clock that starts an hour off, which must have no effect.
func epochs() special {
	return special{
		number: "15", condition: seeds.Name + ", M3, client's clock an hour ahead or behind",
		bounds: []bound{{lane: tandem, what: "frames that differ by any bit", unit: counts}},
		run: func(seed uint64) []float64 {
			type key struct {
				claim   time.Duration
				x, y, z float64
			}
			var runs [3][]key
			for i, epoch := range []time.Duration{0, time.Hour, -time.Hour} {
				n := seeds
				n.Epoch = epoch
				Run(Spec{
					Network: n, Motion: motion("M3"), Lanes: lanes(tandem), Length: 60 * time.Second, Seed: seed,
					Watch: func(_ int, f *Frame) {
						runs[i] = append(runs[i], key{f.Claim, f.Drawn[0], f.Drawn[1], f.Drawn[2]})
					},
				})
			}
			differ := 0
			for i := range runs[0] {
				if runs[0][i] != runs[1][i] || runs[0][i] != runs[2][i] {
					differ++
				}
			}
			return []float64{float64(differ)}
		},
	}
}

// slowClient returns the case of a client that draws eight frames a second, with up to eight steps
// in each.
func slowClient() special {
	n := base
	n.FrameRate = 8
	return special{
		number: "28", condition: "base, client at 8 frames a second, M1",
		bounds: []bound{
			{lane: tandem, what: "error at steps", unit: metres, limit: 0.005},
			{lane: tandem, what: "steps in which the view runs back", unit: counts},
		},
		run: func(seed uint64) []float64 {
			m := Run(Spec{Network: n, Motion: motion("M1"), Lanes: lanes(tandem), Length: short, Seed: seed}).Lanes[0]
			return []float64{m.StepMax, float64(m.Back)}
		},
	}
}

// suspended returns the case of a client that does not run for a minute. All data that was sent
// meanwhile is delivered afterwards.
func suspended() special {
	n := base
	n.Suspend = [2]time.Duration{30 * time.Second, 90 * time.Second}
	return special{
		number: "28", condition: "base, client suspended for 60 s, M1",
		bounds: []bound{
			{lane: tandem, what: "until the view is within a tick of its place", unit: secs, limit: 3},
			{lane: tandem, what: "steps in which the view runs back", unit: counts},
		},
		run: func(seed uint64) []float64 {
			var l lags
			m := Run(Spec{Network: n, Motion: motion("M1"), Lanes: lanes(tandem), Length: short, Seed: seed, Watch: l.watch}).Lanes[0]
			end := l.median(20*time.Second, 30*time.Second)
			return []float64{l.settled(n.Suspend[1], end, tickLength).Seconds(), float64(m.Back)}
		},
	}
}

// pause returns the case of a server that does not run for two seconds. Its time stands too.
func pause() special {
	n := base
	n.Pause = [2]time.Duration{30 * time.Second, 32 * time.Second}
	return special{
		number: "30", condition: "base, server pauses for 2 s, M3",
		bounds: []bound{
			{lane: tandem, what: "view beyond the newest sample", unit: millis, limit: 0.1},
			{lane: tandem, what: "speed of the view off 1 by, while it does not wait", unit: factors, limit: 0.1},
			{lane: tandem, what: "jumps", unit: metres, limit: 0.05},
			{lane: tandem, what: "from its end until the view is within a tick of its place", unit: secs, limit: 3},
		},
		run: func(seed uint64) []float64 {
			var l lags
			var most time.Duration
			m := Run(Spec{
				Network: n, Motion: motion("M3"), Lanes: lanes(tandem), Length: 60 * time.Second, Seed: seed, Watch: l.watch,
				Step: func(_ int, _, _ time.Duration, info *interp.Info) { most = max(most, info.Extrapolated) },
			}).Lanes[0]
			end := l.median(20*time.Second, 30*time.Second)
			return []float64{most.Seconds(), max(1-m.RateMin, m.RateMax-1), m.Jump, l.settled(n.Pause[0], end, tickLength).Seconds()}
		},
	}
}
