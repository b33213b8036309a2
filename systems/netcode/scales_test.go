package netcode_test

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// scaled returns a pose at x with a scale.
func scaled(x float32, scale mgl32.Vec3) components.Pose3D {
	pose := components.At3D(x, 0, 0)
	pose.Scale = scale
	return pose
}

// pose returns the logical pose of an entity on a client.
func (p *player) pose(e arche.Entity) components.Pose3D {
	return component[components.Transform3D](p.engine.World(), e).Get()
}

// scaleOff returns by how much a scale differs from another one, as a share of that.
func scaleOff(got, want mgl32.Vec3) (worst float64) {
	for k, x := range want {
		if off := math.Abs(float64(got[k] - x)); off > 0 {
			worst = max(worst, off/math.Abs(float64(x)))
		}
	}
	return worst
}

// All clients, one of which joins late, draw entities of all scales as the server has them, and
// their children at their places.
func TestScalesAreReplicated(t *testing.T) {
	m := newMatch(t, nil)
	tree := hierarchy.New3D()
	m.engine.Install(tree)
	type pair struct{ parent, child arche.Entity }
	var all []pair
	for i, scale := range []mgl32.Vec3{{1, 1, 1}, {3, 3, 3}, {1, 0.5, 2}, {-1, 1, 1}, {-2, -2, -2}, {0.001, 0.001, 0.001}, {12345, 1, 12345}, {0, 0, 0}, {0, 1, 1}} {
		p := m.crate(kindCrate, scaled(10, mgl32.Vec3{1, 1, 1}))
		m.transform(p).Teleport(components.Pose3D{
			Position: mgl32.Vec3{10, 0, float32(i)}, Rotation: mgl32.QuatRotate(float32(i), mgl32.Vec3{0, 1, 0}), Scale: scale,
		})
		c := m.crate(kindCrate, components.At3D(0, 0, 0))
		m.hang(c, p, components.At3D(0.25, 0.5, 0))
		all = append(all, pair{p, c})
	}
	players := []*player{m.join(seeds(31), nil)}
	m.run(3*time.Second, nil)
	players = append(players, m.join(seeds(32), nil))
	m.run(4*time.Second, nil)
	m.mustPlay()
	for i, p := range players {
		for _, a := range all {
			want := m.transform(a.parent).Get().Scale
			if got := p.pose(p.replicaOf(m, a.parent)).Scale; scaleOff(got, want) > 1.0/2048 {
				t.Errorf("player %d: a scale of %v is drawn as %v", i, want, got)
			}
			at := tree.LogicalWorld(a.child).Col(3).Vec3()
			if got := p.world(p.replicaOf(m, a.child)); got.Sub(at).Len() > 0.006+0.002*want.Len() {
				t.Errorf("player %d: the child of a parent of scale %v is drawn at %v, want %v", i, want, got, at)
			}
		}
	}
}

// growth is the scale of the entities of these tests at a time, in seconds.
func growth(at float64) mgl32.Vec3 {
	return mgl32.Vec3{1, float32(0.6 + 0.5*math.Sin(2*at)), float32(math.Sin(1.5 * at))}
}

// grow makes a crate that stands, and whose scale changes all the time.
func (m *match) grow() arche.Entity {
	e := m.crate(kindCrate, components.At3D(3, 0, 0))
	m.onServer(func() { m.transform(e).Set(scaled(3, growth(m.engine.Time().StepEnd.Seconds()))) })
	return e
}

// A scale that changes over time is interpolated between snapshots: at each step a client has the
// scale of the moment that it shows, by each delayed interpolator that follows a path. Under loss,
// and by the others, it has nearly that.
func TestScalesChangeOverTime(t *testing.T) {
	kinds := append([]interp.Kind{articles.SeedLinear, articles.SeedChase, articles.SeedRacer}, drawable...)
	for i := range 2 * len(kinds) {
		k, path, lossy := kinds[i/2], linksim.Symmetric(linksim.Condition{Delay: 40 * time.Millisecond, Seed: 1}), i%2 == 1
		if lossy {
			path = seeds(40 + uint64(i))
		}
		m := newMatch(t, nil)
		e := m.grow()
		a := m.join(path, func(c *netcode.ClientConfig[runner, input]) {
			c.Interpolation, c.Interpolators = k, articles.New
		})
		m.run(4*time.Second, nil)
		m.mustPlay()
		var off []float64
		var last mgl32.Vec3
		a.afterStep(func() {
			r := a.client.Replica(m.id(e))
			got := a.pose(r).Scale
			if step := got.Sub(last).Len(); last != (mgl32.Vec3{}) && step > 0.25 {
				t.Errorf("%s: the scale goes from %v to %v in a step", articles.Name(k), last, got)
			}
			last = got
			off = append(off, float64(got.Sub(growth(a.client.View().Seconds())).Len()))
		})
		m.run(10*time.Second, nil)
		worst := 0.0
		for _, x := range off {
			worst = max(worst, x)
		}
		// It changes by up to 1.8 in a second, and these show the present by the last snapshot.
		limit := 0.3
		if k == interp.Default || k == interp.Linear || k == interp.GuardedHermite {
			if limit = 0.002; lossy {
				limit = 0.15 // it is held for the 100 ms of an extrapolation
			}
		}
		t.Logf("%s, %v: %.4f", articles.Name(k), lossy, worst)
		if len(off) < 500 || worst > limit {
			t.Errorf("%s: in %d steps the scale is off by up to %.3f, want %.3f", articles.Name(k), len(off), worst, limit)
		}
	}
}

// An entity that stands and is resized once ends at its new scale, also at none, and then costs
// nothing. A teleport resizes at once.
func TestScaleOfARestingEntity(t *testing.T) {
	m := newMatch(t, nil)
	e := m.crate(kindCrate, components.At3D(3, 0, 0))
	a := m.join(seeds(50), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	for _, test := range []struct {
		scale float32
		jump  bool
	}{{2, false}, {0, false}, {1, false}, {0, true}, {-4, true}, {0.5, false}} {
		was := a.pose(a.replicaOf(m, e)).Scale[0]
		pose := scaled(3, mgl32.Vec3{test.scale, test.scale, test.scale})
		if test.jump {
			m.transform(e).Teleport(pose)
		} else {
			m.transform(e).Set(pose)
		}
		between := 0
		a.afterStep(func() {
			if x := a.pose(a.replicaOf(m, e)).Scale[0]; x != was && x != test.scale {
				between++
			}
		})
		m.run(2*time.Second, nil)
		if got := a.pose(a.replicaOf(m, e)).Scale; got != pose.Scale {
			t.Errorf("resized to %v, it is drawn at %v", pose.Scale, got)
		}
		if test.jump && between > 0 {
			t.Errorf("a teleport to a scale of %v is drawn in %d steps", test.scale, between)
		}
	}
}

// A player that crouches by the Scale of Game.Pose is seen to crouch by the others, and so is what
// it carries.
func TestCrouchIsSeenByOthers(t *testing.T) {
	game := runnerGame()
	game.Pose = func(s runner) components.Pose3D {
		pose := poseRunner(s)
		pose.Scale[1] = 1 - 0.5*min(max(s.Dash, 0)*5, 1)
		return pose
	}
	m := newMatchOf(t, newProtocolFor(t, netcode.Config{}, game), nil)
	a, b := m.join(seeds(61), nil), m.join(seeds(62), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	hat := m.crate(kindCrate, components.At3D(0, 0, 0))
	m.hang(hat, m.of(a).Entity, components.At3D(0, 2, 0))
	m.run(time.Second, nil)
	a.input = func(at netcode.Tick) input { return input{Dash: at%120 < 2} }
	low, high := [3]float32{9, 9, 9}, [3]float32{}
	m.run(8*time.Second, func() {
		for k, y := range [3]float32{
			a.pose(a.client.Entity()).Scale[1], b.pose(b.replicaOf(m, m.of(a).Entity)).Scale[1], b.world(b.replicaOf(m, hat))[1] / 2,
		} {
			low[k], high[k] = min(low[k], y), max(high[k], y)
		}
	})
	for k, who := range []string{"its own player", "another one", "another one, by what it carries"} {
		if low[k] > 0.6 || high[k] < 0.99 || high[k] > 1.01 {
			t.Errorf("%s sees a crouch between %.3f and %.3f, want 0.5 and 1", who, low[k], high[k])
		}
	}
}

// A body of PredictBodies has the scale of its Pose on the server, far from a player and near it.
func TestScaleOfBodies(t *testing.T) {
	p := newProtocolFor(t, netcode.Config{}, runnerGame())
	b := boxes()
	b.Pose = func(b box) components.Pose3D {
		pose := poseBox(b)
		pose.Scale = mgl32.Vec3{2, 1 + b.X/8, 2}
		return pose
	}
	netcode.PredictBodies(p, "box", b)
	m := newMatchOf(t, p, nil)
	a := m.join(seeds(71), nil)
	e := m.box(box{X: 4, Z: 0})
	far := m.box(box{X: -4, Z: 40})
	m.run(3*time.Second, nil)
	m.mustPlay()
	m.of(a).Teleport(runner{X: 0, Z: 0})
	m.run(time.Second, nil)
	a.input = func(netcode.Tick) input { return input{X: 1} }
	m.run(3*time.Second, func() {
		pose := a.pose(a.replicaOf(m, e))
		if want := (mgl32.Vec3{2, 1 + pose.Position[0]/8, 2}); scaleOff(pose.Scale, want) > 0.002 {
			t.Fatalf("a body at %v has a scale of %v, want %v", pose.Position, pose.Scale, want)
		}
	})
	if x := m.boxOf(e).X; x < 6 {
		t.Errorf("the body is at %v: it was not pushed", x)
	}
	if got := a.pose(a.replicaOf(m, far)).Scale; got != (mgl32.Vec3{2, 0.5, 2}) {
		t.Errorf("a far body has a scale of %v, want 2, 0.5, 2", got)
	}
}

// The scale of an entity is the server's, whichever Spawn has given it.
func TestSpawnDoesNotSetTheScale(t *testing.T) {
	m := newMatch(t, nil)
	e := m.crate(kindCrate, components.At3D(3, 0, 0))
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
		c.Spawn = func(w *arche.World, _ netcode.Replicated, _ bool) arche.Entity {
			l := components.NewLogical(scaled(0, mgl32.Vec3{5, 5, 5}))
			spawn := generic.NewMap2[components.Transform3D, components.Visual3D](w)
			return spawn.NewWith(&l, &components.Visual3D{})
		}
	})
	m.run(2*time.Second, nil)
	m.mustPlay()
	if got := a.pose(a.replicaOf(m, e)).Scale; got != (mgl32.Vec3{1, 1, 1}) {
		t.Errorf("a scale of %v, want the server's", got)
	}
}

// An interpolator of a game's own that knows nothing of scales draws the newest one.
type scaleless struct{ interp.Interpolator }

func (s scaleless) At(now, view time.Duration) (interp.State, interp.Info) {
	state, info := s.Interpolator.At(now, view)
	return interp.State{Position: state.Position, Rotation: state.Rotation}, info
}

func TestInterpolatorsWithoutScales(t *testing.T) {
	m := newMatch(t, nil)
	e := m.crate(kindCrate, scaled(3, mgl32.Vec3{2, 3, 4}))
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
		c.Interpolators = func(k interp.Kind, config interp.Config) interp.Interpolator { return scaleless{interp.New(k, config)} }
	})
	m.run(2*time.Second, nil)
	m.mustPlay()
	if got := a.pose(a.replicaOf(m, e)).Scale; got != (mgl32.Vec3{2, 3, 4}) {
		t.Errorf("a scale of %v, want 2, 3, 4", got)
	}
}

// A scale that cannot be sent is logged, once, with the entity and the remedy.
func TestScalesThatCannotBeSent(t *testing.T) {
	for scale, logged := range map[mgl32.Vec3]bool{
		{1e6, 1, 1}: true, {1, -2e5, 1}: true, {1, 1, 1e-7}: true, {1, 1e-4, 131000}: false, {0, 0, 0}: false, {1.0001, -1, 1}: false,
	} {
		var log bytes.Buffer
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		for range 2 {
			m.transform(m.crate(kindCrate, components.At3D(0, 0, 0))).Teleport(scaled(0, scale))
		}
		m.join(perfect(), nil)
		m.run(time.Second, nil)
		n := strings.Count(log.String(), "the scale of an entity cannot be sent")
		if want := map[bool]int{false: 0, true: 1}[logged]; n != want || logged && !strings.Contains(log.String(), "keep scales within") {
			t.Errorf("%v: %d lines, want %d: %s", scale, n, want, log.String())
		}
	}
}

// A recording has the scales of each tick, wherever a viewer goes.
func TestScalesInReplays(t *testing.T) {
	m, shut := eventfulMatch(t, 3, nil)
	e := m.grow()
	tape := &tapeFile{}
	file := replay.NewFile(tape, replay.Info{Game: "test", Version: "1"})
	m.run(time.Second, nil)
	if err := m.server.Record(file); err != nil {
		t.Fatal(err)
	}
	truth, _ := m.watch(shut)
	m.run(25*time.Second, nil)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	id := m.id(e)
	v := newViewer(t, tape.open(t))
	r := v.client.Replay()
	v.step()
	for _, at := range []time.Duration{0, 20 * time.Second, 3 * time.Second, 11111 * time.Millisecond, 4 * time.Second} {
		r.Seek(at)
		for range 30 {
			v.step()
			got := component[components.Transform3D](v.engine.World(), v.client.Replica(id)).Get().Scale
			if want := truth[v.tick()][id].pose.Scale; got.Sub(want).Len() > 0.001 {
				t.Fatalf("%v after a seek to %v: a scale of %v, want %v", r.At(), at, got, want)
			}
		}
	}
}

// An entity of another server has its scale here too, and clients draw it.
func TestScaleOfRelayedEntities(t *testing.T) {
	b := newShowing(t, 1, func(packet.Number) bool { return false })
	e := b.from.grow()
	b.from.engine.Update(0)
	b.neighbor.Relevant(e, 1)
	b.to.engine.Update(0)
	a := b.to.join(perfect(), nil)
	b.run(4*time.Second, nil)
	b.to.mustPlay()
	ghost := b.ghosts[b.from.id(e)]
	worst, n := 0.0, 0
	b.run(8*time.Second, func() {
		want := growth(a.client.View().Seconds())
		worst, n = max(worst, float64(a.pose(a.client.Replica(b.to.id(ghost))).Scale.Sub(want).Len())), n+1
	})
	// The states of relayed entities are older than others. So the view may be ahead of them by two
	// ticks, in which positions are extrapolated and scales are not.
	if worst > 2*1.8/tickRate || n < 100 {
		t.Errorf("in %d frames the scale is off by up to %.3f", n, worst)
	}
}
