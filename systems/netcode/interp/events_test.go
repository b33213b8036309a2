package interp

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// With zero, one or two commands per tick at the server, the samples stutter. The speed over three
// updates is even.
func TestEventBufferEvensOutCommands(t *testing.T) {
	roughness := func(k Kind) float64 {
		it := New(k, Config{Interval: 50 * ms})
		var last, before float32
		var sum float64
		n := 0
		for i := range 200 {
			s := at(time.Duration(i) * 50 * ms)
			s.Position[0] = float32((i+i%2)/2*2) * 0.3 // two commands in one tick, none in the next
			it.Push(s.Time, s)
			for f := range 3 {
				now := s.Time + time.Duration(f)*50*ms/3
				st, _ := it.At(now, now-150*ms)
				if i > 10 {
					d := float64(st.Position[0] - 2*last + before)
					sum += d * d
					n++
				}
				before, last = last, st.Position[0]
			}
		}
		return math.Sqrt(sum / float64(n))
	}
	if e, l := roughness(EventBuffer), roughness(Linear); e > l/2 {
		t.Errorf("roughness %.4f with events, %.4f with the plain buffer: want less than half", e, l)
	}
}

// 20 updates are kept, as in the article.
func TestEventBufferIsBounded(t *testing.T) {
	e := New(EventBuffer, Config{}).(*events)
	for i := range 100 {
		s := at(time.Duration(i) * 33 * ms)
		s.Position = mgl32.Vec3{float32(i), 0, 0}
		e.Push(0, s)
	}
	if e.buf.Len() != 20 || e.buf.At(0).Position[0] != 80 {
		t.Errorf("keeps %d from %v on, want 20 from 80 on", e.buf.Len(), e.buf.At(0).Position[0])
	}
}
