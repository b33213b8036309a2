// Package simulation runs a scene on an engine by the settings, and lets the settings be changed
// while it runs. It has no picture, no window and no wall clock.
package simulation

import (
	"fmt"
	"math/rand/v2"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// MaxDelta is the longest frame that a simulation takes in; the rest of a longer one is dropped.
const MaxDelta = 250 * time.Millisecond

// Host is where the time that fixed steps cost comes from: the machine's in a window, an imagined
// one off screen, so that the same flags give the same run.
type Host interface {
	Now() time.Duration   // a clock that runs on while steps are computed
	Work(d time.Duration) // lets d pass on that clock
}

// Imagined is a host whose steps cost nothing but the artificial cost. The zero value is ready for
// use.
type Imagined struct{ now time.Duration }

// Now returns the time that was spent.
func (h *Imagined) Now() time.Duration { return h.now }

// Work spends time.
func (h *Imagined) Work(d time.Duration) { h.now += d }

// Simulation is a scene that runs.
type Simulation struct {
	set    settings.Settings
	info   scene.Info
	host   Host
	scene  scene.Scene
	engine *ecs.Engine
	poses  *interpolation.Interpolator[components.Pose3D]
	cost   *cost
}

// New sets up the scene that the settings name. A rate of 0 becomes the scene's own.
func New(set settings.Settings, host Host) (*Simulation, error) {
	s := &Simulation{host: host}
	if err := s.start(set); err != nil {
		return nil, err
	}
	return s, nil
}

// start makes the engine and the scene anew, leaving everything as it was if it cannot.
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
		config.StepClock = s.host.Now
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
	cost := &cost{host: s.host}
	engine.Add(ecs.FixedUpdate, cost)

	s.close()
	s.info, s.engine, s.poses, s.cost = entry.Info, engine, poses, cost
	s.scene = entry.New()
	s.scene.Setup(&scene.Stage{
		Engine:    engine,
		Poses:     poses,
		Hierarchy: hierarchy,
		Random:    rand.New(rand.NewPCG(set.Seed, 0)),
		Entities:  entry.Clamp(set.Entities),
		Link:      set.Link,
		GPU:       set.GPU,
	})
	s.set = set
	s.applySwitches()
	return nil
}

// adaptiveRates returns the ladder that the death spiral is fought with: the rate, half of it and a
// quarter of it (the seed's 60, 30, 15).
func adaptiveRates(rate int) []int {
	rates := []int{rate}
	for len(rates) < 3 && rate/2 >= 5 {
		rate /= 2
		rates = append(rates, rate)
	}
	return rates
}

func (s *Simulation) applySwitches() {
	s.poses.SetEnabled(s.set.Interpolate)
	s.scene.SetInterpolation(s.set.Interpolate)
	if n, ok := s.scene.(scene.Networked); ok {
		n.SetLink(s.set.Link)
	}
	s.cost.each = s.set.StepCost
}

// Apply changes the settings. It reports whether the scene had to start anew: for another scene,
// number of bodies or seed, for blending elsewhere, and for whatever concerns adaptive rates, which
// an engine is given when it is made. If there is an error nothing has changed.
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

// Restart begins the scene anew.
func (s *Simulation) Restart() error { return s.start(s.set) }

// Step makes the next Update of a paused simulation run exactly one fixed step.
func (s *Simulation) Step() error { return s.engine.RequestStep() }

// Update advances the scene by one frame that took the given real time.
func (s *Simulation) Update(real time.Duration) { s.engine.Update(real) }

// Settings returns the present settings. Rate is never 0.
func (s *Simulation) Settings() settings.Settings { return s.set }

// Info returns the present scene's description.
func (s *Simulation) Info() scene.Info { return s.info }

// Scene returns the present scene.
func (s *Simulation) Scene() scene.Scene { return s.scene }

// Time returns the engine's time. Its Rate is below that of the settings while the adaptive rate
// has lowered it.
func (s *Simulation) Time() ecs.Time { return s.engine.Time() }

// World returns the main engine's world, for tests.
func (s *Simulation) World() *arche.World { return s.engine.World() }

// Close ends the scene.
func (s *Simulation) Close() { s.close() }

func (s *Simulation) close() {
	if s.engine != nil {
		s.engine.Close()
		s.engine = nil
	}
}

// cost is the system that makes every fixed step take time.
type cost struct {
	host Host
	each time.Duration
}

func (c *cost) Initialize(*arche.World) {}
func (c *cost) Finalize(*arche.World)   {}
func (c *cost) Name() string            { return "artificial step cost" }
func (c *cost) Update(*arche.World) {
	if c.each > 0 {
		c.host.Work(c.each)
	}
}
