package netcode_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// recorded lets a client record into memory.
func (p *player) recorded(t testing.TB) (*tapeFile, *replay.File) {
	t.Helper()
	tape := &tapeFile{}
	file := replay.NewFile(tape, replay.Info{Game: "test", Version: "1"})
	if err := p.client.Record(file); err != nil {
		t.Fatal(err)
	}
	return tape, file
}

// On a clean line to which everything is relevant, a client that gets a snapshot of each tick
// records what the server does: each tick of its file is the server's, to half a quantum.
func TestClientsRecordTheMatch(t *testing.T) {
	m, shut := eventfulMatch(t, 11, func(c *netcode.ServerConfig[runner, input]) { c.SnapshotRate = tickRate })
	m.protocol, _ = doorProtocol(t, false, (*doorState).At)
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.SnapshotRate = tickRate })
	a.input = func(at netcode.Tick) input { return input{X: int8(at/50%3) - 1} }
	m.run(2*time.Second, nil)
	m.mustPlay()
	truth, door := m.watch(shut)
	m.run(time.Second/10, nil)
	tape, file := a.recorded(t)
	m.run(10*time.Second, nil)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	v := newViewer(t, tape.open(t))
	worst, ticks, first := 0.0, 0, uint16(0)
	for at := netcode.Tick(0); ; at = v.tick() {
		if v.step(); v.tick() == at {
			break
		}
		worst = max(worst, v.must(truth))
		if at := v.tick(); v.door.At(at) != door[at] {
			t.Fatalf("tick %d: the door is shut: %v", at, v.door.At(at))
		}
		ticks++
	}
	players := map[uint16]netcode.EntityID{}
	v.client.Replay().Players(func(number uint16, id netcode.EntityID) {
		if len(players) == 0 {
			first = number
		}
		players[number] = id
	})
	for _, p := range m.joined {
		if players[p.Number()] != m.id(p.Entity) {
			t.Errorf("player %d is %v, want %v", p.Number(), players[p.Number()], m.id(p.Entity))
		}
	}
	if len(players) != 4 || first != a.client.Number() || ticks < 9*tickRate {
		t.Errorf("%d players, the first is %d and the client's %d; %d ticks", len(players), first, a.client.Number(), ticks)
	}
	t.Logf("%d ticks, at most %.2f mm off, %d kB a minute", ticks, 1000*worst, tape.Len()*6/1000)
}

// A client that returns to its server in a new session records on, from a keyframe. With another
// server, whose ticks begin anew, the recording ends, and the log says so.
func TestRecordingsOfReturningClients(t *testing.T) {
	for _, other := range []bool{false, true} {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout, c.Grace = time.Second, time.Second })
		m.bot(func(_ *serverPlayer, at netcode.Tick) input { return input{X: int8(at/60%3) - 1} })
		crate := m.crate(kindCrate, components.At3D(1, 0, 0))
		var log bytes.Buffer
		a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
			c.Log, c.Timeout = slog.New(slog.NewTextHandler(&log, nil)), time.Second
		})
		m.run(4*time.Second, nil)
		m.mustPlay()
		gone := m.id(crate)
		tape, file := a.recorded(t)
		m.run(3*time.Second, nil)
		if before := a.client.Number(); other {
			again := newMatch(t, nil)
			m.listener.Close(transport.Reason{Code: transport.Failed})
			m.listener, m.engine, m.server = again.listener, again.engine, again.server
			m.run(6*time.Second, nil)
		} else {
			a.Path = linksim.Symmetric(linksim.Condition{Loss: 1})
			if err := a.Conn.SetPath(a.Path); err != nil {
				t.Fatal(err)
			}
			m.run(3*time.Second, nil)
			m.engine.World().RemoveEntity(crate)
			a.Path = perfect()
			m.run(6*time.Second, nil)
			if a.client.Number() == before {
				t.Fatal("it is the same session")
			}
		}
		m.mustPlay()
		if ended := strings.Contains(log.String(), "the recording ends here"); ended != other {
			t.Errorf("another server: %v; the log says\n%s", other, log.String())
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if other {
			if err := a.client.Record(replay.NewRing(time.Second)); err != nil {
				t.Errorf("recording the other server: %v", err)
			}
			if l := tape.open(t).Length(); l < 2*time.Second || l > 4*time.Second {
				t.Errorf("the recording has %v", l)
			}
			continue
		}
		v := newViewerOf(t, tape.open(t), newProtocol(t, netcode.Config{}))
		for _, seek := range []bool{false, true} { // both ways there is what the client has
			if seek {
				v.client.Replay().Seek(0)
				v.step()
				v.client.Replay().Seek(time.Hour)
			}
			for range 12 * tickRate {
				v.step()
			}
			for name, w := range map[string]*arche.World{"client": a.engine.World(), "recording": v.engine.World()} {
				if ids := replicated(w); len(ids) != 2 || slices.Contains(ids, gone) {
					t.Errorf("seek %v: the %s has %v", seek, name, ids)
				}
			}
			if !slices.Equal(replicated(a.engine.World()), replicated(v.engine.World())) {
				t.Errorf("seek %v: %v, and the client has %v", seek, replicated(v.engine.World()), replicated(a.engine.World()))
			}
		}
		if l := v.client.Replay().Length(); l < 8*time.Second {
			t.Errorf("the recording has %v", l)
		}
	}
}

// What cannot be recorded is refused in words.
func TestClientsRefuseToRecord(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	must := func(err error, words string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("it says %v, want %q", err, words)
		}
	}
	must(a.client.Record(replay.NewRing(time.Second)), "not joined yet")
	m.run(3*time.Second, nil)
	ring := replay.NewRing(time.Second)
	if err := a.client.Record(ring); err != nil {
		t.Fatal(err)
	}
	must(a.client.Record(ring), "has a recording already")
	m.run(3*time.Second, nil)
	tape, err := ring.Clip(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	must(newViewerOf(t, tape, newProtocol(t, netcode.Config{})).client.Record(replay.NewRing(time.Second)), "plays a recording")
	a.client.Leave()
	must(a.client.Record(replay.NewRing(time.Second)), "has ended")
}

// Viewers get what the game notes, and no message besides.
func TestClientsNoteMessages(t *testing.T) {
	m := newMatch(t, nil)
	var a *player
	a = m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
		c.Message = func(data []byte, _ bool) {
			if a.heard = append(a.heard, string(data)); data[0] != 's' {
				if err := a.client.Note(data); err != nil {
					t.Error(err)
				}
			}
		}
	})
	m.run(3*time.Second, nil)
	tape, file := a.recorded(t)
	m.run(time.Second, nil)
	for _, text := range []string{"open", "secret", "known"} {
		if err := m.of(a).Send([]byte(text)); err != nil {
			t.Fatal(err)
		}
		m.run(time.Second, nil)
		a.client.Mark(text, 3)
	}
	m.run(time.Second, nil)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.client.Note([]byte("late")); err != nil {
		t.Error("with no recording any more:", err)
	}
	if a.client.Note(make([]byte, 33<<10)) == nil {
		t.Error("a message of 33 KiB was noted")
	}
	m.run(time.Second, nil)
	v := newViewerOf(t, tape.open(t), newProtocol(t, netcode.Config{}))
	for range 8 * tickRate {
		v.step()
	}
	if got := string(v.heard); got != "openknown" || len(a.heard) != 3 || len(v.client.Replay().Tape().Marks()) != 3 {
		t.Errorf("viewers receive %q, the client %v; marks %v", got, a.heard, v.client.Replay().Tape().Marks())
	}
}

// A client that records allocates nothing in a step.
func TestClientRecordingAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector allocates")
	}
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	a.input = func(at netcode.Tick) input { return input{X: int8(at/60%3) - 1} }
	var crates []arche.Entity
	for i := range 50 {
		crates = append(crates, m.crate(kindCrate, components.At3D(float32(i), 0, 0)))
	}
	m.onServer(func() {
		for i, e := range crates {
			if (int(m.server.Tick())/90+i)%2 == 0 {
				l := m.transform(e)
				pose := l.Get()
				pose.Position[2] += 0.01
				l.Set(pose)
			}
		}
	})
	m.run(3*time.Second, nil)
	m.mustPlay()
	ring := replay.NewRing(2 * time.Second)
	if err := a.client.Record(ring); err != nil {
		t.Fatal(err)
	}
	m.run(15*time.Second, nil)
	if perSecond := testing.AllocsPerRun(5, func() { m.run(time.Second, nil) }); perSecond > 1 {
		t.Errorf("%v allocations a second, server and client together", perSecond)
	}
	if _, err := ring.Clip(time.Second); err != nil {
		t.Error(err)
	}
}

// A game that drops a ring for another one stops it: only the new one records on, on a client as on
// a server.
func TestStoppedRingsRecordNoMore(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	for name, record := range map[string]func(replay.Recorder) error{"client": a.client.Record, "server": m.server.Record} {
		last := func(r *replay.Ring) netcode.Tick {
			tape, err := r.Clip(time.Second)
			if err != nil {
				t.Fatal(name, err)
			}
			return tape.Last()
		}
		before, after := replay.NewRing(2*time.Second), replay.NewRing(2*time.Second)
		if err := record(before); err != nil {
			t.Fatal(name, err)
		}
		m.run(3*time.Second, nil)
		end := last(before)
		before.Stop()
		if err := record(after); err != nil {
			t.Fatal(name, err)
		}
		m.run(3*time.Second, nil)
		if last(before) != end || last(after).Sub(end) < 2*tickRate {
			t.Errorf("%s: the stopped ring ends at tick %d, then %d; the other at %d", name, end, last(before), last(after))
		}
	}
}
