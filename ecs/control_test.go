package ecs_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
)

func TestStretch(t *testing.T) {
	e := newEngine(t, ecs.Config{Scale: 0.5})
	if err := e.SetStretch(1.05); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		e.Update(10_000_001)
	}
	const want time.Duration = 1000 * 10_000_001 * 525 / 1000
	if now := e.Time(); now.Normal != want {
		t.Errorf("normal %d, want %d", now.Normal, want)
	}
	for _, bad := range []float64{0.9499, 1.0501, math.NaN(), math.Inf(1), 0, -1} {
		if err := e.SetStretch(bad); err == nil || e.Time().Stretch != 1.05 {
			t.Errorf("SetStretch(%v) = %v, stretch %v", bad, err, e.Time().Stretch)
		}
	}
}

// Cases 18, 19 and 20.
func TestPauseAndSingleStep(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	e.Update(20 * time.Millisecond)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.RequestStep()) // not paused: nothing
	e.Update(time.Millisecond)
	if now := e.Time(); now.Normal != 21*time.Millisecond || now.Steps != 0 {
		t.Fatalf("Step while running moved normal to %v in %d steps", now.Normal, now.Steps)
	}
	must(e.SetScale(0))
	must(e.SetScale(1))
	e.Update(time.Millisecond)
	if now := e.Time(); now.Normal != 22*time.Millisecond {
		t.Fatalf("a pause within one frame was seen: normal %v", now.Normal)
	}
	must(e.SetScale(0))
	for range 600 {
		e.Update(16 * time.Millisecond)
		if now := e.Time(); now.Steps != 0 || now.Normal != 22*time.Millisecond || now.NormalDelta != 0 {
			t.Fatalf("paused, but normal %v, %d steps", now.Normal, now.Steps)
		}
	}
	must(e.RequestStep())
	must(e.RequestStep()) // calls do not add up
	e.Update(16 * time.Millisecond)
	if now := e.Time(); now.Steps != 1 || now.Tick != 3 || now.Normal != now.Fixed-1 || now.NormalDelta != now.Normal-22*time.Millisecond {
		t.Fatalf("a single step: %d steps, tick %d, normal %v, fixed %v, delta %v", now.Steps, now.Tick, now.Normal, now.Fixed, now.NormalDelta)
	}
	e.Update(16 * time.Millisecond)
	if now := e.Time(); now.Steps != 0 {
		t.Fatalf("the single step was repeated")
	}
	must(e.RequestStep())
	must(e.SetScale(1)) // running again before it came to it
	before := e.Time().Normal
	e.Update(time.Millisecond)
	if now := e.Time(); now.Normal != before+time.Millisecond {
		t.Fatalf("a forgotten single step moved normal by %v", now.Normal-before)
	}

	e = newEngine(t, ecs.Config{})
	must(e.SetScale(0))
	must(e.RequestStep())
	e.Update(0)
	if now := e.Time(); now.Steps != 1 || now.Normal != edge(1, 60)-1 {
		t.Fatalf("a single step before the first Update: %d steps, normal %v", now.Steps, now.Normal)
	}
}

func TestBadSettingsChangeNothing(t *testing.T) {
	e := newEngine(t, ecs.Config{Scale: 2, FixedRate: 30})
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1000.1, 1e-9} {
		if err := e.SetScale(bad); err == nil || e.Time().Scale != 2 {
			t.Errorf("SetScale(%v) = %v, scale %v", bad, err, e.Time().Scale)
		}
	}
	for _, bad := range []int{0, -1, 1001} {
		if err := e.SetRate(bad); err == nil || e.Time().Rate != 30 {
			t.Errorf("SetRate(%v) = %v, rate %v", bad, err, e.Time().Rate)
		}
	}
	for _, good := range []float64{0, 1e-6, 1000} {
		if err := e.SetScale(good); err != nil || e.Time().Scale != good {
			t.Errorf("SetScale(%v) = %v, scale %v", good, err, e.Time().Scale)
		}
	}
}

func TestHoldClock(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	if _, err := e.HoldClock(""); err == nil {
		t.Error("the clock was held by nobody")
	}
	_ = e.SetScale(0.5)
	if _, err := e.HoldClock("client"); err == nil || !strings.Contains(err.Error(), "0.5") {
		t.Errorf("holding a slowed clock = %v", err)
	}
	_ = e.SetScale(1)
	release, err := e.HoldClock("client of 127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"SetScale": e.SetScale(0.5), "pause": e.SetScale(0), "SetRate": e.SetRate(30), "RequestStep": e.RequestStep(),
		"HoldClock": func() error { _, err := e.HoldClock("other"); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "client of 127.0.0.1") {
			t.Errorf("%s of a held clock = %v, want an error that names the holder", name, err)
		}
	}
	if err := e.SetScale(1); err != nil {
		t.Errorf("SetScale(1) of a held clock = %v", err)
	}
	if err := e.SetStretch(1.01); err != nil {
		t.Errorf("SetStretch of a held clock = %v", err)
	}
	release()
	release()
	if err := e.SetRate(30); err != nil {
		t.Errorf("SetRate after release = %v", err)
	}
	again, err := e.HoldClock("second")
	if err != nil {
		t.Fatal(err)
	}
	release() // stale: must not free the second holder's
	if err := e.SetRate(60); err == nil {
		t.Error("an old release freed another holder's clock")
	}
	again()

	a := newEngine(t, ecs.Config{AdaptiveRates: []int{60, 30}, StepClock: func() time.Duration { return 0 }})
	if _, err := a.HoldClock("client"); err == nil {
		t.Error("a clock with adaptive rates was held")
	}
}
