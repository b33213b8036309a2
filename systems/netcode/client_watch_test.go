package netcode_test

import (
	"math"
	"slices"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// watchedRun is a match in which a client writes a log about all bodies.
type watchedRun struct {
	log    *timeline.Log
	client *player
	from   netcode.ClientStats // at the log's begin
	missed int                 // the most ticks in a row
	// A crate that moves and jumps, one that gets a parent and is removed, one that appears,
	// another player, and the own one.
	ids [5]netcode.EntityID
}

// watchedMatch plays a match on a line with loss and two outages.
func watchedMatch(t testing.TB, seed uint64) (w watchedRun) {
	t.Helper()
	m := newMatch(t, nil)
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Jitter: 15 * time.Millisecond, Loss: 0.1, Seed: 900 + 2*seed}), nil)
	b := m.join(linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond, Seed: 901 + 2*seed}), nil)
	a.input = func(t netcode.Tick) input { return input{X: int8(t/40%3) - 1} }
	b.input = func(t netcode.Tick) input { return input{Z: int8(t/50%3) - 1} }
	crates := []arche.Entity{m.crate(kindCrate, components.At3D(5, 0, 0)), m.crate(kindCrate, components.At3D(9, 0, 0))}
	step := 0
	m.onServer(func() {
		step++
		l := m.transform(crates[0])
		pose := l.Get()
		pose.Position[2] = 3 * float32(step) / tickRate
		if pose.Position[0] = 5; step%480 > 240 {
			pose.Position[0] = 40
		}
		if step%240 == 1 {
			l.Teleport(pose)
		} else {
			l.Set(pose)
		}
	})
	m.run(4*time.Second, nil)
	m.mustPlay()
	crates = append(crates, m.crate(kindCrate, components.At3D(1, 0, 1)))
	m.run(time.Second/60, nil)
	w.client = a
	w.ids = [5]netcode.EntityID{m.id(crates[0]), m.id(crates[1]), m.id(crates[2]), m.id(m.of(b).Entity), m.id(m.of(a).Entity)}
	w.log, w.from = timeline.New(0), a.client.Stats()
	a.client.Watch(w.log, append(w.ids[:], w.ids[0])...)
	look := func() { w.missed = max(w.missed, a.client.Stats().Missed) }
	m.run(2*time.Second, look)
	parents := generic.NewMap1[components.Parent](m.engine.World())
	parents.Assign(crates[1], &components.Parent{Entity: crates[2]})
	m.run(2*time.Second, look)
	m.engine.World().RemoveEntity(crates[1])
	m.of(a).State.X += 1 // a correction
	m.run(time.Second, look)
	for range 2 {
		if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
			t.Fatal(err)
		}
		m.run(700*time.Millisecond, look)
		if err := a.Conn.SetPath(a.Path); err != nil {
			t.Fatal(err)
		}
		m.run(3*time.Second, look)
	}
	a.Freeze(400 * time.Millisecond)
	m.run(2*time.Second, look)
	m.mustPlay()
	return w
}

// The events of a log are in the order of their times, and agree with the client's own figures.
func TestWatchAgreesWithStats(t *testing.T) {
	for seed := range uint64(3) {
		w := watchedMatch(t, seed)
		log, from, to, ids := w.log, w.from, w.client.client.Stats(), w.ids
		var snapshots, samples []time.Duration
		var kinds [timeline.Frame + 1]int
		var speeds []float32
		of := map[netcode.EntityID]map[timeline.Kind]int{}
		sampled, starved, corrected, dropped, missed := uint64(0), uint64(0), uint64(0), 0.0, 0
		last, worst := timeline.Event{At: math.MinInt64}, timeline.Event{}
		for e := range log.Events() {
			if e.At < last.At {
				t.Fatalf("an event of %v follows one of %v", e.At, last.At)
			}
			last = e
			kinds[e.Kind]++
			if of[e.Body] == nil {
				of[e.Body] = map[timeline.Kind]int{}
			}
			of[e.Body][e.Kind]++
			switch e.Kind {
			case timeline.Snapshot:
				snapshots = append(snapshots, e.Server)
			case timeline.Sample:
				if e.Body == ids[0] {
					samples = append(samples, e.Server)
				}
			case timeline.Drawn:
				if e.Flags&timeline.Sampled != 0 {
					sampled++
				}
				if e.Flags&timeline.Starved != 0 {
					starved++
				}
				if e.Body == ids[0] && e.C >= 0 {
					speeds = append(speeds, e.C)
				}
			case timeline.State:
				if e.Flags&timeline.Corrected != 0 {
					corrected++
					worst = e
				}
			case timeline.Frame:
				dropped += float64(e.B)
			case timeline.Missed:
				missed = max(missed, int(e.N))
			}
		}
		if n := to.Snapshots - from.Snapshots; uint64(len(snapshots)) != n || n < 200 || !slices.Equal(samples, snapshots) {
			t.Errorf("seed %d: %d snapshots, %d of them with the crate that moves, want %d", seed, len(snapshots), len(samples), n)
		}
		if n := to.Sampled - from.Sampled; sampled != n || n < 1000 {
			t.Errorf("seed %d: %d drawn from samples, want %d", seed, sampled, n)
		}
		if n := to.Starved - from.Starved; starved != n || n < 30 {
			t.Errorf("seed %d: %d starved, want %d", seed, starved, n)
		}
		if n := to.Corrections - from.Corrections; corrected != n || n == 0 || worst.A != float32(to.CorrectionError) {
			t.Errorf("seed %d: %d corrections, the last of %v, want %d and %v", seed, corrected, worst.A, n, to.CorrectionError)
		}
		if want := w.client.engine.Time().Dropped.Seconds(); math.Abs(dropped-want) > 1e-3 || want < 0.1 {
			t.Errorf("seed %d: %.3f s dropped, want %.3f", seed, dropped, want)
		}
		if missed != w.missed || missed < 5 {
			t.Errorf("seed %d: %d missed inputs in a row, want %d", seed, missed, w.missed)
		}
		one := func(id netcode.EntityID, k timeline.Kind, want int) {
			t.Helper()
			if n := of[id][k]; n != want {
				t.Errorf("seed %d: %d events of kind %d, want %d", seed, n, k, want)
			}
		}
		one(ids[0], timeline.Teleported, 4)
		one(ids[0], timeline.Spawned, 0)
		one(ids[1], timeline.Parent, 1)
		one(ids[1], timeline.Ended, 1)
		one(ids[2], timeline.Spawned, 1)
		one(ids[3], timeline.Ended, 0)
		if of[ids[4]][timeline.Drawn] < 500 {
			t.Errorf("seed %d: the own player is not in the log", seed)
		}
		slices.Sort(speeds)
		if v := speeds[len(speeds)/2]; math.Abs(float64(v)-3) > 0.1 {
			t.Errorf("seed %d: a crate of 3 m/s is drawn at %.2f m/s", seed, v)
		}
	}
}

// The same match gives the same log, bit for bit: no clock but the engine's is in it.
func TestWatchIsDeterministic(t *testing.T) {
	one, two := watchedMatch(t, 1).log, watchedMatch(t, 1).log
	if !slices.Equal(slices.Collect(one.Events()), slices.Collect(two.Events())) {
		t.Error("two equal matches have two logs")
	}
}

// Corrections of predicted bodies are in the log of the body.
func TestWatchBodies(t *testing.T) {
	b := boxes()
	m := newMatchOf(t, boxProtocol(t, b), nil)
	a := m.join(seeds(3), nil)
	m.join(perfect(), nil).input = func(t netcode.Tick) input { return input{X: int8(t/20%3) - 1} }
	a.input = a.wander(1)
	var ids []netcode.EntityID
	for i := range 8 {
		m.box(box{X: float32(i%3)*2 - 3, Z: float32(i/3)*2 - 2})
	}
	m.run(3*time.Second, nil)
	filter := generic.NewFilter1[netcode.Replicated]()
	for q := filter.Query(m.engine.World()); q.Next(); {
		ids = append(ids, q.Get().ID)
	}
	log, from := timeline.New(0), a.client.Stats()
	a.client.Watch(log, ids...)
	m.run(8*time.Second, nil)
	m.mustPlay()
	n, predicted := uint64(0), 0
	var last timeline.Event
	for e := range log.Events() {
		switch {
		case e.Kind == timeline.Mispredicted:
			n++
			last = e
		case e.Kind == timeline.Drawn && e.Flags&(timeline.Predicted|timeline.Own) == timeline.Predicted:
			predicted++
		}
	}
	to := a.client.Stats()
	if want := to.BodyCorrections - from.BodyCorrections; n != want || n == 0 || last.A != float32(to.BodyError) || predicted == 0 {
		t.Errorf("%d corrections, the last of %v, want %d and %v; %d steps predicted", n, last.A, want, to.BodyError, predicted)
	}
}

// A body that becomes the own one is in the log as such from its first state on, also if it is
// watched by its ID.
func TestWatchTheOwnBody(t *testing.T) {
	var id netcode.EntityID
	for range 2 { // two equal matches: the first one tells the ID
		m := newMatch(t, nil)
		a := m.join(perfect(), nil)
		log := timeline.New(0)
		a.client.Watch(log, id)
		m.run(2*time.Second, nil)
		m.mustPlay()
		if id == netcode.NoEntity {
			id = m.id(m.of(a).Entity)
			continue
		}
		own := 0
		for e := range log.Events() {
			if e.Body == id {
				if own++; e.Flags&timeline.Own == 0 {
					t.Errorf("an event of another body than the own one: %+v", e)
				}
			}
		}
		if own < tickRate || m.id(m.of(a).Entity) != id {
			t.Errorf("%d events of the own body", own)
		}
	}
}

// The own way through a portal of the game is a jump and not a speed.
func TestWatchAPortal(t *testing.T) {
	g := runnerGame()
	step := g.Step
	g.Step = func(s runner, in input, at netcode.Tick) runner {
		if s = step(s, in, at); s.X > 5 {
			s.X = -5
		}
		return s
	}
	m := newMatchOf(t, newProtocolFor(t, netcode.Config{}, g), nil)
	a := m.join(perfect(), nil)
	a.input = func(netcode.Tick) input { return input{X: 1} }
	last, passed := float32(0), 0
	a.afterStep(func() {
		state, ok := a.client.State()
		if ok && state.X < last-5 {
			component[components.Transform3D](a.engine.World(), a.client.Entity()).Teleport(poseRunner(state))
			passed++
		}
		last = state.X
	})
	m.run(time.Second, nil)
	m.mustPlay()
	log := timeline.New(0)
	a.client.Watch(log)
	passed = 0
	m.run(8*time.Second, nil)
	jumps, drawn := 0, 0
	for e := range log.Events() {
		switch {
		case e.Kind == timeline.Teleported:
			jumps++
		case e.Kind == timeline.Drawn && e.C > 15:
			t.Fatalf("a step at %v has %v m/s", e.At, e.C)
		case e.Kind == timeline.Drawn && e.C > 1:
			drawn++
		}
	}
	if passed < 3 || jumps != passed || drawn < 400 {
		t.Errorf("%d jumps of %d, %d steps with a speed", jumps, passed, drawn)
	}
}

// A client that is watched allocates nothing for it. The log takes the newest events only. Watch of
// nil ends it.
func TestWatchAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector allocates")
	}
	m := newMatch(t, nil)
	a := m.join(seeds(1), nil)
	for i := range 3 {
		m.crate(kindCrate, components.At3D(float32(i), 0, 0))
	}
	a.input = func(t netcode.Tick) input { return input{X: int8(t/40%3) - 1} }
	log := timeline.New(500)
	m.run(3*time.Second, nil)
	var ids []netcode.EntityID
	filter := generic.NewFilter1[netcode.Replicated]()
	for q := filter.Query(m.engine.World()); q.Next(); {
		ids = append(ids, q.Get().ID)
	}
	a.client.Watch(log, ids...)
	m.run(12*time.Second, nil)
	m.mustPlay()
	if n := testing.AllocsPerRun(5, func() { m.run(time.Second, nil) }) / tickRate; n > 0.05 {
		t.Errorf("%.2f allocations a tick", n)
	}
	if log.Len() != 500 || log.Dropped() < 1000 {
		t.Errorf("the log holds %d events of %d", log.Len(), log.Dropped())
	}
	a.client.Watch(nil)
	last := slices.Collect(log.Events())
	m.run(time.Second, nil)
	if !slices.Equal(last, slices.Collect(log.Events())) {
		t.Error("the log goes on after its end")
	}
}

// A replay writes what a recording knows, in the recording's times. A seek empties the log, and at
// the end it stands.
func TestWatchAReplay(t *testing.T) {
	file, truth, _ := recordedMatch(t, 6, 6*time.Second)
	v := newViewer(t, file.open(t))
	v.step()
	var ids []netcode.EntityID
	for _, of := range truth {
		for id := range of {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	log := timeline.New(0)
	v.client.Watch(log, ids...)
	v.client.Replay().Players(func(number uint16, _ netcode.EntityID) { v.client.Replay().Follow(number) })
	for v.client.Replay().At() < v.client.Replay().Length() {
		v.step()
	}
	var kinds [timeline.Frame + 1]int
	for e := range log.Events() {
		kinds[e.Kind]++
		if e.Kind != timeline.Drawn || e.At != e.Server {
			continue
		}
		want, ok := truth[netcode.Tick(uint32(math.Round(e.At.Seconds()*tickRate)))][e.Body]
		if !ok {
			t.Fatalf("%v is drawn at %v, where it is not in the match", e.Body, e.At)
		}
		if want.kind == kindRun && e.C > 1.05*2*runSpeed*math.Sqrt2 {
			t.Errorf("a runner is drawn at %v m/s", e.C)
		}
	}
	for _, k := range []timeline.Kind{timeline.Sample, timeline.Hold, timeline.Drawn, timeline.Spawned, timeline.Ended, timeline.Parent, timeline.Teleported} {
		if kinds[k] == 0 {
			t.Errorf("no event of kind %d", k)
		}
	}
	for _, k := range []timeline.Kind{timeline.Snapshot, timeline.View, timeline.State, timeline.Frame, timeline.Connection} {
		if kinds[k] > 0 {
			t.Errorf("%d events of kind %d, which no recording knows", kinds[k], k)
		}
	}
	n := log.Len()
	v.step()
	if log.Len() != n {
		t.Error("the log grows while the picture stands")
	}
	v.client.Replay().Seek(time.Second)
	v.step()
	if from, to := log.Span(); from != to || log.Len() == 0 || log.Len() >= n {
		t.Errorf("after a seek the log is from %v to %v", from, to)
	}
}
