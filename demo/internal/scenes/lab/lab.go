// Package lab shows one body of a server over a simulated network, in one lane for each
// interpolator of systems/netcode/interp.
//
// The body runs to and fro, turns abruptly, rests and teleports. Its snapshots go through a link
// with delay, jitter and loss. Every lane gets the same snapshots. In every fixed step it writes
// its result to the logical pose of its body, like the netcode of a game. From there on remote and
// local bodies are drawn in the same way.
package lab

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

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
		Caption: "All lanes get the same packets. Shells: the true pose at the moment that a lane shows. The line across the lanes: the true place now.",
		Rate:    60,
		Upright: scene.Upright{Move: mgl32.Vec3{-6.35}, Raise: 0.3, Zoom: 0.66, Foot: footHeight},
		Linked:  true,
	}
}

const (
	bodySize  = 0.9
	lanePitch = 1.5

	// snapshots lost in a row for which an error in the time of a teleport is tolerated
	maxLost = 5
)

// kinds are the lanes after the truth's lane, from the back.
var kinds = []interp.Kind{
	interp.Naive, interp.Chase, interp.Linear, interp.Hermite, interp.GuardedHermite, interp.RacerLinear, interp.RacerSpline,
	interp.ProjectiveBlend, interp.OffsetDecay, interp.Default,
}

// Lab is the scene.
type Lab struct {
	engine *ecs.Engine
	poses  *interpolation.Interpolator[components.Pose3D]
	bodies scene.Bodies[components.Pose3D]
	path   *path
	net    *network
	lanes  []*lane // from the back; the first shows the truth

	reference *interp.Reference
	playback  *interp.Playback
	rate      int // fixed steps per second of the playback
}

// New returns the scene.
func New() scene.Scene { return &Lab{} }

// lane shows the body by one interpolator.
type lane struct {
	name, title string
	kind        interp.Kind
	body        interp.Interpolator // nil in the lane of the truth
	entity      arche.Entity
	z           float32
	color       int // index for laneColor

	// The server times of the two logical poses that frames blend, on the client's clock.
	before, after time.Duration
	// of kinds that show the newest snapshot: its mean age
	behind  time.Duration
	started bool
	jumps   uint8 // of the truth
	jumped  bool  // since the last frame

	claim time.Duration // the server time that the last frame shows
	trail *scene.Trail
	measure
}

// Setup spawns a body for every lane.
func (s *Lab) Setup(stage *scene.Stage) []scene.Followed {
	s.engine, s.poses = stage.Engine, stage.Poses
	s.bodies = scene.NewBodies[components.Pose3D](stage.Engine.World())
	down, up := stage.Random.Uint64(), stage.Random.Uint64()
	s.path = newPath(stage.Random)
	s.net = newNetwork(s.path, stage.Link, down, up)
	s.reference = interp.NewReference()

	s.addLane("truth", "Truth: the server's", 0)
	for _, kind := range kinds {
		s.addLane(kind.String(), kind.Display(), kind)
	}
	s.connect()
	stage.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(s.step))
	stage.Engine.Add(ecs.NormalUpdate, ecs.SystemFunc(s.measureFrame))
	return nil // every lane has its own graphs
}

func (s *Lab) addLane(name, title string, kind interp.Kind) {
	i := len(s.lanes)
	l := &lane{name: name, title: title, kind: kind, color: i, z: lanePitch * float32(i-len(kinds)/2), trail: scene.NewTrail(time.Second/30, 700*time.Millisecond, 30)}
	l.reset()
	l.entity = s.bodies.Spawn(l.pose(mgl32.Vec3{}, mgl32.QuatIdent()))
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

// connect restarts the client's side, after a change of the snapshot rate or the fixed rate.
func (s *Lab) connect() {
	s.rate = s.engine.Time().Rate
	interval := s.net.interval()
	s.playback = interp.NewPlayback(interp.DelayConfig{Interval: interval, Tick: time.Second / time.Duration(s.rate)})
	for _, l := range s.lanes[1:] {
		l.body = interp.New(l.kind, interp.Config{Interval: interval})
		l.behind = 0
	}
}

// SetLink changes the network. Packets in flight keep their delay.
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

// step is the netcode of the scene. It uses the packets that have arrived by the start of a step.
func (s *Lab) step(*arche.World) {
	now := s.engine.Time()
	if now.Rate != s.rate {
		s.connect()
	}
	s.path.extend(now.StepEnd)
	s.stepTruth(now)

	s.net.ping(now.StepStart)
	s.net.serve(now.StepStart)
	s.net.receive(now.StepStart, s.receiveSnapshot, s.receivePong)
	s.playback.Update(now.StepStart)

	view, ok := s.playback.View(now.StepEnd)
	if !ok {
		return
	}
	for _, l := range s.lanes[1:] {
		s.stepLane(l, now, view)
	}
}

func (s *Lab) receiveSnapshot(at time.Duration, number uint16, sample interp.Sample) {
	s.playback.Arrive(at, sample.Time, number)
	for _, l := range s.lanes[1:] {
		l.body.Push(at, sample)
	}
}

func (s *Lab) receivePong(sample interp.Ping) {
	// The filter rejects an answer that overtook another, with an error. That is normal.
	_, _ = s.reference.Add(sample)
}

func (s *Lab) stepTruth(now ecs.Time) {
	l := s.lanes[0]
	truth := s.path.at(now.StepEnd)
	pose := l.pose(mgl32.Vec3{float32(truth.x)}, truth.rotation())
	logical := s.bodies.Transform(l.entity)
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
	logical := s.bodies.Transform(l.entity)
	jump := info.Discontinuity || !l.started
	if jump {
		logical.Teleport(pose)
	} else {
		logical.Set(pose)
	}

	claim := info.Time - epoch
	switch l.body.Timing() {
	case interp.Predictive:
		// measured against the true present, not the client's clock
		claim = now.StepEnd
	case interp.Newest:
		// A kind that shows the newest snapshot shows separate instants. A viewer sees a steady
		// time, so the error is measured against the mean age.
		age := now.StepEnd - claim
		if l.behind == 0 {
			l.behind = age
		}
		l.behind += time.Duration(float64(age-l.behind) * min(now.FixedDelta.Seconds()/figureTime.Seconds(), 1))
		claim = now.StepEnd - l.behind
	}
	l.before, l.after = l.after, claim
	if jump {
		l.before = claim // nothing is blended: the body stands still for one step
	}
	l.jumped = l.jumped || jump
	l.started = true
}

// measureFrame runs once per frame and measures the drawn poses.
func (s *Lab) measureFrame(*arche.World) {
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
		// The client knows only that a teleport lies between two received snapshots, and does not
		// know one after the newest snapshot. It draws a teleport at a fixed step.
		slack := max(maxLost*s.net.interval(), l.claim-(newest-epoch)) + 2*now.FixedDelta
		l.frame(now.Normal, now.NormalDelta, place, s.path.off(place, l.claim, slack), now.Normal-l.claim, l.jumped)
		l.trail.Add(now.Normal, now.NormalDelta, place)
		l.jumped = false
	}
}

func (s *Lab) visual(l *lane) components.Pose3D  { return s.bodies.Visual(l.entity) }
func (s *Lab) logical(l *lane) components.Pose3D { return s.bodies.Logical(l.entity) }

// Trace reports the body of every lane by the lane's name: truth, and the short names of the kinds.
func (s *Lab) Trace(row func(name string, logical, visual components.Pose3D)) {
	for _, l := range s.lanes {
		row(l.name, s.logical(l), s.visual(l))
	}
}

// Camera looks down on all lanes from so far that they are evenly spaced, in the left two thirds of
// the picture.
func (s *Lab) Camera(ecs.Time) render.Orbit {
	return render.Orbit{Target: mgl32.Vec3{6.35, 0, -1.67}, Pitch: 0.95, Distance: 168, MinDistance: 20, MaxDistance: 400, FOV: 0.12}
}
