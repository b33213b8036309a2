package report

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// scene is an interval of one run that is plotted on the page.
type scene struct {
	title, text string
	network     network
	motion      string
	lanes       []string
	length      time.Duration
	seed        uint64
	// plotted; with from zero: to is the width, around the first lane's greatest error (of all
	// seeds, if none is given)
	from, to time.Duration
	axis     int // of the position
	charts   []chartKind
}

// chartKind is a quantity over time.
type chartKind uint8

const (
	positionChart chartKind = iota
	errorChart
	speedChart
	lagChart
)

var chartNames = [...]struct{ name, unit string }{
	positionChart: {"position", "m"},
	errorChart:    {"error", "m"},
	speedChart:    {"drawn speed", "m/s"},
	lagChart:      {"lag", "ms"},
}

func scenes() []scene {
	motionCharts := []chartKind{positionChart, errorChart, speedChart}
	longer := scripted(base, "", linksim.Event{Kind: linksim.Route, At: route, By: 100 * ms}, linksim.Event{Kind: linksim.Route, At: route + 20*time.Second, By: -100 * ms})
	calm := ordered
	calm.Calm = 40 * time.Second
	return []scene{
		{
			title: "A runner turns round between two snapshots",
			text: "10 snapshots a second, no loss. The default finds the turn where the tangents of both snapshots meet. A straight line cuts the corner, a cubic rounds it, and " +
				"both slow down and speed up on the way.",
			network: at10(base), motion: "M3", lanes: []string{tandem, linear, hermite}, length: 30 * time.Second, seed: 3,
			from: 10 * time.Second, to: 12500 * ms, charts: motionCharts,
		},
		{
			title:   "A ball bounces",
			text:    "10 snapshots a second. Gravity is taken from the snapshots before and after; the bounce is found between them.",
			network: at10(base), motion: "M4", lanes: []string{tandem, linear, hermite}, length: 30 * time.Second, seed: 2,
			from: 10 * time.Second, to: 12500 * ms, axis: 1, charts: motionCharts,
		},
		{
			title:   "The seeds' network at the default's worst moment",
			text:    "200 ms ± 10 % of round trip and 15 % loss, 30 snapshots a second, strafing: the two and a half seconds around the greatest error in all the runs, of five minutes each.",
			network: seeds, motion: "M3", lanes: []string{tandem, mirror, naive}, length: long,
			to: 2500 * ms, charts: motionCharts,
		},
		{
			title:   "The platformer article's own code on the same network",
			text:    "Updates are counted, so each lost one shifts its clock by an interval for good. Soon there is nothing to interpolate to.",
			network: seeds, motion: "M3", lanes: []string{tandem, log5}, length: 40 * time.Second, seed: 1,
			from: 20 * time.Second, to: 22500 * ms, charts: motionCharts,
		},
		{
			title: "Predicting the present: a steady curve",
			text: "A circle at 20 m/s, 10 snapshots a second, 15 % loss. Nothing is delayed, and every packet corrects a mistake. Racer's straight paths cut the curve; the kinds " +
				"that carry the acceleration of the last three packets on come much closer.",
			network: at10(seeds), motion: "M2", lanes: []string{racerLinear, racerSpline, projectiveBlend, offsetDecay}, length: 60 * time.Second, seed: 1,
			from: 20 * time.Second, to: 23 * time.Second, charts: []chartKind{errorChart, speedChart},
		},
		{
			title: "Predicting the present: a runner who changes his mind",
			text: "The same network, strafing at 6 m/s. Nobody can predict a turn: all of them run on until they hear of it, and differ in how they take it back. Offset decay is the " +
				"smoothest and the slowest. Compare the error with the first plots: that is the price of showing the present.",
			network: at10(seeds), motion: "M3", lanes: []string{racerLinear, racerSpline, projectiveBlend, offsetDecay}, length: 60 * time.Second, seed: 1,
			from: 20 * time.Second, to: 23 * time.Second, charts: motionCharts,
		},
		{
			title: "Bursts of loss",
			text: "On average eight packets in a row are lost. The view waits 100 ms past the last snapshot and catches up at up to 1.5 of real speed; a view that runs on has to glide " +
				"over the gap; Mirror holds and jumps.",
			network: bursts, motion: "M1", lanes: []string{tandem, onView, mirror}, length: 30 * time.Second, seed: 4,
			to: 5 * time.Second, charts: []chartKind{errorChart, speedChart, lagChart},
		},
		{
			title:   "The way becomes 100 ms longer, and shorter again",
			text:    "At 60 s and at 80 s. A longer delay is taken at once, at 0.9 of real speed; a shorter one at 1.1. Log #5, here at 30 updates a second, gives way by 3 ms a second, by 1 ms at its own ten.",
			network: longer, motion: "M1", lanes: []string{tandem, mirror, log5}, length: 105 * time.Second, seed: 1,
			from: 57 * time.Second, to: 100 * time.Second, charts: []chartKind{lagChart, speedChart},
		},
		{
			title:   "A clock that runs 2000 ppm fast",
			text:    "10 snapshots a second, which Log #5's constants are for: it gives way by 1 ms a second, the clocks part by 2.",
			network: drifting(at10(base), "", 2000), motion: "M1", lanes: []string{tandem, mirror, log5}, length: 120 * time.Second, seed: 1,
			from: 5 * time.Second, to: 115 * time.Second, charts: []chartKind{lagChart},
		},
		{
			title:   "An ordered stream with 15 % loss, which ends at 40 s",
			text:    "Every loss is a stall of 200 ms and more (as over TCP). The view waits for most of it. A second or two after the last stall it believes that they are over, and makes up for the rest at up to 1.5 of real speed.",
			network: calm, motion: "M1", lanes: []string{tandem, mirror, log5}, length: 85 * time.Second, seed: 1,
			from: 10 * time.Second, to: 80 * time.Second, charts: []chartKind{lagChart, errorChart},
		},
	}
}

// track is the path of one lane in a scene.
type track struct {
	name   string
	at     []float64 // seconds
	values [4][]float64
}

// record runs the scene and returns its tracks, the truth last.
func (s *scene) record() (tracks []track, from, to time.Duration) {
	spec := runSpec{Network: s.network, Motion: conformance.MotionNamed(s.motion), Lanes: lanes(s.lanes...), Length: s.length, Seed: s.seed}
	from, to = s.from, s.to
	if from == 0 {
		seeds := []uint64{s.seed}
		if s.seed == 0 {
			seeds = seeds[:0]
			for i := range uint64(laneSeeds) {
				seeds = append(seeds, i+1)
			}
		}
		find := spec
		find.Lanes = find.Lanes[:1]
		worst := 0.0
		for _, seed := range seeds {
			find.Seed = seed
			find.Watch = func(_ int, f *laneFrame) {
				if off := f.Drawn.Sub(f.Truth.Position).Len(); off > worst && f.Now < s.length-s.to {
					worst, from, spec.Seed = off, f.Now, seed
				}
			}
			runLanes(find)
		}
		from = max(from-s.to/2, warmUp)
		to = from + s.to
	}
	tracks = make([]track, len(s.lanes)+1)
	for i, name := range s.lanes {
		tracks[i].name = name
	}
	truth := &tracks[len(s.lanes)]
	truth.name = "truth"
	last := make([]laneFrame, len(s.lanes))
	spec.Watch = func(lane int, f *laneFrame) {
		before := last[lane]
		last[lane] = *f
		if f.Now < from || f.Now > to || before.Now == 0 {
			return
		}
		dt := (f.Now - before.Now).Seconds()
		t := &tracks[lane]
		t.at = append(t.at, f.Now.Seconds())
		add := func(k chartKind, v float64) { t.values[k] = append(t.values[k], v) }
		add(positionChart, f.Drawn[s.axis])
		add(errorChart, f.Drawn.Sub(f.Truth.Position).Len())
		add(speedChart, f.Drawn.Sub(before.Drawn).Len()/dt)
		add(lagChart, (f.Now-f.Claim).Seconds()*1000)
	}
	spec.Truth = func(now time.Duration, t conformance.Truth) {
		if now >= from && now <= to {
			truth.at = append(truth.at, now.Seconds())
			truth.values[positionChart] = append(truth.values[positionChart], t.Position[s.axis])
			truth.values[speedChart] = append(truth.values[speedChart], t.Velocity.Len())
		}
	}
	runLanes(spec)
	return tracks, from, to
}
