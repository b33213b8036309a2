package netcode_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// Each tick of a recording is the server's, to half a quantum of the positions: who is there, on
// which parent, with which components.
func TestReplayIsTheMatch(t *testing.T) {
	for seed := range uint64(2) {
		const seconds = 30
		file, truth, door := recordedMatch(t, seed, seconds*time.Second)
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
		if want := int(tape.Last().Sub(tape.First())); ticks != want || ticks < (seconds-1)*tickRate {
			t.Errorf("%d ticks in %d steps", want, ticks)
		}
		if len(v.heard) < 10 || len(tape.Marks()) != len(v.heard) {
			t.Errorf("messages %v, marks %v", v.heard, tape.Marks())
		}
		v.step() // at the end the picture stands
		v.must(truth)
		t.Logf("%d ticks, %d kB a minute, at most %.2f mm off, %d spawns", ticks, file.Len()*60/1000/seconds, 1000*worst, v.spawned)
	}
}

// After a seek, forward, back or in a pause, the world is the server's at that tick, the picture is
// at the logical poses, and entities that are there before and after are the same.
func TestReplaySeeks(t *testing.T) {
	removed, reused := 0, 0
	for seed := range uint64(3) {
		a, b := seekAround(t, seed, 300)
		removed, reused = removed+a, reused+b
	}
	if removed < 5 || reused < 1 {
		t.Errorf("%d entities stay that the client knew to be removed soon, %d of a slot with a new owner: the test shows nothing", removed, reused)
	}
}

// seekAround seeks to random ticks of a recording of thirty seconds. It returns how many entities
// stay although the client has read ahead that they are removed, and how many of those had lost
// their slot.
func seekAround(t *testing.T, seed uint64, seeks int) (leaving, reused int) {
	t.Helper()
	file, truth, door := recordedMatch(t, seed, 30*time.Second)
	tape := file.open(t)
	v := newViewer(t, tape)
	r := rand.New(rand.NewPCG(seed, 7))
	jumps := 0
	v.client.Replay().Jumped = func() { jumps++ }
	v.step()
	for k := range seeks {
		paused := k%3 == 2
		if err := v.engine.SetScale(map[bool]float64{true: 0, false: 1}[paused]); err != nil {
			t.Fatal(err)
		}
		v.engine.Update(0)
		before := map[netcode.EntityID]arche.Entity{}
		for id := range truth[v.tick()] {
			before[id] = v.client.Replica(id)
		}
		soon := truth[v.tick().Add(3)] // the client has read so far ahead
		slots := map[int]bool{}
		for id := range soon {
			slots[id.Slot()] = true
		}
		spawned, removed := v.spawned, v.removed
		to := tape.First().Add(r.IntN(int(tape.Last().Sub(tape.First())) + 1))
		v.client.Replay().Seek(time.Hour)
		v.client.Replay().Seek(tape.At(to)) // of two the last counts
		for n := 0; jumps < k+2 && n < 20; n++ {
			// a pause takes one frame, else the step is soon due
			v.engine.Update(time.Second / 1000)
		}
		if at := v.tick(); at != to || jumps != k+2 {
			t.Fatalf("seed %d: a seek to tick %d shows %d, after %d jumps", seed, to, at, jumps)
		}
		v.must(truth)
		w := v.engine.World()
		stay := 0
		for id := range truth[to] {
			e := v.client.Replica(id)
			if old, ok := before[id]; ok {
				if stay++; e != old {
					t.Fatalf("seed %d, seek %d: %v is %v, and was %v", seed, k, id, e, old)
				}
				if _, known := soon[id]; !known && soon != nil {
					if leaving++; slots[id.Slot()] {
						reused++
					}
				}
			}
			if !w.Alive(e) {
				t.Fatalf("seed %d, seek %d: %v has no entity", seed, k, id)
			}
			logical, visual := component[components.Transform3D](w, e), component[components.Visual3D](w, e)
			if d := visual.Get().Position.Sub(logical.Get().Position).Len(); d > 1e-4 {
				t.Fatalf("seed %d, seek %d: %v is drawn %v m from its pose", seed, k, id, d)
			}
		}
		if v.spawned-spawned != len(truth[to])-stay || v.removed-removed != len(before)-stay {
			t.Fatalf("seed %d, seek %d: %d spawns and %d removals for %d before, %d after, %d of both", seed, k, v.spawned-spawned, v.removed-removed, len(before), len(truth[to]), stay)
		}
		if v.door.At(to) != door[to] {
			t.Fatalf("seed %d, seek %d: the door is shut: %v", seed, k, v.door.At(to))
		}
		if paused {
			v.step()
			if v.tick() != to {
				t.Fatalf("seed %d: in a pause it goes on to tick %d", seed, v.tick())
			}
			continue
		}
		for range 3 {
			v.step()
			v.must(truth)
		}
	}
	return leaving, reused
}

// In slow motion no body that moves stands still in a frame.
func TestReplayInSlowMotion(t *testing.T) {
	file, _, _ := recordedMatch(t, 3, 6*time.Second)
	v := newViewer(t, file.open(t))
	v.step()
	last := map[netcode.EntityID]mgl32.Vec3{}
	before := map[netcode.EntityID]bool{}
	moving, still := 0, 0
	if err := v.engine.SetScale(0.1); err != nil {
		t.Fatal(err)
	}
	for range 40 * 144 {
		v.engine.Update(time.Second / 144)
		filter := generic.NewFilter3[components.Transform3D, components.Visual3D, netcode.Replicated]()
		for q := filter.Query(v.engine.World()); q.Next(); {
			_, visual, rep := q.Get()
			if rep.Archetype != kindRun {
				continue
			}
			at := visual.Get().Position
			moves := at != last[rep.ID]
			if _, ok := last[rep.ID]; ok && before[rep.ID] {
				moving++
				if !moves {
					still++ // it stops, or it stutters
				}
			}
			last[rep.ID], before[rep.ID] = at, moves
		}
	}
	// Each of three bots changes its way at most 3 times in 2 of the 4 seconds that are shown.
	if moving < 1000 || still > 20 {
		t.Errorf("%d of %d frames of bodies that moved stand still", still, moving)
	}
}

// A player that is followed gives the client its number and its entity.
func TestReplayFollows(t *testing.T) {
	file, truth, _ := recordedMatch(t, 4, 3*time.Second)
	v := newViewer(t, file.open(t))
	v.step()
	players := 0
	v.client.Replay().Players(func(number uint16, entity netcode.EntityID) {
		players++
		v.client.Replay().Follow(number)
		e := v.client.Entity()
		if v.client.Number() != number || e != v.client.Replica(entity) || truth[v.tick()][entity].kind != kindRun {
			t.Errorf("player %d is %v, and the client's is %d with %v", number, entity, v.client.Number(), e)
		}
	})
	if v.client.Replay().Follow(0); players != 3 || !v.client.Entity().IsZero() {
		t.Errorf("%d players; without one to follow the entity is %v", players, v.client.Entity())
	}
}

// The last seconds are played again by a second engine while the match goes on.
func TestReplayOfARing(t *testing.T) {
	m := newMatch(t, nil)
	m.bot(func(*serverPlayer, netcode.Tick) input { return input{X: 1} })
	ring := replay.NewRing(5 * time.Second)
	if err := m.server.Record(ring); err != nil {
		t.Fatal(err)
	}
	m.run(20*time.Second, nil)
	tape, err := ring.Clip(5 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if l := tape.Length(); l < 5*time.Second || l > 7*time.Second {
		t.Errorf("the clip has %v", l)
	}
	p := newProtocol(t, netcode.Config{})
	e, err := ecs.New(ecs.Config{FixedRate: tickRate})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	client, err := netcode.NewClient(p, netcode.ClientConfig[runner, input]{Replay: tape, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	e.Install(interpolation.New3D(), client)
	client.Replay().Follow(1)
	client.Replay().Seek(time.Hour)
	e.Update(time.Second / tickRate)
	l := component[components.Transform3D](e.World(), client.Entity())
	if got, want := l.Get().Position, poseRunner(m.joined[0].State).Position; got.Sub(want).Len() > 0.12 {
		t.Errorf("the clip ends at %v, and the match is at %v", got, want)
	}
}

// A recording of another game is refused in words.
func TestReplayOfAnotherGame(t *testing.T) {
	file, _, _ := recordedMatch(t, 5, time.Second)
	_, err := netcode.NewClient(newProtocol(t, netcode.Config{Version: 2}), netcode.ClientConfig[runner, input]{Replay: file.open(t)})
	if err == nil || !strings.Contains(err.Error(), "builds do not match") || !strings.Contains(err.Error(), `recording of "test", version "1"`) {
		t.Errorf("it says: %v", err)
	}
	_, err = netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{
		Replay: file.open(t), Dial: func() (netcode.Conn, error) { return nil, nil },
	})
	if err == nil || !strings.Contains(err.Error(), "leave out Dial") {
		t.Errorf("of a client with a Replay and Dial it says: %v", err)
	}
}

// What recording costs a match: nothing in what the players receive, and no allocation in a step.
func TestRecordingAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector allocates")
	}
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.RecordStates = 20 })
	m.bot(func(_ *serverPlayer, at netcode.Tick) input { return input{X: int8(at/6%3) - 1} })
	for i := range 50 {
		m.crate(kindCrate, components.At3D(float32(i), 0, 0))
	}
	if err := m.server.Record(replay.NewRing(2 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for range 20 * tickRate {
		m.engine.Update(time.Second / tickRate)
	}
	if n := testing.AllocsPerRun(300, func() { m.engine.Update(time.Second / tickRate) }); n > 0 {
		t.Errorf("a step of a server that records allocates %v times", n)
	}
}

// A recording whose header names another tick rate is refused, and the error says what to do: all
// its times would be wrong.
func TestReplayOfAnotherRate(t *testing.T) {
	m := newMatch(t, nil)
	k := &session{}
	if err := m.server.Record(k); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []replay.Kind{replay.Server, replay.Client, replay.Exact} {
		s := k.Session
		s.Kind, s.Rate = kind, tickRate/2
		var out tapeFile
		file := replay.NewFile(&out, replay.Info{Game: "test", Version: "1"})
		if err := file.Begin(s); err != nil {
			t.Fatal(err)
		}
		file.Add(replay.Frame{Key: true})
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{Replay: out.open(t)})
		if err == nil || !errors.Is(err, snapshot.ErrMismatch) || !strings.Contains(err.Error(), "30 ticks a second there, 60 here: play it with") {
			t.Errorf("%s: it says: %v", kind, err)
		}
	}
}
