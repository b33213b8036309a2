// Package lanes shows one motion drawn in two ways at several fixed rates: as the simulation knows
// it, and interpolated.
//
// All bodies do the same: three units per second of simulated time along x. Lane by lane the fixed
// rate differs, in each an engine of its own; the front one runs at the rate that is set. In every
// lane there are two bodies that differ in one component, components.NoInterpolation.
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
		Caption: "Every body moves at 3 units per second; every lane is simulated at a rate of its own. Red is drawn as it is simulated, green as Tandem draws it: in between.",
		Rate:    60,
	}
}

const (
	speed = 3 // units per second of simulated time

	lanePitch = 2.1 // from one lane to the next
	twinPitch = 0.9 // between the two bodies of a lane
	bodySize  = 0.6

	// A mark every fifteenth of a second is four frames of 60, and 0.2 units.
	strobe      = time.Second / 15
	strobeShown = 2200 * time.Millisecond
	gatePitch   = 3

	accentRaw    = 0
	accentSmooth = 3
)

// otherRates are the rates of the lanes behind the front one, from the back.
var otherRates = []int{5, 10, 20, 60}

// Lanes is the scene.
type Lanes struct {
	lanes        []*lane // from the back; the last is the front one, of the main engine
	labels       []string
	engine       *ecs.Engine
	followed     []scene.Followed
	interpolated bool
	labelled     int // the rate that label was made for
	label        string
}

// New returns the scene.
func New() scene.Scene { return &Lanes{} }

// lane is an engine with two bodies.
type lane struct {
	engine      *ecs.Engine
	poses       *interpolation.Interpolator[components.Pose3D]
	bodies      generic.Map2[components.Transform3D, components.Visual3D]
	raw, smooth arche.Entity
	rawTrail    *scene.Trail
	smoothTrail *scene.Trail
	z           float32 // of its middle
}

func newLane(engine *ecs.Engine, poses *interpolation.Interpolator[components.Pose3D], z float32) *lane {
	w := engine.World()
	l := &lane{
		engine: engine, poses: poses, z: z,
		bodies:      generic.NewMap2[components.Transform3D, components.Visual3D](w),
		rawTrail:    scene.NewTrail(strobe, strobeShown, 40),
		smoothTrail: scene.NewTrail(strobe, strobeShown, 40),
	}
	spawn := func(z float32) arche.Entity {
		logical := components.NewLogical(components.At3D(0, bodySize/2, z))
		return l.bodies.NewWith(&logical, &components.Visual3D{})
	}
	l.raw = spawn(z - twinPitch/2)
	l.smooth = spawn(z + twinPitch/2)
	still := generic.NewMap1[components.NoInterpolation](w)
	still.Add(l.raw)
	engine.Add(ecs.FixedUpdate, l)
	return l
}

// Update is one fixed step: the pose for its end, from the time alone, so that no error adds up.
func (l *lane) Update(*arche.World) {
	x := float32(speed * l.engine.Time().StepEnd.Seconds())
	for _, e := range [...]arche.Entity{l.raw, l.smooth} {
		logical, _ := l.bodies.Get(e)
		pose := logical.Get()
		pose.Position[0] = x
		logical.Set(pose)
	}
}

func (l *lane) Initialize(*arche.World) {}
func (l *lane) Finalize(*arche.World)   {}
func (l *lane) Name() string            { return "lane" }

func (l *lane) visual(e arche.Entity) components.Pose3D {
	_, v := l.bodies.Get(e)
	return v.Get()
}

func (l *lane) logical(e arche.Entity) components.Pose3D {
	v, _ := l.bodies.Get(e)
	return v.Get()
}

// Setup makes the lanes.
func (s *Lanes) Setup(stage *scene.Stage) {
	s.engine = stage.Engine
	n := len(otherRates)
	for i, rate := range otherRates {
		// Their clocks take in what the main one shows, so they neither clamp nor cap.
		engine, err := ecs.New(ecs.Config{FixedRate: rate, MaxDelta: 24 * time.Hour, MaxSteps: math.MaxInt32})
		if err != nil {
			panic(fmt.Sprintf("lanes: %v", err)) // a constant is wrong
		}
		poses := interpolation.New3D()
		engine.Install(poses)
		s.lanes = append(s.lanes, newLane(engine, poses, lanePitch*float32(i-n)))
		s.labels = append(s.labels, fmt.Sprintf("%d Hz", rate))
	}
	front := newLane(stage.Engine, stage.Poses, 0)
	s.lanes = append(s.lanes, front)
	stage.Engine.Add(ecs.NormalUpdate, s)

	ten := s.lanes[1]
	s.followed = []scene.Followed{
		{Name: "raw, 10 Hz", Accent: accentRaw, Position: func() mgl32.Vec3 { return ten.visual(ten.raw).Position }},
		{Name: "Tandem, 10 Hz", Accent: accentSmooth, Position: func() mgl32.Vec3 { return ten.visual(ten.smooth).Position }},
	}
}

// Update runs once per frame: the other engines take in the normal time that the main one has
// shown.
func (s *Lanes) Update(*arche.World) {
	now := s.engine.Time()
	for _, l := range s.lanes[:len(s.lanes)-1] {
		l.engine.Update(now.NormalDelta)
	}
	for _, l := range s.lanes {
		l.rawTrail.Add(now.Normal, now.NormalDelta, l.visual(l.raw).Position)
		l.smoothTrail.Add(now.Normal, now.NormalDelta, l.visual(l.smooth).Position)
	}
}

func (s *Lanes) Initialize(*arche.World) {}

// Finalize closes the other engines.
func (s *Lanes) Finalize(*arche.World) {
	for _, l := range s.lanes[:len(s.lanes)-1] {
		l.engine.Close()
	}
}

// Name is what a panic calls it.
func (s *Lanes) Name() string { return "lanes" }

// SetInterpolation switches the other engines.
func (s *Lanes) SetInterpolation(on bool) {
	s.interpolated = on
	for _, l := range s.lanes[:len(s.lanes)-1] {
		l.poses.SetEnabled(on)
	}
}

// Trace tells of the mover: x = 3t.
func (s *Lanes) Trace(row func(name string, logical, visual components.Pose3D)) {
	l := s.lanes[len(s.lanes)-1]
	row("mover", l.logical(l.smooth), l.visual(l.smooth))
}

// Followed returns the two bodies of one lane, the same motion drawn raw and by Tandem.
func (s *Lanes) Followed() []scene.Followed { return s.followed }
