// Package simulation runs a scene on an engine. Its settings can change while it runs. It has no
// picture, no window and no wall clock.
package simulation

import (
	"fmt"
	"math/rand/v2"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// MaxDelta is the longest frame of a simulation; the rest of a longer one is dropped.
const MaxDelta = 250 * time.Millisecond

// Clock measures the time that fixed steps take. In a window it is the machine's clock. Off screen
// it is a virtual one, so that the same flags give the same run.
type Clock interface {
	Now() time.Duration   // advances while steps are computed
	Work(d time.Duration) // lets d pass on the clock
}

// VirtualClock is a clock that only Work advances. The zero value is ready for use.
type VirtualClock struct{ now time.Duration }

// Now returns the sum of all work.
func (c *VirtualClock) Now() time.Duration { return c.now }

// Work advances the clock.
func (c *VirtualClock) Work(d time.Duration) { c.now += d }

// Simulation is a running scene.
type Simulation struct {
	set    settings.Settings
	info   scene.Info
	clock  Clock
	scene  scene.Scene
	engine *ecs.Engine
	stage  *scene.Stage

	followed []scene.Followed
}

// New sets up the scene that the settings name. A rate of 0 becomes the scene's own.
func New(set settings.Settings, host Clock) (*Simulation, error) {
	s := &Simulation{clock: host}
	if err := s.start(set); err != nil {
		return nil, err
	}
	return s, nil
}

// start makes a new engine and scene. After an error everything is as before.
func (s *Simulation) start(set settings.Settings) error {
	entry, ok := scenes.Find(set.Scene)
	if !ok {
		return fmt.Errorf("there is no scene %q", set.Scene)
	}
	if set.Rate == 0 {
		set.Rate = entry.Rate
	}
	config := ecs.Config{
		FixedRate: set.Rate,
		Scale:     set.Speed,
		MaxDelta:  MaxDelta,
		MaxSteps:  settings.MaxSteps(set.Rate, set.Speed, MaxDelta),
	}
	if set.Adaptive {
		config.AdaptiveRates = adaptiveRates(set.Rate)
		config.StepClock = s.clock.Now
	}
	engine, err := ecs.New(config)
	if err != nil {
		return err
	}
	if set.Paused {
		if err := engine.SetScale(0); err != nil {
			return err
		}
	}
	poses, hierarchy := interpolation.New3D(), hierarchy.New3D()
	engine.Install(poses, hierarchy)
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(s.spendStepCost))

	s.Close()
	s.info, s.engine = entry.Info, engine
	s.scene = entry.New()
	s.stage = &scene.Stage{
		Engine:    engine,
		Poses:     poses,
		Hierarchy: hierarchy,
		Random:    rand.New(rand.NewPCG(set.Seed, 0)),
		Entities:  entry.Clamp(set.Entities),
		Link:      set.Link,
		GPU:       set.GPU,
	}
	s.followed = s.scene.Setup(s.stage)
	s.set = set
	s.applySwitches()
	return nil
}

// adaptiveRates returns the rates against the death spiral: the rate, half of it and a quarter of
// it (as 60, 30, 15).
func adaptiveRates(rate int) []int {
	rates := []int{rate}
	for len(rates) < 3 && rate/2 >= 5 {
		rate /= 2
		rates = append(rates, rate)
	}
	return rates
}

func (s *Simulation) applySwitches() {
	s.stage.Poses.SetEnabled(s.set.Interpolate)
	for _, poses := range s.stage.Own {
		poses.SetEnabled(s.set.Interpolate)
	}
	if n, ok := s.scene.(scene.Networked); ok {
		n.SetLink(s.set.Link)
	}
}

// Apply changes the settings. It reports whether the scene had to restart: for another scene,
// number of bodies or seed, for blending elsewhere, and for adaptive rates, which an engine gets
// when it is made. After an error nothing has changed.
func (s *Simulation) Apply(set settings.Settings) (restarted bool, err error) {
	if set.Scene != s.set.Scene || set.Entities != s.set.Entities || set.Seed != s.set.Seed || set.Adaptive != s.set.Adaptive || set.GPU != s.set.GPU ||
		set.Adaptive && set.Rate != s.set.Rate {
		return true, s.start(set)
	}
	if set.Rate == 0 {
		set.Rate = s.info.Rate
	}
	if set.Rate != s.set.Rate {
		if err := s.engine.SetRate(set.Rate); err != nil {
			return false, err
		}
	}
	scale := set.Speed
	if set.Paused {
		scale = 0
	}
	if err := s.engine.SetScale(scale); err != nil {
		return false, err
	}
	s.set = set
	s.applySwitches()
	return false, nil
}

// Restart restarts the scene.
func (s *Simulation) Restart() error { return s.start(s.set) }

// Step makes the next Update of a paused simulation run exactly one fixed step.
func (s *Simulation) Step() error { return s.engine.RequestStep() }

// Update advances the scene by one frame that took the given real time.
func (s *Simulation) Update(real time.Duration) { s.engine.Update(real) }

// Settings returns the current settings. Rate is never 0.
func (s *Simulation) Settings() settings.Settings { return s.set }

// Info returns the current scene's description.
func (s *Simulation) Info() scene.Info { return s.info }

// Scene returns the current scene.
func (s *Simulation) Scene() scene.Scene { return s.scene }

// Followed returns the bodies whose drawn speed is graphed.
func (s *Simulation) Followed() []scene.Followed { return s.followed }

// Time returns the engine's time. Its Rate is below that of the settings while the adaptive rate
// has lowered it.
func (s *Simulation) Time() ecs.Time { return s.engine.Time() }

// World returns the main engine's world, for tests.
func (s *Simulation) World() *arche.World { return s.engine.World() }

// Close ends the scene.
func (s *Simulation) Close() {
	if s.engine != nil {
		s.engine.Close()
		s.engine = nil
	}
}

// spendStepCost makes a fixed step take the time that the settings ask for.
func (s *Simulation) spendStepCost(*arche.World) {
	if s.set.StepCost > 0 {
		s.clock.Work(s.set.StepCost)
	}
}
