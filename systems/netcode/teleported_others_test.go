package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

// rollBoxes rolls boxes to the right and round the map.
func rollBoxes(g *netcode.BodyGroup[runner, input, box], _ netcode.Tick) {
	for i := range g.Bodies {
		b := &g.Bodies[i].State
		if b.X += b.VX / tickRate; b.X > mapEdge {
			b.X -= 2 * mapEdge
		}
	}
}

// A body that goes through a gate in its step is drawn at the one end or at the other: by a client
// that predicts it there, by one near whose player it comes and goes, and by one far away. A kick
// of the server that pushes it over the edge is a jump, too.
func TestABodyThroughAGate(t *testing.T) {
	for _, c := range []struct {
		name string
		path func(seed uint64) linkPath
		rate int
	}{{"seeds", seeds, 20}, {"seeds", seeds, 60}, {"perfect", func(uint64) linkPath { return perfect() }, 10}} {
		b := boxes()
		b.Step, b.Teleported, b.Snap = rollBoxes, farApart, 0
		m := newMatchOf(t, boxProtocol(t, b), func(s *netcode.ServerConfig[runner, input]) { s.SnapshotRate = c.rate })
		ball := m.box(box{VX: 5})
		clients := []*player{m.join(c.path(1), nil), m.join(c.path(2), nil), m.join(c.path(3), nil)}
		m.run(3*time.Second, nil)
		m.mustPlay()
		for i, at := range []runner{{X: 9, Z: 3}, {X: 3, Z: 2}, {X: 0, Z: 90}} {
			m.of(clients[i]).Teleport(at)
		}
		m.run(6*time.Second, nil)
		var ways [3]wraps
		predicted := 0
		m.run(24*time.Second, func() {
			for i, p := range clients {
				ways[i].see(p.visual(p.replicaOf(m, ball))[0])
			}
			predicted += clients[0].client.Stats().Predicted
		})
		for i := range ways {
			t.Logf("%s at %d, client %d: %v; predicted in %d frames", c.name, c.rate, i, &ways[i], predicted)
			if ways[i].jumps < 5 || ways[i].between > 0 {
				t.Errorf("%s at %d: client %d draws it with %v", c.name, c.rate, i, &ways[i])
			}
		}
		if predicted < 300 {
			t.Errorf("predicted in %d frames: the test shows too little", predicted)
		}
		m.boxOf(ball).X, m.boxOf(ball).VX = 9.9, 0
		m.run(2*time.Second, nil)
		m.boxOf(ball).X = -9.9
		m.run(2*time.Second, func() {
			for i, p := range clients {
				if x := p.visual(p.replicaOf(m, ball))[0]; x > -9.8 && x < 9.8 {
					t.Fatalf("%s at %d: client %d draws the kicked body at %v", c.name, c.rate, i, x)
				}
			}
		})
	}
}

// A shot whose path leads through a gate is drawn at the one end or at the other, by its shooter
// and by others.
func TestAShotThroughAGate(t *testing.T) {
	p := shotProtocol(t, func(s *netcode.Shots[runner, input, rocket]) {
		s.Teleported = farApart
		s.Path = func(r rocket, age float64) (components.Pose3D, bool) {
			pose, flies := rocketPath(r, age)
			if pose.Position[2] > 15 {
				pose.Position[2] += 30
			}
			return pose, flies
		}
	})
	m := newMatchOf(t, p, nil)
	a, b := m.join(seeds(1), nil), m.join(seeds(2), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	a.input = func(at netcode.Tick) input { return input{Dash: at%90 == 0} }
	var seen [3]int // behind the gate
	m.run(12*time.Second, func() {
		for i, w := range []*arche.World{a.engine.World(), b.engine.World(), m.engine.World()} {
			for _, r := range rockets(w) {
				z := r.at[2]
				if visual := arche.ComponentID[components.Visual3D](w); w.Has(r.entity, visual) {
					z = (*components.Visual3D)(w.Get(r.entity, visual)).Get().Position[2]
				}
				if z > 15.4 && z < 44.9 {
					t.Fatalf("world %d has a shot at %v", i, z)
				}
				if z > 40 {
					seen[i]++
				}
			}
		}
	})
	if min(seen[0], seen[1], seen[2]) < 20 {
		t.Errorf("%v frames behind the gate: the test shows too little", seen)
	}
}

// News of a match state that puts the cabin of a paternoster from near its bottom to near its top
// is drawn as a jump. News that moves it by little fades.
func TestNewsAboutACabin(t *testing.T) {
	protocolOf := func() (p *protocol, phase *clockState) {
		p = newProtocol(t, netcode.Config{})
		phase = netcode.NewMatchState(p, "clock", nil, clock{})
		p.SetScriptedMover(kindCabin, func(t netcode.Tick) components.Pose3D {
			return components.At3D(0, float32(phase.At(t).Number)/100, 0)
		}, farApart)
		return p, phase
	}
	p, there := protocolOf()
	m := newMatchOf(t, p, nil)
	cabin := m.crate(kindCabin, components.At3D(0, 0, 0))
	m.protocol, _ = protocolOf()
	a := m.join(seeds(1), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	y := func() float32 { return a.visual(a.replicaOf(m, cabin))[1] }
	set := func(number uint16) { there.Set(clock{Number: number}, m.server.Tick().Add(1)) }
	set(40)
	faded := 0
	m.run(2*time.Second, func() {
		if at := y(); at > 0.01 && at < 0.39 {
			faded++
		}
	})
	if faded < 5 || y() < 0.399 {
		t.Errorf("a small change fades over %d frames to %v", faded, y())
	}
	set(990)
	m.run(2*time.Second, func() {
		if at := y(); at > 0.41 && at < 9.89 {
			t.Fatalf("drawn at %v", at)
		}
	})
	if y() != 9.9 {
		t.Errorf("drawn at %v in the end", y())
	}
}

// seen returns a coordinate of the drawn position of a replica.
func (v *viewer) seen(id netcode.EntityID, axis int) float32 {
	w := v.engine.World()
	return (*components.Visual3D)(w.Get(v.client.Replica(id), arche.ComponentID[components.Visual3D](w))).Get().Position[axis]
}

// A recording shows the jumps of steps and paths as the match did: at the present, by a player's
// eyes, and after a seek to just before one. The timeline names them.
func TestReplayOfJumps(t *testing.T) {
	file := &tapeFile{}
	game := wrapGame()
	protocolOf := func() *protocol {
		p := newProtocolFor(t, netcode.Config{}, game)
		p.SetScriptedMover(kindCabin, cabinPath, farApart)
		return p
	}
	m := newMatchOf(t, protocolOf(), func(c *netcode.ServerConfig[runner, input]) { c.RecordStates = 20 })
	cabin := m.crate(kindCabin, cabinPath(0))
	a, b := m.join(seeds(1), nil), m.join(seeds(2), nil)
	a.input = toTheRight
	m.run(3*time.Second, nil)
	m.mustPlay()
	log := timeline.New(0)
	a.client.Watch(log, m.id(cabin))
	recording := replay.NewFile(file, replay.Info{Game: "test", Version: "1"})
	if err := m.server.Record(recording); err != nil {
		t.Fatal(err)
	}
	m.run(20*time.Second, nil)
	if err := recording.Close(); err != nil {
		t.Fatal(err)
	}
	named := map[netcode.EntityID]int{}
	for e := range log.Events() {
		if e.Kind == timeline.Teleported {
			named[e.Body]++
		}
	}
	if own := named[m.id(m.of(a).Entity)]; own < 5 || own > 7 || named[m.id(cabin)] < 9 || named[m.id(cabin)] > 11 {
		t.Errorf("the timeline names %v jumps", named)
	}
	tape := file.open(t)
	for _, eyes := range []uint16{0, a.client.Number(), b.client.Number()} {
		v := newViewerOf(t, tape, protocolOf())
		v.client.Replay().FollowEyes(eyes)
		var run wraps
		var rise rising
		frame := func() {
			v.engine.Update(time.Second / 120)
			run.see(v.seen(m.id(m.of(a).Entity), 0))
			rise.see(v.seen(m.id(cabin), 1))
		}
		v.step()
		for v.client.Replay().At() < v.client.Replay().Length() {
			frame()
		}
		if run.jumps < 5 || run.between > 0 {
			t.Errorf("by the eyes of %d: the runner with %v", eyes, &run)
		}
		rise.must(t, "the cabin", 8)
		for at := 5 * time.Second; at < 8*time.Second; at += 100 * time.Millisecond {
			v.client.Replay().Seek(at)
			v.step()
			run, rise = wraps{}, rising{}
			for range 20 {
				frame()
			}
			if run.between > 0 || rise.between > 0 {
				t.Errorf("by the eyes of %d, after a seek to %v: %v, %+v", eyes, at, &run, rise)
			}
		}
	}
}
