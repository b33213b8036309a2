package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// firstTicks are ticks at which servers of these tests begin: young ones, and some whose ticks pass
// 2^31 and 2^32 before a client joins, while it plays, or have passed 2^31 long ago.
var firstTicks = []netcode.Tick{0, 1<<31 - 60, 1<<31 - 5*60, 1<<31 + 12345, 1<<32 - 60, 1<<32 - 5*60, 1<<32 - 12345}

// A client that joins late knows the server's ticks, by whichever number, and its view is on the
// server's clock. A replay of the match shows the same ticks, also after a jump back.
func TestTicksOfALateClient(t *testing.T) {
	for _, first := range firstTicks {
		p, _ := doorProtocol(t, false, (*doorState).At)
		m := newMatchOf(t, p, func(c *netcode.ServerConfig[runner, input]) { c.FirstTick = first })
		m.protocol, _ = doorProtocol(t, false, (*doorState).At)
		m.run(3*time.Second, nil)
		path := linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Seed: 1})
		m.crate(kindCrate, components.At3D(3, 0, 0))
		a := m.join(path, nil)
		if _, ok := a.client.Tick(); ok {
			t.Errorf("from tick %d on: a tick before the client plays", first)
		}
		if _, ok := a.client.ViewTick(); ok {
			t.Errorf("from tick %d on: a tick of the view before the client plays", first)
		}
		m.run(time.Second, nil)
		tape := &tapeFile{}
		file := replay.NewFile(tape, replay.Info{Game: "test", Version: "1"})
		if err := m.server.Record(file); err != nil {
			t.Fatal(err)
		}
		m.run(4*time.Second, func() {
			if m.now < 5*time.Second {
				return // the clocks are not exact yet
			}
			now := m.server.Tick()
			own, playing := a.client.Tick()
			view, sees := a.client.ViewTick()
			if lead := own.Sub(now); !playing || lead < 2 || lead > 12 {
				t.Fatalf("from tick %d on, the server is at %d: the client at %d, %v", first, now, own, playing)
			}
			if behind := now.Sub(view); !sees || behind < 3 || behind > 20 {
				t.Fatalf("from tick %d on, the server is at %d: the view at %d, %v", first, now, view, sees)
			}
			if behind := m.engine.Time().Normal - a.client.View(); behind < 0 || behind > time.Second/3 {
				t.Fatalf("from tick %d on: the view is %v behind the server", first, behind)
			}
		})
		m.mustPlay()
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		v := newViewer(t, tape.open(t))
		if _, ok := v.client.Tick(); ok {
			t.Errorf("from tick %d on: a replay shows a tick before its first step", first)
		}
		begin := v.client.Replay().Tape().First()
		look := func(want netcode.Tick) {
			t.Helper()
			own, _ := v.client.Tick()
			view, sees := v.client.ViewTick()
			if !sees || own.Add(1) != want || view != want {
				t.Fatalf("from tick %d on: a replay at tick %d shows %d, the view %d, %v", first, want, own, view, sees)
			}
			if at := v.client.View(); at < 0 {
				t.Fatalf("from tick %d on: a replay's view is at %v", first, at)
			}
		}
		v.engine.Update(0)
		look(begin)
		before := v.client.View()
		for range 3 * tickRate {
			v.engine.Update(time.Second / tickRate)
		}
		later, _ := v.client.Tick()
		if ahead := v.client.View() - before; ahead < 2900*time.Millisecond || ahead > 3100*time.Millisecond || later.Sub(begin) < 170 {
			t.Errorf("from tick %d on: after 3 s a replay's view is %v later, at tick %d", first, ahead, later)
		}
		v.client.Replay().Seek(v.client.Replay().Tape().At(begin.Add(10)))
		v.engine.Update(time.Second / tickRate)
		if ahead := v.client.View() - before; ahead < 0 || ahead > time.Second/3 {
			t.Errorf("from tick %d on: after a jump back a replay's view is %v later than at first", first, ahead)
		}
	}
}

// Now is the value of the tick in which the own player and the scripted movers are drawn, for a
// client that joined late as for one that was there from the start, and in a replay.
func TestMatchStatesAsDrawnNow(t *testing.T) {
	for _, first := range firstTicks {
		p, there := doorProtocol(t, false, (*doorState).At)
		if there.Now() {
			t.Error("a match state without a server is another one than its first value")
		}
		m := newMatchOf(t, p, func(c *netcode.ServerConfig[runner, input]) { c.FirstTick = first })
		m.onServer(func() {
			if now := m.server.Tick(); now.Sub(first)%50 == 0 {
				there.Set(!there.At(now.Add(40)), now.Add(40))
			}
			if there.Now() != there.At(m.server.Tick()) {
				t.Fatal("on the server Now is not the value of its tick")
			}
		})
		var heres []*doorState
		join := func() *player {
			q, here := doorProtocol(t, false, (*doorState).At)
			m.protocol = q
			heres = append(heres, here)
			return m.join(linksim.Symmetric(linksim.Condition{Delay: 40 * time.Millisecond, Seed: 3}), nil)
		}
		players := []*player{join()}
		m.run(4*time.Second, nil)
		players = append(players, join())
		m.run(2*time.Second, nil)
		tape := &tapeFile{}
		file := replay.NewFile(tape, replay.Info{Game: "test", Version: "1"})
		if err := m.server.Record(file); err != nil {
			t.Fatal(err)
		}
		changes := 0
		for k, a := range players {
			last := heres[k].Now()
			a.engine.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) {
				drawn, _ := a.client.Tick()
				if now := heres[k].Now(); now != there.At(drawn) {
					t.Fatalf("from tick %d on: client %d draws %v at tick %d", first, k, now, drawn)
				} else if now != last {
					last = now
					changes++
				}
			}))
		}
		m.run(4*time.Second, nil)
		if changes < 8 {
			t.Errorf("from tick %d on: %d changes were drawn", first, changes)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		v := newViewer(t, tape.open(t))
		for range 3 * tickRate {
			v.engine.Update(time.Second / tickRate)
			if at, ok := v.client.Tick(); !ok || v.door.Now() != there.At(at) {
				t.Fatalf("from tick %d on: a replay draws %v at tick %d", first, v.door.Now(), at)
			}
		}
	}
}
