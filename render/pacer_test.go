package render

import (
	"testing"
	"time"
)

func TestPacerKeepsTheRateInSpiteOfLateSleeps(t *testing.T) {
	var p Pacer
	now := 5 * time.Second
	p.Wait(now, 60) // the first frame sets the beat
	start := now
	const frames = 600
	for i := 0; i < frames; i++ {
		now += 2 * time.Millisecond // drawing
		d := p.Wait(now, 60)
		if d <= 0 || d > time.Second/60 {
			t.Fatalf("frame %d: sleep of %v", i, d)
		}
		now += d + 500*time.Microsecond // sleeping too long
	}
	if got, want := now-start, frames*time.Second/60; got < want || got > want+2*time.Millisecond {
		t.Errorf("%d frames took %v, want %v", frames, got, want)
	}
}

func TestPacerDoesNotMakeUpForPauses(t *testing.T) {
	var p Pacer
	now := time.Duration(0)
	for i := 0; i < 10; i++ {
		now += p.Wait(now, 100)
	}
	now += 3 * time.Second
	if d := p.Wait(now, 100); d != 0 {
		t.Errorf("first frame after a pause waits %v", d)
	}
	if d := p.Wait(now, 100); d != 10*time.Millisecond {
		t.Errorf("second frame after a pause waits %v, want 10ms", d)
	}
	if d := p.Wait(now, 0); d != 0 {
		t.Errorf("without a limit: waits %v", d)
	}
	if d := p.Wait(now, 20); d != 50*time.Millisecond {
		t.Errorf("a lower rate: waits %v, want 50ms", d)
	}
	if d := p.Wait(now, 1000); d != 0 {
		t.Errorf("a far higher rate: waits %v, want 0 and a new beat", d)
	}
	if d := p.Wait(now, 1000); d != time.Millisecond {
		t.Errorf("a higher rate: waits %v, want 1ms", d)
	}
}
