package interp

import (
	"testing"
	"time"
)

func TestNothingIsAllocatedPerSampleOrState(t *testing.T) {
	for _, k := range Kinds() {
		it := New(k, Config{})
		now := time.Duration(0)
		turn := func() {
			it.Push(now, path(circle).sample(now))
			it.Push(now, path(circle).sample(now-50*ms))
			for range 2 {
				it.At(now, now-100*ms)
				now += step
			}
		}
		for range 100 {
			turn()
		}
		if n := testing.AllocsPerRun(1000, turn); n != 0 {
			t.Errorf("%v allocates %v times per sample", k, n)
		}
	}
}

func TestPlaybackDoesNotAllocate(t *testing.T) {
	p := NewPlayback(DelayConfig{})
	now := time.Duration(0)
	var number uint16
	turn := func() {
		number++
		if number%7 != 0 {
			p.Arrive(now, now-100*ms, number)
		}
		p.Update(now)
		p.View(now)
		now += step
	}
	if n := testing.AllocsPerRun(2000, turn); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

func BenchmarkAt(b *testing.B) {
	for _, k := range Kinds() {
		b.Run(k.String(), func(b *testing.B) {
			it := New(k, Config{})
			for i := range 10 {
				it.Push(0, path(circle).sample(time.Duration(i)*33*ms))
			}
			now := 50 * ms
			for b.Loop() {
				it.At(now, now)
				if now += 100 * time.Microsecond; now > 250*ms {
					now = 50 * ms
				}
			}
		})
	}
}

func BenchmarkPush(b *testing.B) {
	it := New(Default, Config{})
	now := time.Duration(0)
	s := path(circle).sample(0)
	for b.Loop() {
		s.Time = now
		it.Push(now, s)
		it.At(now, now-100*ms)
		now += 33 * ms
	}
}
