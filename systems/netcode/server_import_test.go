package netcode_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// dashGame is the game of these tests with presses that are not lost.
func dashGame() netcode.Game[runner, input] {
	game := runnerGame()
	game.Rules = netcode.InputRules[input]{
		Repeat: func(last input) input { last.Dash = false; return last },
		Merge:  func(into, presses input) input { into.Dash = into.Dash || presses.Dash; return into },
	}
	return game
}

// settled makes a match with one player whose client has gone silent.
func settled(t testing.TB, clients int, change func(c *netcode.ServerConfig[runner, input])) *match {
	m := newMatchOf(t, newProtocolFor(t, netcode.Config{}, dashGame()), change)
	for range clients {
		a := m.join(perfect(), nil)
		a.input = func(at netcode.Tick) input { return input{X: int8(at%3) - 1, Dash: at%17 == 0} }
	}
	m.run(time.Second, nil)
	m.mustPlay()
	m.clients = nil
	return m
}

// tick runs one step.
func (m *match) tick() { m.engine.Update(time.Second/tickRate + 1) }

// entity returns a function for Server.Import that makes the player's entity.
func (m *match) entity(p *netcode.Player[runner, input]) arche.Entity {
	l := components.NewLogical(poseRunner(p.State))
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](m.engine.World())
	return spawn.NewWith(&l, &netcode.Replicated{Archetype: kindRun})
}

// mustExport exports a player.
func mustExport(t interface{ Fatal(...any) }, m *match, p *netcode.Player[runner, input]) []byte {
	data, err := m.server.Export(p)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A player that moves to another server at any tick, and arrives there before or after that tick,
// has the states, bit for bit, that it has on a server where it stays.
func TestImportedPlayerGoesOn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		mode := rapid.SampledFrom(inputModes).Draw(rt, "mode")
		set := func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode }
		stays, from, to := settled(t, 1, set), settled(t, 1, set), settled(t, 0, set)
		delay := 0
		if mode == netcode.OnTicks {
			delay = rapid.IntRange(-20, 20).Draw(rt, "ticks from the export to the import")
		}
		for range max(-delay, 0) { // the other server's ticks are behind
			stays.tick()
			from.tick()
		}
		lead := 20 + rapid.IntRange(0, 20).Draw(rt, "lead")
		moves := rapid.IntRange(0, 40).Draw(rt, "tick of the move")
		rng := rapid.Uint64().Draw(rt, "seed")
		random := func(n uint64) uint64 {
			rng = rng*6364136223846793005 + 1442695040888963407
			return rng >> 33 % n
		}
		kept, gone := stays.joined[0], from.joined[0]
		var data []byte
		var moved *netcode.Player[runner, input]
		states := map[netcode.Tick]runner{}
		for k := range 120 {
			at := stays.server.Tick()
			if k == moves {
				data = mustExport(rt, from, gone)
				from.server.Release(gone, "the other")
			}
			if moved == nil && k == moves+max(delay, 0) {
				p, err := to.server.Import(data, to.entity)
				if err != nil {
					rt.Fatal(err)
				}
				moved = p
			}
			limbo := k >= moves && moved == nil
			var arrived []netcode.Tick
			switch random(8) {
			case 0: // lost
			case 1:
				if delay >= 0 || k < moves { // for a server that is behind it would not be late
					arrived = append(arrived, at.Add(-2))
				}
			default:
				arrived = append(arrived, at.Add(lead), at.Add(lead-5))
			}
			in := input{X: int8(random(3)) - 1, Z: int8(random(3)) - 1, Dash: random(10) == 0}
			for _, n := range arrived {
				if limbo {
					break // it comes with nothing of this
				}
				kept.ReceiveForTest(n, in)
				if moved != nil {
					moved.ReceiveForTest(n, in)
				} else {
					gone.ReceiveForTest(n, in)
				}
			}
			stays.tick()
			from.tick()
			to.tick()
			states[stays.server.Tick()] = kept.State
			if moved == nil {
				continue
			}
			now := to.server.Tick()
			if want, ok := states[now]; ok && k >= moves-delay && moved.State != want {
				rt.Fatalf("%d ticks after the move the state is %+v, want %+v", k-moves, moved.State, want)
			}
			if now == stays.server.Tick() && moved.Input != kept.Input {
				rt.Fatalf("%d ticks after the move the input is %+v, want %+v", k-moves, moved.Input, kept.Input)
			}
			if now == stays.server.Tick() {
				if got, want := fmt.Sprint(moved.FeedbackForTest()), fmt.Sprint(kept.FeedbackForTest()); got != want {
					rt.Fatalf("%d ticks after the move the feedback is %s, want %s", k-moves, got, want)
				}
			}
		}
		if moved.Number() != kept.Number() || moved.ResumeID() != gone.ResumeID() || moved.JumpsForTest() != kept.JumpsForTest() {
			rt.Fatal("it is another player")
		}
		if len(to.joined)+len(from.left)+len(to.left) != 0 {
			rt.Fatal("a move counts as a join or as a leave")
		}
		if a, b := from.server.Stats(), to.server.Stats(); a.Exported != 1 || a.Away+a.Players != 0 || b.Imported != 1 || b.Away != 1 || b.Joined != 0 {
			rt.Fatalf("%+v and %+v", a, b)
		}
	})
}

// moving is a client's dial that goes to one server and then to another one.
type moving struct {
	from, to *match
	moved    bool
	last     transport.Conn // the newest one
}

func (m *moving) dial() (transport.Conn, error) {
	if m.last = m.from.listener.Dial(); m.moved {
		m.last = m.to.listener.Dial()
	}
	return m.last, nil
}

// A client without a connection to the second server comes back there by its secret, as the same
// player. The first server closes its connection after two seconds, with the address.
func TestImportedPlayerComesBack(t *testing.T) {
	for _, mode := range inputModes {
		set := func(c *netcode.ServerConfig[runner, input]) {
			c.InputMode, c.Interest = mode, netcode.Interest{Radius: 50, Leave: 60}
		}
		line := &moving{from: newMatch(t, set), to: newMatch(t, set)}
		from, to := line.from, line.to
		var reasons []transport.Reason
		a := from.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
			c.Dial = line.dial
			c.Token = []byte("token")
			c.Changed = func(_ netcode.Status, r transport.Reason) { reasons = append(reasons, r) }
		})
		a.input = func(netcode.Tick) input { return input{X: 1} }
		both := func(d time.Duration) { from.run(d, func() { to.run(time.Second/120, nil) }) }
		both(3 * time.Second)
		from.mustPlay()
		p := from.of(a)
		data := mustExport(t, from, p)
		moved, err := to.server.Import(data, to.entity)
		if err != nil {
			t.Fatal(err)
		}
		if err := moved.Send([]byte("welcome")); err != nil {
			t.Fatal(err)
		}
		from.server.Release(p, "there")
		line.moved = true
		both(1900 * time.Millisecond)
		if len(reasons) != 1 {
			t.Errorf("within 2 s of the move: %v", reasons)
		}
		both(200 * time.Millisecond)
		if last := reasons[len(reasons)-1]; last != (transport.Reason{Code: transport.Moved, Text: "there"}) {
			t.Errorf("the connection was closed by %v", last)
		}
		both(3 * time.Second)
		if s, r := a.client.Status(); s != netcode.Playing {
			t.Fatalf("the client is %v (%v)", s, r)
		}
		if a.client.Number() != moved.Number() || !moved.Connected() || string(moved.Token()) != "token" || moved.ResumeID() != p.ResumeID() {
			t.Error("the client plays as another player")
		}
		if own, _ := a.client.State(); own.X < 18 || a.client.Entity().IsZero() {
			t.Errorf("its player is at %+v", own)
		}
		if err := a.client.Send([]byte("up")); err != nil {
			t.Fatal(err)
		}
		both(time.Second)
		if !slices.Equal(a.heard, []string{"welcome"}) || !slices.Equal(to.heard, []string{"up"}) {
			t.Errorf("messages: %q and %q", a.heard, to.heard)
		}
		a.client.Leave()
		both(time.Second)
		if len(from.left) != 0 || len(to.left) != 1 || to.left[0].Code != transport.Left || len(to.joined) != 0 {
			t.Errorf("left %v and %v", from.left, to.left)
		}
	}
}

// The welcome at the second server may be lost together with the connection. The client comes back
// again, and is not taken for an earlier process of the player.
func TestImportedPlayerComesBackTwice(t *testing.T) {
	for cut := range 12 {
		line := &moving{from: newMatch(t, nil), to: newMatch(t, nil)}
		from, to := line.from, line.to
		a := from.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Dial = line.dial })
		both := func(frames int) {
			from.run(time.Duration(frames)*time.Second/120, func() { to.run(time.Second/120, nil) })
		}
		both(240)
		p := from.of(a)
		if _, err := to.server.Import(mustExport(t, from, p), to.entity); err != nil {
			t.Fatal(err)
		}
		from.server.Release(p, "there")
		line.moved = true
		for to.server.Stats().Players == 0 {
			both(1)
		}
		moved := to.server.Player(p.Number())
		for range cut {
			both(1)
		}
		line.last.Close(transport.Reason{Code: transport.Failed, Text: "cut"})
		both(600)
		if s, r := a.client.Status(); s != netcode.Playing || !moved.Connected() || a.client.Number() != moved.Number() {
			t.Errorf("cut off after %d frames the client is %v (%v)", cut, s, r)
		}
	}
}

func TestImportIsRefused(t *testing.T) {
	from := settled(t, 2, nil)
	p := from.joined[0]
	data := mustExport(t, from, p)
	try := func(to *match, data []byte, want string) {
		t.Helper()
		before := to.server.Stats()
		enter := func(*netcode.Player[runner, input]) arche.Entity {
			t.Errorf("%q: the player has entered", want)
			return arche.Entity{}
		}
		if _, err := to.server.Import(data, enter); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
		if after := to.server.Stats(); after != before {
			t.Errorf("%q has changed %+v to %+v", want, before, after)
		}
	}
	to := settled(t, 0, nil)
	try(from, data, "in use")
	try(to, nil, "no exported player")
	try(to, append([]byte{2}, data[1:]...), "no exported player")
	try(to, make([]byte, 17<<10), "no exported player")
	try(to, data[:len(data)-1], "import")
	try(to, append(bytes.Clone(data), 0), "import")
	try(settled(t, 0, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = netcode.OnArrival }), data, "InputMode")
	try(settled(t, 1, func(c *netcode.ServerConfig[runner, input]) { c.MaxPlayers, c.FirstNumber, c.LastNumber = 1, 9, 9 }), data, "MaxPlayers")
	other := newMatchOf(t, newProtocolFor(t, netcode.Config{Version: 2}, dashGame()), nil)
	try(other, data, "builds do not match")
	draining := settled(t, 0, nil)
	draining.server.Drain("closing time")
	try(draining, data, "closing time")
	for range 200 {
		from.tick()
	}
	try(to, mustExport(t, from, p), "FirstTick")
	late := settled(t, 0, nil)
	for range 1000 {
		late.tick()
	}
	if _, err := late.server.Import(data, late.entity); err != nil {
		t.Errorf("a player that is late by 1000 ticks: %v", err)
	}
	late.server.Player(p.Number()).ReceiveForTest(late.server.Tick(), input{X: 1})
	x := late.server.Player(p.Number()).State.X
	late.tick()
	if got := late.server.Player(p.Number()).State.X; got <= x {
		t.Errorf("after that it runs from %v to %v", x, got)
	}
}

func TestExportIsRefused(t *testing.T) {
	m := settled(t, 1, nil)
	p := m.joined[0]
	bot, err := m.server.AddBot(func(*netcode.Player[runner, input], netcode.Tick) input { return input{} })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.server.Export(bot); err == nil || !strings.Contains(err.Error(), "bot") {
		t.Errorf("a bot: %v", err)
	}
	p.Kick("out")
	if _, err := m.server.Export(p); err == nil || !strings.Contains(err.Error(), "removed") {
		t.Errorf("a player that is kicked: %v", err)
	}
	m.tick()
	if _, err := m.server.Export(p); err == nil || !strings.Contains(err.Error(), "not on this server") {
		t.Errorf("a player that has left: %v", err)
	}
	m.server.Release(p, "nowhere") // does nothing
	if s := m.server.Stats(); s.Exported != 0 || len(m.left) != 1 {
		t.Errorf("%+v, %v", s, m.left)
	}
}

// FuzzImport imports anything. What is accepted runs, and is exported again.
func FuzzImport(f *testing.F) {
	for _, mode := range inputModes {
		m := settled(f, 1, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
		for k := range 40 {
			if k%3 == 0 {
				m.joined[0].ReceiveForTest(m.server.Tick().Add(k), input{X: 1, Dash: k%2 == 0})
			}
			m.tick()
		}
		f.Add(mode == netcode.OnArrival, mustExport(f, m, m.joined[0]))
	}
	f.Fuzz(func(t *testing.T, arrival bool, data []byte) {
		m := settled(t, 0, func(c *netcode.ServerConfig[runner, input]) {
			if arrival {
				c.InputMode = netcode.OnArrival
			}
		})
		p, err := m.server.Import(data, m.entity)
		if err != nil {
			if p != nil || m.server.Stats().Imported != 0 {
				t.Error("a player is here in spite of", err)
			}
			return
		}
		again, err := m.server.Export(p)
		if err != nil {
			t.Fatal(errors.New("an imported player cannot be exported"), err)
		}
		for range 10 {
			m.tick()
		}
		other := settled(t, 0, func(c *netcode.ServerConfig[runner, input]) {
			if arrival {
				c.InputMode = netcode.OnArrival
			}
		})
		if _, err := other.server.Import(again, other.entity); err != nil {
			t.Errorf("an imported player cannot be imported again: %v", err)
		}
	})
}
