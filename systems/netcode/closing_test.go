package netcode_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/access"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A game that saves the players' progress in Left loses nothing when its server closes. Left is
// called once for each player, players that are away or not confirmed yet included, with their last
// states and entities.
func TestLeftIsCalledForEveryPlayerAtClose(t *testing.T) {
	for _, drained := range []bool{false, true} {
		type farewell struct {
			player   *netcode.Player[runner, input]
			reason   transport.Reason
			x        float32
			has, in  bool
			informed bool
		}
		var m *match
		var told []farewell
		var plays *player
		m = newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Timeout = time.Second
			c.Left = func(p *netcode.Player[runner, input], r transport.Reason) {
				w := m.engine.World()
				f := farewell{player: p, reason: r, x: p.State.X, has: w.Alive(p.Entity) && w.Has(p.Entity, arche.ComponentID[health](w)), in: m.server.Player(p.Number()) != nil}
				plays.Conn.Poll(m.now)
				f.informed = plays.Conn.State() == transport.Closed
				told = append(told, f)
				m.engine.Close() // is in progress
			}
		})
		plays = m.join(perfect(), nil)
		plays.input = func(netcode.Tick) input { return input{X: 1} }
		away := m.join(perfect(), nil)
		kicked := m.join(perfect(), nil)
		m.run(2*time.Second, nil)
		m.mustPlay()
		gone := m.of(away)
		if err := away.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
			t.Fatal(err)
		}
		m.run(1500*time.Millisecond, nil)
		m.join(deaf, nil)
		m.run(200*time.Millisecond, nil)
		if len(m.joined) != 4 || gone.Connected() || len(told) != 0 {
			t.Fatalf("%d have joined, the player that is away is connected: %v, %d have left", len(m.joined), gone.Connected(), len(told))
		}
		want := transport.Reason{Code: transport.Shutdown, Text: "the server is going down"}
		if drained {
			want.Text = "back in five minutes"
			m.server.Drain(want.Text)
		}
		m.of(kicked).Kick("enough")
		x, players := m.of(plays).State.X, slices.Clone(m.joined)
		m.engine.Close()
		if len(told) != 4 {
			t.Fatalf("Left was told of %d, want all 4", len(told))
		}
		for i, f := range told {
			reason := want
			if f.player == players[2] {
				reason = transport.Reason{Code: transport.Kicked, Text: "enough"}
			}
			if f.player != players[i] || f.reason != reason || !f.has || f.in || !f.informed || f.player.Connected() {
				t.Errorf("%d: %+v, want %v", i, f, reason)
			}
		}
		if told[0].x != x || x < 5 {
			t.Errorf("the state was at %v when Left was told, and at %v before", told[0].x, x)
		}
		if s := m.server.Stats(); s.Left != 4 || s.Kicked != 1 || s.Players != 0 || s.Away != 0 {
			t.Errorf("%+v, want 4 that left, of them 1 kicked", s)
		}
		if !m.engine.World().Alive(players[0].Entity) {
			t.Error("a player's entity is gone from the world that was given back")
		}
		m.engine.Close()
		if len(told) != 4 {
			t.Error("a second Close tells again")
		}
		for _, c := range []*player{plays, kicked} {
			c.engine.Update(time.Second / 60)
			if _, r := c.client.Status(); r != told[slices.Index(m.clients, c)].reason {
				t.Errorf("a client is told %v", r)
			}
		}
	}
}

// A client that reports itself as kicked is counted as having left. It could otherwise lose the
// place that it was invited to, or get a bad record in a game's books.
func TestOnlyTheServerKicks(t *testing.T) {
	v := newInvited(t)
	a := v.comes(perfect())
	v.run(2*time.Second, nil)
	v.mustPlay()
	a.Conn.Close(transport.Reason{Code: transport.Kicked, Text: "they threw me out"})
	v.run(time.Second/4, nil)
	if len(v.left) != 1 || v.left[0].Code != transport.Left || v.server.Stats().Kicked != 0 {
		t.Errorf("left: %v, %d kicked", v.left, v.server.Stats().Kicked)
	}
}

// Two servers use one list after the other, in one process. Players that were on the first one when
// it closed resume on the second.
func TestAccessListServesTheNextServer(t *testing.T) {
	v := newInvited(t)
	a := v.comes(perfect())
	v.run(2*time.Second, nil)
	v.mustPlay()
	key := v.of(a).ResumeID()
	v.engine.Close()
	if err := v.guests.Check(time.Time{}, "203.0.113.7:1", invitation, key, false); err != nil {
		t.Errorf("the check of a present player: %v", err)
	}
	if err := v.guests.Check(time.Time{}, "203.0.113.7:1", invitation, netcode.ResumeID{}, false); err != access.ErrUsed {
		t.Errorf("a stranger is told: %v", err)
	}
}

// An engine that is closed before its first run has finalised nothing. Its world can serve another
// engine with another client, and so can the world of an engine that was reset.
func TestClientOnTheWorldOfAClosedEngine(t *testing.T) {
	w := arche.NewWorld()
	client := func() *ecs.Engine {
		e, err := ecs.New(ecs.Config{FixedRate: tickRate, World: &w})
		if err != nil {
			t.Fatal(err)
		}
		c, err := netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{
			Dial:  func() (transport.Conn, error) { return nil, errors.New("nobody there") },
			Input: func(netcode.Tick) input { return input{} },
			Log:   quiet(),
		})
		if err != nil {
			t.Fatal(err)
		}
		e.Install(interpolation.New3D(), hierarchy.New3D(), c)
		return e
	}
	client().Close()
	e := client()
	e.Update(time.Second / tickRate)
	w.Reset()
	e.Close()
	e = client()
	e.Update(time.Second / tickRate)
	if !w.Resources().Has(arche.ResourceID[netcode.ClientStats](&w)) {
		t.Error("there are no statistics")
	}
	e.Close()
	if w.Resources().Has(arche.ResourceID[netcode.ClientStats](&w)) {
		t.Error("statistics are left behind")
	}
}

// lingering is a connection, or a listener, whose reason leaves a while after Close.
type lingering struct {
	late time.Duration // negative: it never leaves
	sent atomic.Bool
	done chan struct{}
}

func (l *lingering) leave() {
	if l.late < 0 {
		return
	}
	time.AfterFunc(l.late, func() { l.sent.Store(true); close(l.done) })
}

func (l *lingering) Done() <-chan struct{} { return l.done }

type lingeringConn struct {
	transport.Conn
	*lingering
}

func (c *lingeringConn) Close(r transport.Reason) { c.Conn.Close(r); c.leave() }

type lingeringListener struct {
	transport.Listener
	*lingering
}

func (l *lingeringListener) Close(r transport.Reason) { l.Listener.Close(r); l.leave() }

// A program that ends right after its engine has closed has sent the reason. It does not wait
// longer than half a second for a network that takes nothing.
func TestCloseWaitsUntilTheReasonIsSent(t *testing.T) {
	for name, late := range map[string]time.Duration{"soon": 30 * time.Millisecond, "never": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ears := loopback.Listen(loopback.Config{})
			reason := func() *lingering { return &lingering{late: late, done: make(chan struct{})} }
			listener, conn := &lingeringListener{ears, reason()}, &lingeringConn{nil, reason()}
			server := must(netcode.NewServer(newProtocol(t, netcode.Config{}), netcode.ServerConfig[runner, input]{
				Listener: listener, Log: quiet(),
				Joined: func(*netcode.Player[runner, input]) (runner, arche.Entity) { return runner{}, arche.Entity{} },
			}))
			client := must(netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{
				Dial:  func() (transport.Conn, error) { conn.Conn = ears.Dial(); return conn, nil },
				Input: func(netcode.Tick) input { return input{} }, Log: quiet(),
			}))
			for _, end := range []struct {
				engine *ecs.Engine
				reason *lingering
			}{{MustEngine(interpolation.New3D(), client), conn.lingering}, {MustEngine(server), listener.lingering}} {
				end.engine.Update(time.Second / tickRate)
				start := time.Now()
				end.engine.Close()
				if end.reason.sent.Load() != (late >= 0) {
					t.Errorf("the reason has left: %v", end.reason.sent.Load())
				}
				if took := time.Since(start); late < 0 && took < 400*time.Millisecond {
					t.Errorf("it waits for %v only", took)
				}
			}
		})
	}
}
