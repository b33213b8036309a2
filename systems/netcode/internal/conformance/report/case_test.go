package report

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// special is a case with measures of its own. Its run returns one figure for each bound. The
// greatest figure over the seeds counts.
type special struct {
	number, condition string
	bounds            []bound
	once              bool // the case has no random draw
	run               func(seed uint64) []float64
}

// specials returns all such cases.
func specials() []special {
	plus := scripted(base, "base, at 60 s the way becomes 100 ms longer", linksim.Event{Kind: linksim.Route, At: route, By: 100 * ms})
	minus := scripted(base, "200±10 ms, at 60 s the way becomes 100 ms shorter", linksim.Event{Kind: linksim.Route, At: route, By: -100 * ms})
	minus.Down.Delay, minus.Up.Delay = 200*ms, 200*ms
	list := []special{
		recovery(), extrapolation(), duplicates(),
		drift(500), drift(-500), longDrift(2000), longDrift(-2000),
		reroute(plus, 2.5), reroute(minus, 12),
		epochs(), hierarchy(), slowClient(), suspended(), pause(),
	}
	list = append(list, predictionCases()...)
	return append(list, cubeCases()...)
}

// runSpecials runs special cases over all seeds.
func runSpecials(list []special) (checks []check) {
	worst := conformance.Worst(list, laneSeeds, func(s *special, seed uint64) []float64 {
		if s.once && seed > 1 {
			return nil
		}
		return s.run(seed)
	}, func(worst, other *[]float64) {
		for i, v := range *other {
			(*worst)[i] = max((*worst)[i], v)
		}
	})
	for i, s := range list {
		for j, b := range s.bounds {
			checks = append(checks, b.check(s.number, s.condition, worst[i][j]))
		}
	}
	return checks
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
	const (
		calm  = 60 * time.Second
		later = calm + 5*time.Second
	)
	n := ordered
	n.Calm = calm
	quiet := ordered
	quiet.Down.Loss, quiet.Up.Loss = 0, 0
	return special{
		number: "6", condition: "seeds over an ordered stream, M1, loss ends after 60 s",
		bounds: []bound{
			{Lane: tandem, What: "lag 5 s later against that without loss, or against the least that a view at 1.5 of real speed can have where that is more", Unit: factors, Limit: 1.1},
			{Lane: tandem, What: "lag 5 s later against that without loss, whatever the stream", Unit: factors, Compare: true},
			{Lane: tandem, What: "time until it is below 1.1 times that", Unit: conformance.Seconds, Compare: true},
		},
		run: func(seed uint64) []float64 {
			got := watch(seed, n, "M1", calm+60*time.Second, tandem, naive)
			least := time.Duration(0) // lag that a view can have then
			for _, f := range got[1].pictures {
				if f.now < later { // the second lane shows the newest sample
					least = max(least, f.lag()-100*ms-(later-f.now)/2)
				}
			}
			normal := watch(seed, quiet, "M1", 30*time.Second, tandem)[0].lag(10*time.Second, 30*time.Second)
			over := time.Duration(0)
			for _, f := range got[0].pictures {
				if f.now > calm && float64(f.lag()) > 1.1*float64(normal) {
					over = f.now - calm
				}
			}
			at5 := got[0].lag(later, later+100*ms).Seconds()
			return []float64{at5 / max(normal, least).Seconds(), at5 / normal.Seconds(), over.Seconds()}
		},
	}
}

// extrapolation returns the case of a burst of losses. A body continues for 100 ms at most and then
// stands.
func extrapolation() special {
	return special{
		number: "7", condition: bursts.Name + ", M1",
		bounds: []bound{
			{Lane: tandem, What: "view beyond the newest sample", Unit: conformance.Millis, Limit: 0.1},
			{Lane: tandem, What: "steps in which the view runs back", Unit: conformance.Counts},
		},
		run: func(seed uint64) []float64 {
			got := watch(seed, bursts, "M1", short, tandem)[0]
			back, last := 0, time.Duration(0)
			for _, s := range got.steps {
				if s.view < last {
					back++
				}
				last = s.view
			}
			return []float64{got.extrapolated().Seconds(), float64(back)}
		},
	}
}

// duplicates returns the case in which every third packet arrives twice. The picture must be equal
// to the bit.
func duplicates() special {
	const what = "frames that differ by any bit"
	return special{
		number: "10", condition: "base with 5 % loss, with and without 30 % duplicates, M3",
		bounds: []bound{{Lane: tandem, What: what, Unit: conformance.Counts}, {Lane: mirror, What: what, Unit: conformance.Counts}},
		run: func(seed uint64) []float64 {
			n := base
			n.Down.Loss, n.Up.Loss = 0.05, 0.05
			first := watch(seed, n, "M3", 60*time.Second, tandem, mirror)
			// downwards only, since a ping that arrives twice would be answered twice
			n.Down.Duplicate = 0.3
			second := watch(seed, n, "M3", 60*time.Second, tandem, mirror)
			return []float64{differences(&first[0], &second[0]), differences(&first[1], &second[1])}
		},
	}
}

// epochs returns the case of a client clock that starts an hour off, which must have no effect.
func epochs() special {
	return special{
		number: "15", condition: seeds.Name + ", M3, client's clock an hour ahead or behind",
		bounds: []bound{{Lane: tandem, What: "frames that differ by any bit", Unit: conformance.Counts}},
		run: func(seed uint64) []float64 {
			off := func(epoch time.Duration) *recording {
				n := seeds
				n.Epoch = epoch
				return &watch(seed, n, "M3", 60*time.Second, tandem)[0]
			}
			good := off(0)
			return []float64{differences(good, off(time.Hour)) + differences(good, off(-time.Hour))}
		},
	}
}

// hierarchy returns the case of a spinning child on a turning parent. Both are sampled at one view
// time, and local poses are blended.
func hierarchy() special {
	return special{
		number: "21", condition: base.Name + ", M8",
		bounds: []bound{
			{Lane: tandem, What: "steps in which the two are shown of different times", Unit: conformance.Counts},
			{Lane: tandem, What: "child's error in the world", Unit: conformance.Metres, Limit: 0.01},
			{Lane: tandem, What: "child's rotation in the world", Unit: degrees, Limit: 5},
		},
		run: func(seed uint64) []float64 {
			m := runLanes(runSpec{Network: base, Motion: conformance.MotionNamed("M8"), Lanes: lanes(tandem), Length: short, Seed: seed}).Lanes[0]
			return []float64{float64(m.Torn), m.ErrorMax, m.TurnMax}
		},
	}
}
