package scene

import (
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// Trail records where a body was drawn, like a stroboscopic photograph: one mark per interval of
// normal time, always at a frame.
//
// Marks of a smooth motion are evenly spaced; marks of a motion drawn in steps pile up. A still
// picture shows it, too.
type Trail struct {
	every time.Duration // zero: every frame in which normal time advances
	keep  time.Duration
	marks []Mark        // from the oldest, at most as many as there is room for
	since time.Duration // the last mark
}

// Mark is a place and the normal time at which the body was drawn there.
type Mark struct {
	At    time.Duration
	Place mgl32.Vec3
}

// NewTrail returns a trail of at most size marks, each shown for keep of normal time.
func NewTrail(every, keep time.Duration, size int) *Trail {
	return &Trail{every: every, keep: keep, marks: make([]Mark, 0, size), since: every}
}

// Add records the place drawn at a normal time, if a mark is due; delta is the advance of normal
// time. Call it once per frame.
//
// A mark is due in the frame nearest to its time. So at a steady frame rate marks are a whole
// number of frames apart.
func (t *Trail) Add(now, delta time.Duration, place mgl32.Vec3) {
	t.since += delta
	if delta <= 0 && len(t.marks) > 0 || t.since < t.every-delta/2 {
		return
	}
	t.since = 0
	if len(t.marks) == cap(t.marks) {
		t.marks = slices.Delete(t.marks, 0, 1)
	}
	t.marks = append(t.marks, Mark{now, place})
}

// Each calls f for every mark that is still shown, oldest first, with its age as a share of its
// lifetime, 0 to 1.
func (t *Trail) Each(now time.Duration, f func(m Mark, age float32)) {
	for _, m := range t.marks {
		if age := now - m.At; age <= t.keep {
			f(m, float32(float64(max(age, 0))/float64(t.keep)))
		}
	}
}
