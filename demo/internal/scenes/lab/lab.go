// Package lab shows one body that a server moves, seen over a simulated network, in every way that
// systems/netcode/remote knows: a lane for each.
//
// The body runs to and fro, turns round at once, rests and teleports. Its snapshots go through a
// link with delay, jitter and loss; every lane is given the same ones, and writes what it makes of
// them to the logical pose of its body in every fixed step, as the net system of a game does. From
// there on remote bodies and local ones take the same way to the screen.
package lab

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// Info describes the scene.
func Info() scene.Info {
	return scene.Info{
		Name:    "lab",
		Title:   "One body, ten ways over a bad network",
		Caption: "All lanes get the same packets. Shells: where the body truly was at the moment that a lane shows. The line through all lanes: where it is now.",
		Rate:    60,
		Linked:  true,
	}
}

const (
	bodySize  = 0.9
	lanePitch = 1.5

	// snapshots in a row that are lost without anybody being blamed for not knowing when the body
	// teleported
	mostLost = 5
)

// kinds are the lanes behind that of the truth, from the back.
var kinds = []interp.Kind{
	interp.Naive, interp.Chase, interp.Linear, interp.Hermite, interp.GuardedHermite, interp.RacerLinear, interp.RacerSpline,
	interp.ProjectiveBlend, interp.OffsetDecay, interp.Default,
}

// Lab is the scene.
type Lab struct {
	engine *ecs.Engine
	poses  *interpolation.Interpolator[components.Pose3D]
	bodies generic.Map2[components.Transform3D, components.Visual3D]
	path   *path
	net    *network
	lanes  []*lane // from the back; the first is the truth

	reference *interp.Reference
	playback  *interp.Playback
	rate      int // fixed steps per second that the playback was made for
}

// New returns the scene.
func New() scene.Scene { return &Lab{} }

// lane is one way to show the body.
type lane struct {
	name, title string
	kind        interp.Kind
	body        interp.Interpolator // nil in the lane of the truth
	entity      arche.Entity
	z           float32
	color       int // index for laneColor

	// The server time that the two logical poses stand for between which frames are blended, on the
	// client's clock.
	before, after time.Duration
	// of kinds without a view of their own: the mean age of the newest snapshot
	behind  time.Duration
	started bool
	jumps   uint8 // of the truth
	jumped  bool  // since the last frame

	claim time.Duration // what the last frame claims to show
	trail *scene.Trail
	measure
}

// Setup spawns a body for every lane.
func (s *Lab) Setup(stage *scene.Stage) {
	s.engine, s.poses = stage.Engine, stage.Poses
	s.bodies = generic.NewMap2[components.Transform3D, components.Visual3D](stage.Engine.World())
	down, up := stage.Random.Uint64(), stage.Random.Uint64()
	s.path = newPath(stage.Random)
	s.net = newNetwork(s.path, stage.Link, down, up)
	reference, err := interp.NewReference(interp.ReferenceConfig{})
	if err != nil {
		panic("lab: " + err.Error()) // the zero configuration is documented to be good
	}
	s.reference = reference

	s.addLane("truth", "Truth: the server's", 0)
	for _, kind := range kinds {
		s.addLane(kind.String(), kind.Display(), kind)
	}
	s.connect()
	stage.Engine.Add(ecs.FixedUpdate, stepper{s})
	stage.Engine.Add(ecs.NormalUpdate, s)
}

func (s *Lab) addLane(name, title string, kind interp.Kind) {
	i := len(s.lanes)
	l := &lane{name: name, title: title, kind: kind, color: i, z: lanePitch * float32(i-len(kinds)/2), trail: scene.NewTrail(time.Second/30, 700*time.Millisecond, 30)}
	l.reset()
	logical := components.NewLogical(l.pose(mgl32.Vec3{}, mgl32.QuatIdent()))
	l.entity = s.bodies.NewWith(&logical, &components.Visual3D{})
	s.lanes = append(s.lanes, l)
}

// pose puts a state of the body into the lane.
func (l *lane) pose(place mgl32.Vec3, rotation mgl32.Quat) components.Pose3D {
	pose := components.At3D(place[0], place[1]+bodySize/2, place[2]+l.z)
	pose.Rotation = rotation
	return pose
}

// place takes the lane out of a pose again.
func (l *lane) place(pose components.Pose3D) mgl32.Vec3 {
	return pose.Position.Sub(mgl32.Vec3{0, bodySize / 2, l.z})
}

// connect begins the client's side anew: for another rate of snapshots or of fixed steps than
// before.
func (s *Lab) connect() {
	s.rate = s.engine.Time().Rate
	interval := s.net.interval()
	s.playback = interp.NewPlayback(interp.DelayConfig{Interval: interval, Tick: time.Second / time.Duration(s.rate)})
	for _, l := range s.lanes[1:] {
		l.body = interp.New(l.kind, interp.Config{Interval: interval})
		l.behind = 0
	}
}

// SetLink changes the network. What is under way arrives as it was going to.
func (s *Lab) SetLink(link settings.Link) {
	if link == s.net.link {
		return
	}
	another := link.SendRate != s.net.link.SendRate
	s.net.set(link)
	if another {
		s.connect()
	}
}

// stepper is the net system of the scene. What has arrived by the start of a step is what it can
// know.
type stepper struct{ *Lab }

func (s stepper) Update(*arche.World) {
	now := s.engine.Time()
	if now.Rate != s.rate {
		s.connect()
	}
	s.path.extend(now.StepEnd)
	s.stepTruth(now)

	s.net.ping(now.StepStart)
	s.net.serve(now.StepStart)
	s.net.receive(now.StepStart, s.Lab.arrived, s.Lab.answered)
	s.playback.Update(now.StepStart)

	view, ok := s.playback.View(now.StepEnd)
	if !ok {
		return
	}
	for _, l := range s.lanes[1:] {
		s.stepLane(l, now, view)
	}
}

// Name is what a panic calls it.
func (s stepper) Name() string { return "net system of the lab" }

func (s *Lab) arrived(at time.Duration, number uint16, sample interp.Sample) {
	s.playback.Arrive(at, sample.Time, number)
	for _, l := range s.lanes[1:] {
		l.body.Push(at, sample)
	}
}

func (s *Lab) answered(sample interp.Ping) {
	// An answer that overtook another is refused with an error, which is what the filter is there
	// for.
	_, _ = s.reference.Add(sample)
}

func (s *Lab) stepTruth(now ecs.Time) {
	l := s.lanes[0]
	truth := s.path.at(now.StepEnd)
	pose := l.pose(mgl32.Vec3{float32(truth.x)}, truth.rotation())
	logical, _ := s.bodies.Get(l.entity)
	l.before, l.after = now.StepStart, now.StepEnd
	if truth.jumps != l.jumps || !l.started {
		logical.Teleport(pose)
		l.before = now.StepEnd
		l.jumped, l.started = true, true
	} else {
		logical.Set(pose)
	}
	l.jumps = truth.jumps
}

func (s *Lab) stepLane(l *lane, now ecs.Time, view time.Duration) {
	if l.body.Timing() == interp.Predictive {
		if !s.reference.Ready() {
			return
		}
		view = s.reference.At(now.StepEnd)
	}
	state, info := l.body.At(now.StepEnd, view)
	if info.Empty {
		return
	}
	pose := l.pose(state.Position, state.Rotation)
	logical, _ := s.bodies.Get(l.entity)
	jump := info.Discontinuity || !l.started
	if jump {
		logical.Teleport(pose)
	} else {
		logical.Set(pose)
	}

	claim := info.Time - epoch
	switch l.body.Timing() {
	case interp.Predictive:
		// measured against the true present, whatever the client's clock believes
		claim = now.StepEnd
	case interp.Newest:
		// What shows the newest snapshot shows one instant, then another. To who watches, one
		// steady time passes in the picture, so that it is held against that.
		age := now.StepEnd - claim
		if l.behind == 0 {
			l.behind = age
		}
		l.behind += time.Duration(float64(age-l.behind) * min(now.FixedDelta.Seconds()/figureTime.Seconds(), 1))
		claim = now.StepEnd - l.behind
	}
	l.before, l.after = l.after, claim
	if jump {
		l.before = claim // nothing is blended: the body stands for one step
	}
	l.jumped = l.jumped || jump
	l.started = true
}

// Update runs once per frame: it measures what is drawn.
func (s *Lab) Update(*arche.World) {
	now := s.engine.Time()
	share := 1.0
	if s.poses.Enabled() && now.FixedDelta > 0 {
		share = float64(now.Normal-now.StepStart) / float64(now.FixedDelta)
	}
	newest, _ := s.playback.Newest()
	for _, l := range s.lanes {
		if !l.started {
			continue
		}
		l.claim = l.before + time.Duration(share*float64(l.after-l.before))
		place := l.place(s.visual(l))
		// A teleport is known to lie somewhere between two snapshots, of which some are lost; one
		// after the newest snapshot cannot be known at all. It is drawn from a fixed step on.
		slack := max(mostLost*s.net.interval(), l.claim-(newest-epoch)) + 2*now.FixedDelta
		l.frame(now.Normal, now.NormalDelta, place, s.path.off(place, l.claim, slack), now.Normal-l.claim, l.jumped)
		l.trail.Add(now.Normal, now.NormalDelta, place)
		l.jumped = false
	}
}

// Initialize has nothing to do.
func (s *Lab) Initialize(*arche.World) {}

// Finalize has nothing to do.
func (s *Lab) Finalize(*arche.World) {}

// Name is what a panic calls it.
func (s *Lab) Name() string { return "lab" }

func (s *Lab) visual(l *lane) components.Pose3D {
	_, v := s.bodies.Get(l.entity)
	return v.Get()
}

func (s *Lab) logical(l *lane) components.Pose3D {
	v, _ := s.bodies.Get(l.entity)
	return v.Get()
}

// SetInterpolation has nothing to switch: all poses are the stage's.
func (s *Lab) SetInterpolation(bool) {}

// Trace tells of the body in every lane, by the lane's name: truth, and the short names of the
// kinds.
func (s *Lab) Trace(row func(name string, logical, visual components.Pose3D)) {
	for _, l := range s.lanes {
		row(l.name, s.logical(l), s.visual(l))
	}
}

// Followed returns nothing: every lane has its graphs.
func (s *Lab) Followed() []scene.Followed { return nil }

// Camera looks down on all lanes from so far that they lie evenly in the picture, in its left two
// thirds.
func (s *Lab) Camera(ecs.Time) render.Orbit {
	return render.Orbit{Target: mgl32.Vec3{6.35, 0, -1.67}, Pitch: 0.95, Distance: 168, MinDistance: 20, MaxDistance: 400, FOV: 0.12}
}
