package ecs

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// Config holds the settings of an engine. The zero value is valid: 60 steps per second in a new
// world.
type Config struct {
	// FixedRate is the number of fixed steps per second of normal time, 1 to 1000. Zero means 60,
	// or the highest of AdaptiveRates.
	FixedRate int
	// Scale is the speed of normal time relative to real time, above 0 to 1000. Zero means 1: an
	// engine starts paused by SetScale(0) before the first Update.
	Scale float64
	// MaxSteps bounds the fixed steps of one Update. Zero means 8.
	//
	// Further steps that are due are dropped, so that the world runs slower instead of freezing. It
	// is one half of the policy against the spiral of death (steps that take longer than the time
	// they simulate). Nothing is dropped as long as frames per second >= FixedRate * Scale /
	// MaxSteps.
	MaxSteps int
	// MaxDelta bounds the real time that one Update takes in, the other half of the policy: after a
	// stall, a breakpoint or a suspended machine the rest is dropped. Zero means 250 ms; at most a
	// day.
	MaxDelta time.Duration
	// AdaptiveRates, when not empty, lets the engine lower the fixed rate to the next of these
	// (each 1 to 1000) when fixed steps cost more time than they simulate, and raise it again when
	// they are cheap. It follows the measured cost of the steps with hysteresis, never the frame
	// time, which would make the simulation depend on the display. Not for networked worlds, whose
	// rate is shared. FixedRate must be one of them or zero. A call of SetRate with another rate
	// switches this off, until a call with one of them.
	AdaptiveRates []int
	// StepClock reads a clock that runs on while the processor works; AdaptiveRates need one. Any
	// origin will do.
	StepClock func() time.Duration
	// World is the arche world to work on; nil means a new one. A world belongs to one engine.
	World *arche.World
	// Log receives advice when something is missing, such as the interpolator of values that are to
	// be drawn. Nil means slog.Default(). A name tells the lines of several engines in a
	// program apart:
	//
	//	ecs.Config{Log: slog.With("engine", "server")}
	Log *slog.Logger
}

// Limits of Config and of the setters.
const (
	MinRate  = 1    // fixed steps per second
	MaxRate  = 1000 // fixed steps per second
	MaxScale = 1000 // normal seconds per real second
	// MinStretch and MaxStretch bound the second factor; see [Engine.SetStretch].
	MinStretch = 0.95
	MaxStretch = 1.05
)

const (
	defaultRate     = 60
	defaultMaxSteps = 8
	defaultMaxDelta = 250 * time.Millisecond
	maxMaxDelta     = 24 * time.Hour // times MaxScale it still fits a Duration
)

// withDefaults returns the configuration with zeros replaced, or every error in it.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	c.AdaptiveRates = slices.Clone(c.AdaptiveRates)
	slices.SortFunc(c.AdaptiveRates, func(a, b int) int { return b - a })
	c.AdaptiveRates = slices.Compact(c.AdaptiveRates)
	for _, rate := range c.AdaptiveRates {
		if checkRate(rate) != nil {
			errs = append(errs, fmt.Errorf("ecs: an adaptive rate of %d Hz is outside %d to %d Hz", rate, MinRate, MaxRate))
		}
	}
	if len(c.AdaptiveRates) > 0 && c.StepClock == nil {
		errs = append(errs, errors.New("ecs: AdaptiveRates need a StepClock to measure the cost of a step; set Config.StepClock"))
	}
	if c.FixedRate == 0 {
		c.FixedRate = defaultRate
		if len(c.AdaptiveRates) > 0 {
			c.FixedRate = c.AdaptiveRates[0]
		}
	} else if len(c.AdaptiveRates) > 0 && !slices.Contains(c.AdaptiveRates, c.FixedRate) {
		errs = append(errs, fmt.Errorf("ecs: a fixed rate of %d Hz is none of the adaptive rates %v; add it to them", c.FixedRate, c.AdaptiveRates))
	}
	errs = append(errs, checkRate(c.FixedRate))
	if c.Scale == 0 {
		c.Scale = 1
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	_, err := toMillionths(c.Scale)
	errs = append(errs, err)
	switch {
	case c.MaxSteps == 0:
		c.MaxSteps = defaultMaxSteps
	case c.MaxSteps < 0:
		errs = append(errs, fmt.Errorf("ecs: MaxSteps is %d; it must be positive, or zero for %d", c.MaxSteps, defaultMaxSteps))
	}
	switch {
	case c.MaxDelta == 0:
		c.MaxDelta = defaultMaxDelta
	case c.MaxDelta < 0 || c.MaxDelta > maxMaxDelta:
		errs = append(errs, fmt.Errorf("ecs: MaxDelta is %v; it must lie between 1ns and %v, or be zero for %v", c.MaxDelta, maxMaxDelta, defaultMaxDelta))
	}
	return c, errors.Join(errs...)
}

func checkRate(rate int) error {
	if rate < MinRate || rate > MaxRate {
		return fmt.Errorf("ecs: a fixed rate of %d Hz is outside %d to %d Hz", rate, MinRate, MaxRate)
	}
	return nil
}
