package interp

import (
	"testing"
	"time"
)

// The bounded chase reaches its target, and its lag is bounded by its pull.
func TestChase(t *testing.T) {
	it := New(Chase, Config{Speed: 6})
	s := at(0)
	it.Push(0, s)
	it.At(0, 0)
	s.Time, s.Position[0] = 33*ms, 0.25
	it.Push(0, s)
	for i := range 300 {
		if st, _ := it.At(time.Duration(i)*step, 0); i > 60 && st.Position[0] != 0.25 {
			t.Errorf("the bounded chase is at %v, want exactly 0.25", st.Position[0])
		}
	}

	it = New(Chase, Config{Speed: 5}) // the body's is 6
	var behind float64
	for now := time.Duration(0); now < 60*time.Second; now += step {
		if now%(2*step) == 0 {
			it.Push(now, path(straight).sample(now))
		}
		s, _ := it.At(now, now)
		behind = 6*now.Seconds() - float64(s.Position[0])
	}
	if behind > 1 {
		t.Errorf("bounded %v m behind after a minute", behind)
	}
}

func TestChaseJumpsWhenItIsTooFar(t *testing.T) {
	it := New(Chase, Config{Speed: 6})
	s := at(0)
	it.Push(0, s)
	it.At(0, 0)
	s.Time, s.Position[0] = time.Second, 500
	it.Push(0, s)
	st, info := it.At(step, 0)
	if st.Position[0] != 500 || !info.Discontinuity {
		t.Errorf("500 m away: at %v, jump %v", st.Position[0], info.Discontinuity)
	}
}
