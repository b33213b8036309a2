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

// recordedMatch plays a match of everything for some time, and returns its recording and its truth:
// bots that run, crates that wander, rest, creep, jump, appear, go, and ride on others, a lift, and
// a door.
func recordedMatch(t testing.TB, seed uint64, length time.Duration) (tape *tapeFile, truth map[netcode.Tick]moment, door map[netcode.Tick]bool) {
	t.Helper()
	p, shut := doorProtocol(t, false, (*doorState).At)
	m := newMatchOf(t, p, nil)
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
	truth, door = map[netcode.Tick]moment{}, map[netcode.Tick]bool{}
	tape = &tapeFile{}
	file := replay.NewFile(tape, replay.Info{Game: "test", Version: "1"})
	m.run(time.Second, nil)
	if err := m.server.Record(file); err != nil {
		t.Fatal(err)
	}
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
	v := &viewer{t: t}
	var err error
	if v.engine, err = ecs.New(ecs.Config{FixedRate: tickRate}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.engine.Close)
	p, door := doorProtocol(t, false, (*doorState).At)
	v.door = door
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

// Each tick of a recording is the server's, to half a quantum of the positions: who is there, on
// which parent, with which components.
func TestReplayIsTheMatch(t *testing.T) {
	for seed := range uint64(2) {
		file, truth, door := recordedMatch(t, seed, 12*time.Second)
		tape := file.open(t)
		v := newViewer(t, tape)
		worst, ticks := 0.0, 0
		for {
			v.step()
			worst = max(worst, v.must(truth))
			if at := v.tick(); v.door.At(at) != door[at] {
				t.Fatalf("tick %d: the door is shut: %v, want %v", at, v.door.At(at), door[at])
			}
			if ticks++; v.client.Replay().At() == v.client.Replay().Length() {
				break
			}
		}
		// the first update runs two steps
		if want := int(tape.Last().Sub(tape.First())); ticks != want || ticks < 11*tickRate {
			t.Errorf("%d ticks in %d steps", want, ticks)
		}
		if len(v.heard) < 10 || len(tape.Marks()) != len(v.heard) {
			t.Errorf("messages %v, marks %v", v.heard, tape.Marks())
		}
		v.step() // at the end the picture stands
		v.must(truth)
		t.Logf("%d ticks, %d kB a minute, at most %.2f mm off, %d spawns", ticks, file.Len()*60/1000/12, 1000*worst, v.spawned)
	}
}

// After a seek, forward, back or in a pause, the world is the server's at that tick, the picture is
// at the logical poses, and entities that are there before and after are the same.
func TestReplaySeeks(t *testing.T) {
	file, truth, door := recordedMatch(t, 7, 12*time.Second)
	tape := file.open(t)
	v := newViewer(t, tape)
	r := rand.New(rand.NewPCG(7, 7))
	jumps := 0
	v.client.Replay().Jumped = func() { jumps++ }
	v.step()
	for k := range 100 {
		paused := k%3 == 2
		if err := v.engine.SetScale(map[bool]float64{true: 0, false: 1}[paused]); err != nil {
			t.Fatal(err)
		}
		v.engine.Update(0)
		before := map[netcode.EntityID]arche.Entity{}
		for id := range truth[v.tick()] {
			before[id] = v.client.Replica(id)
		}
		spawned, removed := v.spawned, v.removed
		to := tape.First().Add(r.IntN(int(tape.Last().Sub(tape.First())) + 1))
		v.client.Replay().Seek(time.Hour)
		v.client.Replay().Seek(tape.At(to)) // of two the last counts
		for n := 0; jumps < k+2 && n < 20; n++ {
			v.engine.Update(time.Second / 1000) // a pause takes one frame, else the step is soon due
		}
		if at := v.tick(); at != to || jumps != k+2 {
			t.Fatalf("a seek to tick %d shows %d, after %d jumps", to, at, jumps)
		}
		v.must(truth)
		w := v.engine.World()
		stay := 0
		for id := range truth[to] {
			e := v.client.Replica(id)
			if old, ok := before[id]; ok {
				if stay++; e != old {
					t.Fatalf("seek %d: %v has another entity", k, id)
				}
			}
			logical, visual := component[components.Transform3D](w, e), component[components.Visual3D](w, e)
			if d := visual.Get().Position.Sub(logical.Get().Position).Len(); d > 1e-4 {
				t.Fatalf("seek %d: %v is drawn %v m from its pose", k, id, d)
			}
		}
		if v.spawned-spawned != len(truth[to])-stay || v.removed-removed != len(before)-stay {
			t.Fatalf("seek %d: %d spawns and %d removals for %d before, %d after, %d of both", k, v.spawned-spawned, v.removed-removed, len(before), len(truth[to]), stay)
		}
		if v.door.At(to) != door[to] {
			t.Fatalf("seek %d: the door is shut: %v", k, v.door.At(to))
		}
		if paused {
			v.step()
			if v.tick() != to {
				t.Fatalf("in a pause it goes on to tick %d", v.tick())
			}
			continue
		}
		for range 3 {
			v.step()
			v.must(truth)
		}
	}
}
