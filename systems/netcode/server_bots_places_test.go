package netcode_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Kick removes a bot as it removes a player, also within its own think: Left is called once, the
// entity is despawned, and the place is free.
func TestKickedBotsLeaveOnce(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode, c.MaxPlayers = mode, 2 })
		calls := 0
		tired := m.bot(func(p *serverPlayer, _ netcode.Tick) input {
			if calls++; calls == 10 {
				p.Kick("I am tired")
				p.Kick("twice")
			}
			return input{}
		})
		other := m.bot(runRight)
		e := tired.Entity
		m.run(time.Second, nil)
		if calls != 10 || len(m.left) != 1 || m.left[0].Code != transport.Kicked || m.left[0].Text != "I am tired" {
			t.Errorf("input mode %v: %d calls, left: %v", mode, calls, m.left)
		}
		if m.engine.World().Alive(e) || m.server.Player(tired.Number()) != nil || m.server.Stats().Kicked != 1 {
			t.Errorf("input mode %v: something of the bot is left", mode)
		}
		other.Kick("and you")
		m.run(time.Second, nil)
		a := m.join(perfect(), nil)
		m.run(time.Second, nil)
		if status, reason := a.client.Status(); status != netcode.Playing || len(m.left) != 2 {
			t.Errorf("input mode %v: the client is %v, %v; left: %v", mode, status, reason, m.left)
		}
	}
}

// Bots and clients share the places. A server that is not installed, full, draining or closed takes
// no bot, and says so.
func TestBotsThatFindNoPlace(t *testing.T) {
	mustFail := func(m *match, words ...string) {
		t.Helper()
		joined := len(m.joined)
		p, err := m.server.AddBot(runRight)
		if p != nil || err == nil || len(m.joined) != joined {
			t.Fatalf("a bot joined: %v", err)
		}
		for _, word := range words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q does not say %q", err, word)
			}
		}
	}
	bare, err := netcode.NewServer(newProtocol(t, netcode.Config{}), netcode.ServerConfig[runner, input]{
		Listener: loopback.Listen(loopback.Config{}), Joined: func(*serverPlayer) (runner, arche.Entity) { return runner{}, arche.Entity{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	mustFail(&match{server: bare}, "install the server first")
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.MaxPlayers, c.MaxPerAddress = 3, 1 })
	mustPanic(t, "a bot without a function", func() { _, _ = m.server.AddBot(nil) }, "pass one that returns")
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	m.bot(runRight)
	b := m.bot(runRight)
	mustFail(m, "3 players", "MaxPlayers")
	late := m.join(perfect(), nil)
	m.run(time.Second, nil)
	if status, reason := late.client.Status(); status == netcode.Playing || !strings.Contains(reason.Text, "full") {
		t.Errorf("a client beside a full server of bots is %v, %v", status, reason)
	}
	m.clients = m.clients[:1]
	b.Kick("")
	m.run(time.Second, nil)
	m.server.Drain("until tomorrow")
	mustFail(m, "drains", "until tomorrow")
	m.run(time.Second, nil)
	if s, _ := a.client.Status(); s != netcode.Playing {
		t.Errorf("the client is %v", s)
	}
}

// A closed engine calls Left once for each bot, after which no bot joins.
func TestClosedEnginesLetBotsLeave(t *testing.T) {
	left := map[uint16]int{}
	var again error
	var m *match
	m = newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.Left = func(p *serverPlayer, reason transport.Reason) {
			left[p.Number()]++
			if reason.Code != transport.Shutdown {
				t.Errorf("%d left because of %v", p.Number(), reason)
			}
			_, again = m.server.AddBot(runRight)
		}
	})
	first, second := m.bot(runRight), m.bot(runRight)
	m.run(time.Second, nil)
	m.engine.Close()
	if len(left) != 2 || left[first.Number()] != 1 || left[second.Number()] != 1 {
		t.Errorf("calls of Left: %v", left)
	}
	if again == nil || !strings.Contains(again.Error(), "closed") || len(m.joined) != 2 {
		t.Errorf("a bot joined a closed server: %v", again)
	}
}

// Left may put a bot in the place of a player that leaves, and Joined and think may add bots.
func TestBotsAreAddedInCallbacks(t *testing.T) {
	var m *match
	m = newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.MaxPlayers = 4
		joined := c.Joined
		c.Joined = func(p *serverPlayer) (runner, arche.Entity) {
			if len(m.joined) == 0 {
				m.joined = append(m.joined, p)
				m.bot(runRight)
			}
			return joined(p)
		}
		c.Left = func(*serverPlayer, transport.Reason) { m.bot(runRight) }
	})
	grown := false
	m.bot(func(*serverPlayer, netcode.Tick) input {
		if !grown {
			grown = true
			m.bot(runRight)
		}
		return input{}
	})
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	number := a.client.Number()
	a.client.Leave()
	m.run(time.Second, nil)
	var numbers []uint16
	m.server.Players(func(p *serverPlayer) {
		numbers = append(numbers, p.Number())
		if !p.Connected() || p.Addr() != "" || !m.engine.World().Alive(p.Entity) {
			t.Errorf("player %d is no bot with an entity", p.Number())
		}
	})
	if len(numbers) != 4 || slices.Contains(numbers, number) {
		t.Errorf("the players %v are left; %d has left", numbers, number)
	}
}
