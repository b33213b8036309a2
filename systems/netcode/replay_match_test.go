package netcode_test

import (
	"bytes"
	"math"
	"math/rand/v2"
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
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// tapeFile is a file in memory.
type tapeFile struct{ bytes.Buffer }

func (*tapeFile) Close() error { return nil }

func (f *tapeFile) open(t testing.TB) *replay.Tape {
	t.Helper()
	tape, err := replay.Read(bytes.NewReader(f.Bytes()), int64(f.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// moment is what a server's world holds after a tick.
type moment map[netcode.EntityID]thing

type thing struct {
	pose   components.Pose3D
	parent netcode.EntityID
	health health
	kind   uint16
}

// eventfulMatch makes a match of everything: bots that run, crates that wander, rest, creep, jump,
// appear, go, and ride on others, a lift, and a door.
func eventfulMatch(t testing.TB, seed uint64, change func(*netcode.ServerConfig[runner, input])) (m *match, shut *doorState) {
	t.Helper()
	p, shut := doorProtocol(t, false, (*doorState).At)
	m = newMatchOf(t, p, change)
	r := rand.New(rand.NewPCG(seed, 5))
	for i := range 3 {
		m.bot(func(_ *serverPlayer, at netcode.Tick) input {
			x := (uint64(at)/40 + uint64(i)*7919) * 0x9e3779b97f4a7c15 >> 32
			return input{X: int8(x%3) - 1, Z: int8(x/3%3) - 1, Dash: x%7 == 0}
		})
	}
	w := m.engine.World()
	lift := components.NewLogical(liftPath(0))
	lifts := generic.NewMap2[components.Transform3D, netcode.Replicated](w)
	lifts.NewWith(&lift, &netcode.Replicated{Archetype: kindLift})
	type crate struct {
		e     arche.Entity
		way   int
		since int
	}
	var crates []crate
	parents := generic.NewMap1[components.Parent](w)
	step := 0
	m.onServer(func() {
		step++
		if step%100 == 50 {
			shut.Set(r.IntN(2) == 0, m.server.Tick().Add(1+r.IntN(30)))
		}
		if len(crates) < 20 || r.IntN(40) == 0 {
			e := m.crate(kindCrate, components.At3D(r.Float32()*40-20, r.Float32(), r.Float32()*40-20))
			crates = append(crates, crate{e, r.IntN(5), step})
			if n := len(crates); n > 5 && r.IntN(4) == 0 {
				if by := crates[r.IntN(n-1)].e; !has[components.Parent](w, by) {
					parents.Assign(e, &components.Parent{Entity: by})
				}
			}
		}
		if n := len(crates); n > 20 {
			if i := r.IntN(n); r.IntN(10) == 0 {
				w.RemoveEntity(crates[i].e)
				crates = append(crates[:i], crates[i+1:]...)
			}
		}
		for i := range crates {
			c := &crates[i]
			if c.since+60 < step && r.IntN(30) == 0 {
				c.way, c.since = r.IntN(5), step
			}
			l := m.transform(c.e)
			pose := l.Get()
			speed := [...]float32{0, 3, 12, 0.02, 0.4}[c.way]
			turn := float64(c.since)
			pose.Position = pose.Position.Add(mgl32.Vec3{float32(math.Sin(turn)), 0, float32(math.Cos(turn))}.Mul(speed / tickRate))
			pose.Position[0], pose.Position[2] = mgl32.Clamp(pose.Position[0], -100, 100), mgl32.Clamp(pose.Position[2], -100, 100)
			switch {
			case c.way == 4 && r.IntN(50) == 0:
				pose.Position = mgl32.Vec3{r.Float32()*40 - 20, r.Float32(), r.Float32()*40 - 20}
				l.Teleport(pose)
			case pose != l.Get():
				l.Set(pose)
			}
			if r.IntN(60) == 0 {
				give(w, c.e, health{int32(r.IntN(100))})
			}
		}
	})
	return m, shut
}

// watch notes what there is on the server after each tick from now on.
func (m *match) watch(shut *doorState) (truth map[netcode.Tick]moment, door map[netcode.Tick]bool) {
	truth, door = map[netcode.Tick]moment{}, map[netcode.Tick]bool{}
	m.engine.AddAt(ecs.FixedEnd, ecs.OrderCapture+5, ecs.SystemFunc(func(w *arche.World) {
		at := m.server.Tick().Add(1)
		now := moment{}
		filter := generic.NewFilter2[components.Transform3D, netcode.Replicated]()
		for q := filter.Query(w); q.Next(); {
			l, rep := q.Get()
			of := thing{pose: l.Get(), kind: rep.Archetype}
			if id := arche.ComponentID[components.Parent](w); q.Has(id) {
				if e := (*components.Parent)(w.Get(q.Entity(), id)).Entity; w.Alive(e) {
					of.parent = component[netcode.Replicated](w, e).ID
				}
			}
			if has[health](w, q.Entity()) {
				of.health = *component[health](w, q.Entity())
			}
			now[rep.ID] = of
		}
		truth[at], door[at] = now, shut.At(at)
	}))
	return truth, door
}

// recordedMatch plays an eventful match for some time, and returns its recording and its truth.
func recordedMatch(t testing.TB, seed uint64, length time.Duration) (tape *tapeFile, truth map[netcode.Tick]moment, door map[netcode.Tick]bool) {
	t.Helper()
	m, shut := eventfulMatch(t, seed, nil)
	tape = &tapeFile{}
	file := replay.NewFile(tape, replay.Info{Game: "test", Version: "1"})
	m.run(time.Second, nil)
	if err := m.server.Record(file); err != nil {
		t.Fatal(err)
	}
	truth, door = m.watch(shut)
	messages := 0
	for end := m.now + length; m.now < end; {
		m.run(time.Second, nil)
		m.server.Broadcast([]byte{byte(messages)})
		m.server.Mark("second", uint16(messages))
		messages++
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	m.run(time.Second/10, nil) // the recording has ended, and the match goes on
	return tape, truth, door
}

// viewer is a client that plays a recording.
type viewer struct {
	t       testing.TB
	engine  *ecs.Engine
	client  *netcode.Client[runner, input]
	door    *doorState
	spawned int
	removed int
	heard   []byte
}

func newViewer(t testing.TB, tape *replay.Tape) *viewer {
	t.Helper()
	p, door := doorProtocol(t, false, (*doorState).At)
	v := newViewerOf(t, tape, p)
	v.door = door
	return v
}

// newViewerOf makes a client that plays a recording of a protocol's.
func newViewerOf(t testing.TB, tape *replay.Tape, p *protocol) *viewer {
	t.Helper()
	v := &viewer{t: t}
	var err error
	if v.engine, err = ecs.New(ecs.Config{FixedRate: tickRate}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.engine.Close)
	v.client, err = netcode.NewClient(p, netcode.ClientConfig[runner, input]{
		Replay: tape, Log: quiet(),
		Spawn: func(w *arche.World, _ netcode.Replicated, owned bool) arche.Entity {
			if v.spawned++; owned {
				t.Error("an entity of a recording is the viewer's own")
			}
			return w.NewEntity(arche.ComponentID[components.Transform3D](w), arche.ComponentID[components.Visual3D](w))
		},
		Removed: func(*arche.World, arche.Entity) { v.removed++ },
		Message: func(data []byte, _ bool) { v.heard = append(v.heard, data...) },
	})
	if err != nil {
		t.Fatal(err)
	}
	v.engine.Install(interpolation.New3D(), hierarchy.New3D(), v.client)
	return v
}

// step runs one fixed step, unless the engine is paused.
func (v *viewer) step() { v.engine.Update(time.Second/tickRate + 1) }

// tick returns the tick that is shown.
func (v *viewer) tick() netcode.Tick {
	r := v.client.Replay()
	return r.Tape().Tick(r.At())
}

// must compares the world with the truth of the tick that is shown. It returns the largest distance
// of a pose.
func (v *viewer) must(truth map[netcode.Tick]moment) (worst float64) {
	v.t.Helper()
	at := v.tick()
	want := truth[at]
	w := v.engine.World()
	n := 0
	filter := generic.NewFilter2[components.Transform3D, netcode.Replicated]()
	for q := filter.Query(w); q.Next(); {
		l, rep := q.Get()
		of, ok := want[rep.ID]
		if !ok {
			v.t.Fatalf("tick %d: %v of kind %d is not in the match", at, rep.ID, rep.Archetype)
		}
		n++
		parent := netcode.NoEntity
		if id := arche.ComponentID[components.Parent](w); q.Has(id) {
			if e := (*components.Parent)(w.Get(q.Entity(), id)).Entity; w.Alive(e) {
				parent = component[netcode.Replicated](w, e).ID
			}
		}
		life := health{}
		if has[health](w, q.Entity()) {
			life = *component[health](w, q.Entity())
		}
		if parent != of.parent || life != of.health || rep.Archetype != of.kind {
			v.t.Fatalf("tick %d: %v on %v has %v, want %+v", at, rep.ID, parent, life, of)
		}
		d := float64(l.Get().Position.Sub(of.pose.Position).Len())
		if worst = max(worst, d); d > 0.0018 {
			v.t.Fatalf("tick %d: %v of kind %d is %.4f m off: %v, want %v", at, rep.ID, rep.Archetype, d, l.Get().Position, of.pose.Position)
		}
	}
	if n != len(want) {
		v.t.Fatalf("tick %d: %d entities of %d", at, n, len(want))
	}
	return worst
}
