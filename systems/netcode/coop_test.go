package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A co-op: a lift stands on a ferry that turns, and a sailor steps off and on it. A carrier runs
// through a gate at each end of its lane, and picks up and drops a crate on its way. A giant grows
// and shrinks, and swings a sword in a hand that is not replicated.

// coopHero is a player of the co-op. At is in the lift's frame if it rides, else in the world's.
type coopHero struct {
	At    mgl32.Vec3
	Rides bool
}

type coopKeys struct {
	X    int8 `range:"-1,1"`
	Step bool
}

const (
	coopHeroKind = iota + 1
	coopFerry
	coopLift
	coopCrate
	coopGiant
	coopSword

	coopEdge = 12.0 // the gates stand at x = 12 and x = -12
	coopLane = -9.0 // z of the carrier's lane
)

func coopFerryPath(k netcode.Tick) components.Pose3D {
	s := float64(k) / tickRate
	p := components.At3D(float32(20*math.Sin(s/5)), 0, 30)
	p.Rotation = mgl32.QuatRotate(float32(0.4*s), mgl32.Vec3{0, 1, 0})
	return p
}

func coopLiftPath(k netcode.Tick) components.Pose3D {
	return components.At3D(3, 2+2*float32(math.Sin(float64(k)/30)), 0)
}

func coopFloor(k netcode.Tick) components.Pose3D { return coopFerryPath(k).Mul(coopLiftPath(k)) }

func coopProtocol(t testing.TB) *netcode.Protocol[coopHero, coopKeys] {
	p, err := netcode.NewProtocol(netcode.Config{TickRate: tickRate, Velocity: netcode.Range{Max: 64, Resolution: 1.0 / 64}}, netcode.Game[coopHero, coopKeys]{
		Step: func(s coopHero, in coopKeys, k netcode.Tick) coopHero {
			if in.Step {
				if s.Rides {
					s.At, s.Rides = coopFloor(k.Add(1)).Apply(s.At), false
				} else {
					s.At, s.Rides = coopFloor(k.Add(1)).Inverse().Apply(s.At), true
				}
			}
			if s.At[0] += 4 * float32(in.X) / tickRate; !s.Rides && s.At[2] < 0 && s.At[0] > coopEdge {
				s.At[0] -= 2 * coopEdge
			}
			return s
		},
		Pose: func(s coopHero) components.Pose3D { return components.At3D(s.At[0], s.At[1], s.At[2]) },
		Teleported: func(before, after components.Pose3D) bool {
			return before.Position.Sub(after.Position).Len() > coopEdge
		},
		MovementBase: func(s coopHero) netcode.MovementBase {
			if s.Rides {
				return netcode.MovementBase{Mover: coopLift}
			}
			return netcode.MovementBase{}
		},
		Distance: func(a, b coopHero) float64 {
			if a.Rides != b.Rides {
				return 1
			}
			return float64(a.At.Sub(b.At).Len())
		},
		Tolerance: 0.001,
		Rules: netcode.InputRules[coopKeys]{
			Repeat: func(k coopKeys) coopKeys { k.Step = false; return k },
			Merge:  func(into, late coopKeys) coopKeys { into.Step = into.Step || late.Step; return into },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.SetScriptedMover(coopFerry, coopFerryPath)
	p.SetScriptedMover(coopLift, coopLiftPath)
	return p
}

// coopName names a thing of the co-op: its archetype, and its owner if it is a player.
type coopName struct{ kind, owner uint16 }

// coopTruth is where things are on the server after each tick.
type coopTruth map[coopName][]mgl32.Vec3

// off returns how far a drawn position is from the path of a thing, between two ticks. Where the
// path leaps there is no way.
func (c coopTruth) off(name coopName, at mgl32.Vec3, from, to int) float64 {
	path := c[name]
	from, to = max(from, 0), min(to, len(path)-1)
	least := math.Inf(1)
	for i := from; i < to; i++ {
		a, b := path[i], path[i+1]
		if way := b.Sub(a); way.Len() < coopEdge {
			share := float32(0)
			if l := way.Dot(way); l > 0 {
				share = mgl32.Clamp(at.Sub(a).Dot(way)/l, 0, 1)
			}
			least = min(least, float64(at.Sub(a.Add(way.Mul(share))).Len()))
		}
	}
	return least
}

// coopScreen looks at one world.
type coopScreen struct {
	name   string
	engine *ecs.Engine
	last   map[coopName]mgl32.Vec3
	way    map[coopName]float64 // the greatest in a frame, jumps apart
	frames map[coopName]int
	looks  []coopLook
}

// coopLook is a thing in a frame. It is compared when the truth of its time is known.
type coopLook struct {
	name coopName
	at   mgl32.Vec3
	tick int // of the server when it was drawn
}

func newCoopScreen(name string, e *ecs.Engine) *coopScreen {
	return &coopScreen{name: name, engine: e, last: map[coopName]mgl32.Vec3{}, way: map[coopName]float64{}, frames: map[coopName]int{}}
}

// coopThings calls f for each replicated entity of a world that is drawn.
func coopThings(w *arche.World, f func(name coopName, e arche.Entity)) {
	type found struct {
		name coopName
		e    arche.Entity
	}
	var all []found
	filter := generic.NewFilter2[netcode.Replicated, components.Transform3D]()
	for q := filter.Query(w); q.Next(); {
		r, _ := q.Get()
		name := coopName{kind: r.Archetype}
		if r.Archetype == coopHeroKind {
			name.owner = r.Owner
		}
		all = append(all, found{name, q.Entity()})
	}
	for _, o := range all {
		f(o.name, o.e)
	}
}

// look notes what is drawn.
func (s *coopScreen) look(tick int) {
	w := s.engine.World()
	tree := hierarchy.Of(w)
	coopThings(w, func(name coopName, e arche.Entity) {
		if !has[components.Visual3D](w, e) {
			return
		}
		at := tree.VisualWorld(e).Col(3).Vec3()
		if last, seen := s.last[name]; seen {
			if d := float64(at.Sub(last).Len()); d < coopEdge {
				s.way[name] = max(s.way[name], d)
			}
		}
		s.last[name] = at
		s.frames[name]++
		s.looks = append(s.looks, coopLook{name, at, tick})
	})
}

// must compares what was drawn with the truth.
func (s *coopScreen) must(t *testing.T, truth coopTruth, line string, ahead, behind int, far float64, ways map[coopName]float64) {
	t.Helper()
	worst, wrong := map[coopName]float64{}, map[coopName]int{}
	for _, l := range s.looks {
		off := truth.off(l.name, l.at, l.tick-behind, l.tick+ahead)
		worst[l.name] = max(worst[l.name], off)
		if off > far {
			wrong[l.name]++
		}
	}
	for name, frames := range s.frames {
		t.Logf("%s, %s: %+v: %d frames, at most %.3f m in a frame, at most %.3f m from its path", line, s.name, name, frames, s.way[name], worst[name])
		if way := ways[coopName{kind: name.kind}]; s.way[name] > way {
			t.Errorf("%s, %s: %+v moves %.3f m in a frame, want at most %.3f", line, s.name, name, s.way[name], way)
		}
		// A crate glides from hand to hand, and so does the rider from the lift, which others see
		// at their own tick, to the world, which they see in the past.
		if glides := name.kind == coopCrate || name == (coopName{coopHeroKind, 2}); wrong[name] > 0 && !glides {
			t.Errorf("%s, %s: %+v is drawn up to %.2f m from its path in %d of %d frames", line, s.name, name, worst[name], wrong[name], frames)
		}
	}
	if len(s.frames) != 8 {
		t.Errorf("%s, %s: %d things, want 8", line, s.name, len(s.frames))
	}
}

// coopServer adds the world of the co-op to a server.
func coopServer(e *ecs.Engine, truth coopTruth) netcode.ServerConfig[coopHero, coopKeys] {
	tree := quietHierarchy(true)
	e.Install(tree)
	w := e.World()
	things := generic.NewMap2[components.Transform3D, netcode.Replicated](w)
	parents := generic.NewMap1[components.Parent](w)
	add := func(kind uint16, pose components.Pose3D, parent arche.Entity) arche.Entity {
		at := components.NewLogical(pose)
		made := things.NewWith(&at, &netcode.Replicated{Archetype: kind})
		if !parent.IsZero() {
			parents.Assign(made, &components.Parent{Entity: parent})
		}
		return made
	}
	ferry := add(coopFerry, coopFerryPath(0), arche.Entity{})
	add(coopLift, coopLiftPath(0), ferry)
	crate := add(coopCrate, components.At3D(0, 0, coopLane), arche.Entity{})
	giant := add(coopGiant, components.At3D(-20, 0, 0), arche.Entity{})
	hand := add(0, components.At3D(0.5, 1, 0), giant)
	w.Remove(hand, arche.ComponentID[netcode.Replicated](w))
	add(coopSword, components.At3D(0, 0, 1), hand)
	logical := func(e arche.Entity) *components.Transform3D { return component[components.Transform3D](w, e) }
	var carrier arche.Entity
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		k := e.Time().Tick
		s := float64(k) / tickRate
		g := components.At3D(-20, 0, 0)
		size := float32(2 + math.Sin(s))
		g.Scale = mgl32.Vec3{size, size, size}
		logical(giant).Set(g)
		h := components.At3D(0.5, 1, 0)
		h.Rotation = mgl32.QuatRotate(float32(math.Sin(2*s)), mgl32.Vec3{0, 1, 0})
		logical(hand).Set(h)
		if !w.Alive(carrier) {
			return
		}
		near := logical(carrier).Get().Position
		switch k % 480 {
		case 0: // it is put away, and comes back to where the carrier is
			logical(crate).Teleport(components.At3D(0, 0, 60))
		case 60:
			logical(crate).Teleport(components.At3D(near[0], near[1]+0.5, near[2]))
		case 240:
			_ = tree.Reparent(crate, carrier)
		case 420:
			_ = tree.Reparent(crate, arche.Entity{})
		}
	}))
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture+5, ecs.SystemFunc(func(*arche.World) {
		coopThings(w, func(name coopName, thing arche.Entity) {
			path := truth[name]
			for len(path) <= int(e.Time().Tick) { // before it was there
				path = append(path, mgl32.Vec3{1e6, 0, 0})
			}
			truth[name] = append(path, tree.LogicalWorld(thing).Col(3).Vec3())
		})
	}))
	first := true
	return netcode.ServerConfig[coopHero, coopKeys]{Log: quiet(), Joined: func(p *netcode.Player[coopHero, coopKeys]) (coopHero, arche.Entity) {
		state := coopHero{At: mgl32.Vec3{0, 0, coopLane - 5*float32(p.Number())}}
		if p.Number() == 2 {
			state = coopHero{Rides: true}
		}
		at := components.NewLogical(components.At3D(0, 0, 0))
		made := things.NewWith(&at, &netcode.Replicated{Archetype: coopHeroKind})
		if first {
			first, carrier = false, made
		}
		return state, made
	}}
}

// On three screens and in the replay nothing moves further in a frame than what carries it
// explains, nothing is drawn in the middle of a gate, and all but what glides from one frame to
// another is on the path that it has on the server.
func TestCoop(t *testing.T) {
	for _, line := range []struct {
		name string
		path func(seed uint64) linkPath
		far  float64
	}{
		{"clean", func(uint64) linkPath { return perfect() }, 0.1},
		{"150 ms, 10 %", func(seed uint64) linkPath {
			return linksim.Symmetric(linksim.Condition{Delay: 75 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.1, Seed: seed})
		}, 0.25},
		{"seeds", seeds, 0.25},
	} {
		t.Run(line.name, func(t *testing.T) { playCoop(t, line.name, line.path, line.far) })
	}
}

func playCoop(t *testing.T, line string, path func(seed uint64) linkPath, far float64) {
	truth := coopTruth{}
	m := netcodetest.New(t, netcodetest.Config[coopHero, coopKeys]{
		Protocol: func() *netcode.Protocol[coopHero, coopKeys] { return coopProtocol(t) },
		Server:   func(e *ecs.Engine) netcode.ServerConfig[coopHero, coopKeys] { return coopServer(e, truth) },
		Client:   func(e *ecs.Engine) { e.Install(interpolation.New3D(), hierarchy.New3D()) },
	})
	var screens []*coopScreen
	for i, input := range []func(netcode.Tick) coopKeys{
		func(netcode.Tick) coopKeys { return coopKeys{X: 1} },
		func(k netcode.Tick) coopKeys { return coopKeys{Step: uint32(k)%97 == 0} },
		func(netcode.Tick) coopKeys { return coopKeys{} },
	} {
		c := m.Join(path(uint64(i+1)), netcode.ClientConfig[coopHero, coopKeys]{Input: input, Log: quiet()})
		screens = append(screens, newCoopScreen([]string{"carrier", "rider", "third"}[i], c.Engine))
		m.Run(time.Second, nil) // so that the numbers are theirs
		if c.Number() != uint16(i+1) {
			t.Fatalf("player %d has the number %d", i+1, c.Number())
		}
	}
	m.Run(4*time.Second, nil)
	tape := &tapeFile{}
	file := replay.NewFile(tape, replay.Info{Game: "co-op", Version: "1"})
	if err := m.Server.Record(file); err != nil {
		t.Fatal(err)
	}
	m.Run(24*time.Second, func() {
		for _, s := range screens {
			s.look(int(m.Engine.Time().Tick))
		}
	})
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	m.Run(time.Second, nil) // the truth of what was predicted
	ways := map[coopName]float64{
		{coopHeroKind, 0}: 0.2, {coopFerry, 0}: 0.06, {coopLift, 0}: 0.08, {coopCrate, 0}: 0.15, {coopGiant, 0}: 0.001, {coopSword, 0}: 0.1,
	}
	for i, s := range screens {
		s.must(t, truth, line, 60, 90, far, ways)
		if i > 0 && s.way[coopName{coopCrate, 0}] > 0.08 {
			t.Errorf("%s, %s: the crate moves %.3f m in a frame", line, s.name, s.way[coopName{coopCrate, 0}])
		}
	}

	e, err := ecs.New(ecs.Config{FixedRate: tickRate})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	c, err := netcode.NewClient(coopProtocol(t), netcode.ClientConfig[coopHero, coopKeys]{Replay: tape.open(t), Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	e.Install(interpolation.New3D(), hierarchy.New3D(), c)
	again := newCoopScreen("replay", e)
	for r := c.Replay(); r.At() < r.Length(); {
		e.Update(time.Second / 120)
		again.look(int(r.Tape().Tick(r.At())))
	}
	again.must(t, truth, line, 3, 3, 0.05, ways)
}
