package ecs_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
)

func TestConfigErrors(t *testing.T) {
	clock := func() time.Duration { return 0 }
	for _, test := range []struct {
		c    ecs.Config
		want string
	}{
		{ecs.Config{FixedRate: -1}, "outside 1 to 1000"},
		{ecs.Config{FixedRate: 1001}, "outside 1 to 1000"},
		{ecs.Config{Scale: -1}, "outside 0 to 1000"},
		{ecs.Config{Scale: math.NaN()}, "outside 0 to 1000"},
		{ecs.Config{MaxSteps: -1}, "MaxSteps is -1"},
		{ecs.Config{MaxDelta: -1}, "MaxDelta is -1ns"},
		{ecs.Config{MaxDelta: 25 * time.Hour}, "MaxDelta is 25h"},
		{ecs.Config{AdaptiveRates: []int{60}}, "StepClock"},
		{ecs.Config{AdaptiveRates: []int{60, 0}, StepClock: clock}, "outside 1 to 1000"},
		{ecs.Config{FixedRate: 50, AdaptiveRates: []int{60, 30}, StepClock: clock}, "none of the adaptive rates"},
	} {
		if _, err := ecs.New(test.c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("New(%+v) = %v, want an error about %q", test.c, err, test.want)
		}
	}
	e := newEngine(t, ecs.Config{AdaptiveRates: []int{15, 60, 30, 30}, StepClock: clock})
	if r := e.Time().Rate; r != 60 {
		t.Errorf("adaptive rates start at %d Hz, want the highest", r)
	}
}
