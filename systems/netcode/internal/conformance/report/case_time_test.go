package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// drift returns the case of a client clock that is fast or slow for half an hour. The view must
// have the same lag as with a good clock.
func drift(ppm float64) special {
	const length = 1800 * time.Second
	n := drifting(base, fmt.Sprintf("base, client's clock %+.0f ppm", ppm), ppm)
	return special{
		number: "11", condition: fmt.Sprintf("%s, M1, %v", n.Name, length),
		bounds: []bound{
			{Lane: tandem, What: "view-time error after 10 s", Unit: tenths, Limit: 0.005},
			{Lane: tandem, What: "median speed of the view off the clocks' ratio by", Unit: conformance.Percents, Limit: 0.002},
		},
		run: func(seed uint64) []float64 {
			off, rate := viewError(n, length, seed, tandem, 10*time.Second)
			return []float64{off[len(off)-1].Seconds(), math.Abs(rate - 1/(1+ppm*1e-6))}
		},
	}
}

// longDrift returns the case of a clock that is wrong by more, with a negative control.
func longDrift(ppm float64) special {
	n := drifting(base, fmt.Sprintf("base, client's clock %+.0f ppm", ppm), ppm)
	return special{
		number: "12", condition: n.Name + ", M1",
		bounds: []bound{
			{Lane: tandem, What: "view-time error, 99 % of the frames", Unit: tenths, Limit: 0.010},
			{Lane: log5, What: "the same at 10 Hz, which its constants are for", Unit: tenths, Limit: 0.010, Control: true},
		},
		run: func(seed uint64) []float64 {
			p99 := func(n network, lane string) float64 {
				off, _ := viewError(n, long, seed, lane, warmUp)
				return off[len(off)*99/100].Seconds()
			}
			return []float64{p99(n, tandem), p99(at10(n), log5)}
		},
	}
}

// viewError returns the sorted differences between the lag and its median in the same run with a
// good clock, and the median speed of the view.
func viewError(n network, length time.Duration, seed uint64, lane string, from time.Duration) ([]time.Duration, float64) {
	good := n
	good.Drift = 0
	normal := watch(seed, good, "M1", 60*time.Second, lane)[0].lag(10*time.Second, 60*time.Second)
	got := watch(seed, n, "M1", length, lane)[0]

	var rates []float64
	last := got.steps[0]
	for _, s := range got.steps {
		if s.at-last.at >= time.Second {
			rates = append(rates, float64(s.view-last.view)/float64(s.at-last.at))
			last = s
		}
	}
	var off []time.Duration
	for _, f := range got.pictures {
		if f.now > from {
			off = append(off, (f.lag() - normal).Abs())
		}
	}
	slices.Sort(off)
	slices.Sort(rates)
	return off, rates[len(rates)/2]
}

// reroute returns the case of a path that becomes longer or shorter permanently.
func reroute(n network, within float64) special {
	const length, tail = 180 * time.Second, 20 * time.Second
	return special{
		number: "13", condition: n.Name + ", M1",
		bounds: []bound{
			{Lane: tandem, What: "until the view is within 10 ms of its place", Unit: conformance.Seconds, Limit: within},
			{Lane: tandem, What: "speed of the view off 1 by", Unit: factors, Limit: 0.1},
			{Lane: tandem, What: "steps in which it runs back", Unit: conformance.Counts},
			{Lane: mirror, What: "until the view is within 10 ms of its place", Unit: conformance.Seconds, Compare: true},
			{Lane: log5, What: "the same at 10 Hz, which its constants are for", Unit: conformance.Seconds, Limit: within, Control: true},
		},
		run: func(seed uint64) []float64 {
			got := watch(seed, n, "M1", length, tandem, mirror)
			absorbed := func(r *recording) float64 { return r.settled(route, r.lag(length-tail, length), 10*ms).Seconds() }
			// The loop changes by 0.1 ms per update, so its last twenty seconds do not show its
			// final lag. It ends when it has absorbed all of the change.
			loop := watch(seed, at10(n), "M1", length, log5)[0]
			end := loop.lag(route-tail, route) + n.Down.Script[0].By
			return []float64{absorbed(&got[0]), got[0].offSpeed(), float64(got[0].Back), absorbed(&got[1]), loop.settled(route, end, 10*ms).Seconds()}
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
			{Lane: tandem, What: "error at steps", Unit: conformance.Metres, Limit: 0.005},
			{Lane: tandem, What: "steps in which the view runs back", Unit: conformance.Counts},
		},
		run: func(seed uint64) []float64 {
			got := watch(seed, n, "M1", short, tandem)[0]
			return []float64{got.StepMax, float64(got.Back)}
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
			{Lane: tandem, What: "until the view is within a tick of its place", Unit: conformance.Seconds, Limit: 3},
			{Lane: tandem, What: "steps in which the view runs back", Unit: conformance.Counts},
		},
		run: func(seed uint64) []float64 {
			got := watch(seed, n, "M1", short, tandem)[0]
			place := got.lag(20*time.Second, 30*time.Second)
			return []float64{got.settled(n.Suspend[1], place, tickLength).Seconds(), float64(got.Back)}
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
			{Lane: tandem, What: "view beyond the newest sample", Unit: conformance.Millis, Limit: 0.1},
			{Lane: tandem, What: "speed of the view off 1 by, while it does not wait", Unit: factors, Limit: 0.1},
			{Lane: tandem, What: "jumps", Unit: conformance.Metres, Limit: 0.05},
			{Lane: tandem, What: "from its end until the view is within a tick of its place", Unit: conformance.Seconds, Limit: 3},
		},
		run: func(seed uint64) []float64 {
			got := watch(seed, n, "M3", 60*time.Second, tandem)[0]
			place := got.lag(20*time.Second, 30*time.Second)
			return []float64{got.extrapolated().Seconds(), got.offSpeed(), got.Jump, got.settled(n.Pause[0], place, tickLength).Seconds()}
		},
	}
}
