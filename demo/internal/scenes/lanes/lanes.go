// Package lanes shows one motion drawn in two ways at several fixed rates: as simulated, and
// interpolated.
//
// All bodies move at three units per second of simulated time along x. Every lane has its own
// engine and fixed rate; the front lane runs at the rate of the settings. The two bodies of a lane
// differ in one component, components.NoInterpolation.
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
		Caption: "Every body moves at 3 units per second; every lane has its own fixed rate. Orange is drawn as simulated, blue interpolated by Tandem.",
		Rate:    60,
	}
}

const (
	speed = 3 // units per second of simulated time

	lanePitch = 2.1 // from one lane to the next
	pairPitch = 0.9 // between the two bodies of a lane
	bodySize  = 0.6

	// A mark every fifteenth of a second is four frames of 60, and 0.2 units.
	strobe      = time.Second / 15
	strobeShown = 2200 * time.Millisecond
	gatePitch   = 3

	accentRaw    = 2
	accentSmooth = 1
)

// otherRates are the rates of the lanes behind the front one, from the back.
var otherRates = []int{5, 10, 20, 60}

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
	n := len(otherRates)
	for i, rate := range otherRates {
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

	ten := s.lanes[1]
	return []scene.Followed{
		{Name: "raw, 10 Hz", Accent: accentRaw, Position: func() mgl32.Vec3 { return ten.bodies.Visual(ten.raw).Position }},
		{Name: "Tandem, 10 Hz", Accent: accentSmooth, Position: func() mgl32.Vec3 { return ten.bodies.Visual(ten.smooth).Position }},
	}
}

// Update runs once per frame. It advances the other engines by the main engine's normal time.
func (s *Lanes) Update(*arche.World) {
	now := s.engine.Time()
	for _, l := range s.lanes[:len(s.lanes)-1] {
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
