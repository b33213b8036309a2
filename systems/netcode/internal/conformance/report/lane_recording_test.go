package report

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// recording is what one lane showed in a run.
type recording struct {
	measures
	pictures []picture
	steps    []recordedStep
}

// picture is the picture of one frame.
type picture struct {
	now, claim time.Duration // of the server
	drawn      mgl64.Vec3
}

// recordedStep is the view at the end of a fixed step.
type recordedStep struct{ at, view, extrapolated time.Duration }

// lag returns how far behind the server the picture is.
func (f picture) lag() time.Duration { return f.now - f.claim }

// watch runs a motion over a network and returns what the lanes show.
func watch(seed uint64, n network, id string, length time.Duration, names ...string) []recording {
	list := make([]recording, len(names))
	result := runLanes(runSpec{
		Network: n, Motion: conformance.MotionNamed(id), Lanes: lanes(names...), Length: length, Seed: seed,
		Watch: func(lane int, f *laneFrame) {
			list[lane].pictures = append(list[lane].pictures, picture{f.Now, f.Claim, f.Drawn})
		},
		Step: func(lane int, at, view time.Duration, info *interp.Info) {
			list[lane].steps = append(list[lane].steps, recordedStep{at, view, info.Extrapolated})
		},
	})
	for i := range list {
		list[i].measures = result.Lanes[i]
	}
	return list
}

// lag returns the median of the lags from one instant to another.
func (r *recording) lag(from, to time.Duration) time.Duration {
	var lags []time.Duration
	for _, f := range r.pictures {
		if f.now >= from && f.now < to {
			lags = append(lags, f.lag())
		}
	}
	return conformance.Percentile(lags, 0.5)
}

// settled returns how long after an instant the lag last differed from its final value by a
// tolerance or more.
func (r *recording) settled(after, final, tolerance time.Duration) time.Duration {
	last := after
	for _, f := range r.pictures {
		if f.now > after && (f.lag()-final).Abs() >= tolerance {
			last = f.now
		}
	}
	return last - after
}

// extrapolated returns how far the view ran beyond the newest sample at most.
func (r *recording) extrapolated() (most time.Duration) {
	for _, s := range r.steps {
		most = max(most, s.extrapolated)
	}
	return most
}

// offSpeed returns how far the speed of the view was off 1 at most.
func (r *recording) offSpeed() float64 { return max(1-r.RateMin, r.RateMax-1) }

// differences returns the number of frames that differ between two recordings by any bit.
func differences(a, b *recording) float64 {
	count := max(len(a.pictures), len(b.pictures)) - min(len(a.pictures), len(b.pictures))
	for i := range min(len(a.pictures), len(b.pictures)) {
		if a.pictures[i] != b.pictures[i] {
			count++
		}
	}
	return float64(count)
}
