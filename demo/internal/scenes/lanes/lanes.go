// Package lanes shows one motion drawn in two ways at several fixed rates: as simulated, and
// interpolated.
//
// All bodies move at three units per second of simulated time along x. Every lane has its own
// engine and fixed rate; the front lane runs at the rate of the settings, and the others at other
// rates. The two bodies of a lane differ in one component, components.NoInterpolation.
//
// The camera stands still. So a body is drawn at its place along a period of the lane, and again in
// every other period that is in the picture.
package lanes

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Info describes the scene.
func Info() scene.Info {
	return scene.Info{
		Name:    "lanes",
		Title:   "One motion, drawn raw and interpolated",
		Caption: "Orange is drawn as simulated, blue by Tandem: between the last two steps, in every frame. Orange is ahead by up to a step, since a step is simulated as soon as its time begins.",
		Rate:    60,
		Upright: scene.Upright{Move: mgl32.Vec3{-1.8}, Raise: 0.4, Zoom: 0.86},
	}
}

const (
	speed = 3 // units per second of simulated time

	lanePitch = 2.9 // from one lane to the next
	pairPitch = 1.3 // between the two bodies of a lane
	bodySize  = 1
	period    = 12 // along a lane, in units

	// A mark every fifteenth of a second is four frames of 60, and 0.2 units.
	strobe      = time.Second / 15
	strobeShown = 2200 * time.Millisecond
	gatePitch   = 3 // a part of a period

	accentRaw    = 2
	accentSmooth = 1
)

// otherRates are the rates of the lanes behind the front one, from the back. The rate of the front
// lane is left out, or else the last.
var otherRates = [...]int{5, 10, 20, 60}

// otherRate returns the rate of a lane behind the front one, which has the given rate.
func otherRate(lane, front int) int {
	for i := range lane + 1 {
		if otherRates[i] == front {
			return otherRates[lane+1]
		}
	}
	return otherRates[lane]
}

// Lanes is the scene.
type Lanes struct {
	lanes  []*lane // from the back; the last is the front one, of the main engine
	engine *ecs.Engine
	poses  *interpolation.Interpolator[components.Pose3D] // of the main engine
}

// New returns the scene.
func New() scene.Scene { return &Lanes{} }

// lane is an engine with two bodies.
type lane struct {
	engine      *ecs.Engine
	bodies      scene.Bodies[components.Pose3D]
	raw, smooth arche.Entity
	rawTrail    *scene.Trail
	smoothTrail *scene.Trail
	z           float32 // of its middle
	label       string
	labelled    int // the rate in the label
}

func newLane(engine *ecs.Engine, z float32) *lane {
	w := engine.World()
	l := &lane{
		engine: engine, z: z,
		bodies:      scene.NewBodies[components.Pose3D](w),
		rawTrail:    scene.NewTrail(strobe, strobeShown, 40),
		smoothTrail: scene.NewTrail(strobe, strobeShown, 40),
	}
	spawn := func(z float32) arche.Entity {
		return l.bodies.Spawn(components.At3D(0, bodySize/2, z))
	}
	l.raw = spawn(z - pairPitch/2)
	l.smooth = spawn(z + pairPitch/2)
	still := generic.NewMap1[components.NoInterpolation](w)
	still.Add(l.raw)
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(l.step))
	return l
}

// step sets the pose for the end of a fixed step from the time alone, so that no error adds up.
func (l *lane) step(*arche.World) {
	x := float32(speed * l.engine.Time().StepEnd.Seconds())
	for _, e := range [...]arche.Entity{l.raw, l.smooth} {
		logical := l.bodies.Transform(e)
		pose := logical.Get()
		pose.Position[0] = x
		logical.Set(pose)
	}
}

// Setup makes the lanes.
func (s *Lanes) Setup(stage *scene.Stage) []scene.Followed {
	s.engine, s.poses = stage.Engine, stage.Poses
	n := len(otherRates) - 1
	for i := range n {
		rate := otherRate(i, s.engine.Time().Rate)
		// Their clocks follow the main one, so they neither clamp nor cap.
		engine, err := ecs.New(ecs.Config{FixedRate: rate, MaxDelta: 24 * time.Hour, MaxSteps: math.MaxInt32})
		if err != nil {
			panic(fmt.Sprintf("lanes: %v", err)) // otherRates contains an invalid rate
		}
		poses := interpolation.New3D()
		engine.Install(poses)
		stage.Own = append(stage.Own, poses)
		s.lanes = append(s.lanes, newLane(engine, lanePitch*float32(i-n)))
	}
	s.lanes = append(s.lanes, newLane(stage.Engine, 0))
	stage.Engine.Add(ecs.NormalUpdate, s)

	back := s.lanes[0]
	return []scene.Followed{
		{Name: "raw, rear lane", Accent: accentRaw, Position: func() mgl32.Vec3 { return back.bodies.Visual(back.raw).Position }},
		{Name: "Tandem", Accent: accentSmooth, Position: func() mgl32.Vec3 { return back.bodies.Visual(back.smooth).Position }},
	}
}

// Update runs once per frame. It advances the other engines by the main engine's normal time, and
// keeps their rates apart from its rate.
func (s *Lanes) Update(*arche.World) {
	now := s.engine.Time()
	for i, l := range s.lanes[:len(s.lanes)-1] {
		if err := l.engine.SetRate(otherRate(i, now.Rate)); err != nil {
			panic(fmt.Sprintf("lanes: %v", err)) // otherRates contains an invalid rate
		}
		l.engine.Update(now.NormalDelta)
	}
	for _, l := range s.lanes {
		l.rawTrail.Add(now.Normal, now.NormalDelta, l.bodies.Visual(l.raw).Position)
		l.smoothTrail.Add(now.Normal, now.NormalDelta, l.bodies.Visual(l.smooth).Position)
	}
}

// Initialize implements [ecs.System].
func (s *Lanes) Initialize(*arche.World) {}

// Finalize closes the other engines.
func (s *Lanes) Finalize(*arche.World) {
	for _, l := range s.lanes[:len(s.lanes)-1] {
		l.engine.Close()
	}
}

// Trace reports the mover: x = 3t.
func (s *Lanes) Trace(row func(name string, logical, visual components.Pose3D)) {
	l := s.lanes[len(s.lanes)-1]
	row("mover", l.bodies.Logical(l.smooth), l.bodies.Visual(l.smooth))
}
