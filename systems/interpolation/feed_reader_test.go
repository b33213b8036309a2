package interpolation_test

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// reader keeps the samples of entities by the reports of a feed alone. If a report says that motion
// continues, it uses the samples that it has.
type reader struct {
	t          failer
	ways       map[arche.Entity]interpolation.Samples[components.Pose3D]
	inStep     map[arche.Entity]bool // told by Moved of the newest step
	start, end time.Duration
	feed       *interpolation.Feed[components.Pose3D]
	moved      int // told by Moved, in all
	changed    int // told by Changed
	continued  int
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func (h *reader) Step(start, end time.Duration) {
	h.start, h.end = start, end
	for e := range h.inStep { // unless something else is said, they have arrived
		w := h.ways[e]
		w.From = w.To
		h.ways[e] = w
	}
	clear(h.inStep)
}

func (h *reader) Moved(rows *interpolation.Rows[components.Pose3D]) {
	if rows.Len() == 0 {
		h.t.Fatalf("a table was reported in which no row moves")
	}
	for k := range rows.Len() {
		r := rows.Row(k)
		e := rows.Owner(r)
		from := rows.From[r]
		h.moved++
		// Somebody who is new to the listener asks for the motion anyway.
		if w, known := h.ways[e]; known && rows.Continues {
			from = w.To
			h.continued++
		}
		h.ways[e] = interpolation.Samples[components.Pose3D]{From: from, To: rows.To[r], Start: h.start, End: h.end}
		h.inStep[e] = true
	}
}

func (h *reader) Changed(e arche.Entity, m *interpolation.Samples[components.Pose3D]) {
	h.changed++
	h.ways[e] = *m
	delete(h.inStep, e)
	if m.Start == h.start && m.End == h.end && m.From != m.To {
		h.inStep[e] = true
	}
}

func (h *reader) at(e arche.Entity, now time.Duration) components.Pose3D {
	w := h.ways[e]
	if now >= w.End || w.End <= w.Start {
		return w.To
	}
	return components.Blend3D(w.From, w.To, float32(float64(max(0, now-w.Start))/float64(w.End-w.Start)))
}

func newReader(t failer, w *arche.World, ip *interpolation.Interpolator[components.Pose3D]) *reader {
	h := &reader{t: t, ways: map[arche.Entity]interpolation.Samples[components.Pose3D]{}, inStep: map[arche.Entity]bool{}}
	h.feed = subscribeGPU(w, ip, func(start, end time.Duration) { h.Step(start, end) }, func(r *interpolation.Rows[components.Pose3D]) { h.Moved(r) },
		func(e arche.Entity, m *interpolation.Samples[components.Pose3D]) { h.Changed(e, m) })
	return h
}

// subscribeGPU subscribes to what a renderer needs that blends on the graphics processor.
func subscribeGPU(w *arche.World, ip *interpolation.Interpolator[components.Pose3D], step func(start, end time.Duration),
	moved func(*interpolation.Rows[components.Pose3D]), changed func(arche.Entity, *interpolation.Samples[components.Pose3D])) *interpolation.Feed[components.Pose3D] {
	gpu, parent := arche.ComponentID[components.InterpolateOnGPU](w), arche.ComponentID[components.Parent](w)
	var m interpolation.Samples[components.Pose3D]
	return ip.Subscribe(interpolation.Events[components.Pose3D]{
		Step: step,
		Moved: func(r *interpolation.Rows[components.Pose3D]) {
			if r.OnGPU && !r.OwnTimes {
				moved(r)
			}
		},
		Changed: func(e arche.Entity) {
			if !w.Has(e, gpu) || w.Has(e, parent) {
				return
			}
			var ok bool
			if m, ok = ip.Shown(e); ok {
				changed(e, &m)
			}
		},
	})
}

// eachMotion returns a function that reports the samples of every entity whose motion has changed
// since its last call: those in motion over a new step, those that have come to rest in it, and
// those that the feed reports one by one.
func eachMotion(w *arche.World, ip *interpolation.Interpolator[components.Pose3D], f func(e arche.Entity, m *interpolation.Samples[components.Pose3D])) func() {
	before, now := map[arche.Entity]bool{}, map[arche.Entity]bool{}
	stepped := false
	shown := func(e arche.Entity) {
		if m, ok := ip.Shown(e); ok {
			f(e, &m)
		}
	}
	feed := subscribeGPU(w, ip,
		func(time.Duration, time.Duration) { stepped = true },
		func(r *interpolation.Rows[components.Pose3D]) {
			for k := range r.Len() {
				e := r.Owner(r.Row(k))
				now[e] = true
				shown(e)
			}
		}, func(e arche.Entity, m *interpolation.Samples[components.Pose3D]) {
			delete(before, e)
			f(e, m)
		})
	return func() {
		feed.Deliver()
		if !stepped {
			return
		}
		for e := range before {
			if !now[e] && w.Alive(e) {
				shown(e)
			}
		}
		clear(before)
		before, now, stepped = now, before, false
	}
}
