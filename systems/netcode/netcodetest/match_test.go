package netcodetest_test

import (
	"fmt"
	"hash"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

type (
	match        = netcodetest.Match[hero, keys]
	config       = netcodetest.Config[hero, keys]
	client       = netcodetest.Client[hero, keys]
	clientConfig = netcode.ClientConfig[hero, keys]
	serverConfig = netcode.ServerConfig[hero, keys]
)

func newMatch(t testing.TB) *match {
	t.Helper()
	return netcodetest.New(t, config{Protocol: newProtocol, Server: serve})
}

func line(delay time.Duration, loss float64) linksim.Path {
	return linksim.Symmetric(linksim.Condition{Delay: delay, Jitter: delay / 5, Loss: loss})
}

var cut = linksim.Symmetric(linksim.Condition{Loss: 1})

// strafe runs to and fro.
func strafe(t netcode.Tick) keys { return keys{X: int8(t/40%3) - 1, Z: int8(t/70%3) - 1} }

func standing(netcode.Tick) keys { return keys{} }

func mustPlay(t testing.TB, m *match) {
	t.Helper()
	for i, a := range m.Clients {
		if s, r := a.Status(); s != netcode.Playing {
			t.Fatalf("client %d is %v (%v) at %v", i, s, r, m.Now)
		}
	}
}

func TestTenLines(t *testing.T) { testEndsAgree(t) }

// BenchmarkTenLines measures a whole test of a game: about four seconds of play.
func BenchmarkTenLines(b *testing.B) {
	for b.Loop() {
		var t standIn
		testEndsAgree(&t)
		t.end()
	}
}

// traced adds what a connection carries to a hash.
type traced struct {
	transport.Conn
	into hash.Hash64
}

func (c traced) Send(datagram []byte) error {
	c.into.Write(datagram)
	return c.Conn.Send(datagram)
}

func (c traced) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	n, at, ok = transport.RecvAt(c.Conn, 0, buf)
	fmt.Fprint(c.into, at, ok)
	return n, at, ok
}

// play plays a match with a late player, a cut, a freeze and a leaving player, and returns a hash
// of all datagrams, states and pictures.
func play(t testing.TB, seed uint64) uint64 {
	t.Helper()
	sum := fnv.New64a()
	m := netcodetest.New(t, config{Protocol: newProtocol, Server: serve, Seed: seed})
	join := func() (a *client) {
		a = m.Join(line(60*time.Millisecond, 0.1), clientConfig{Input: strafe, Timeout: time.Second, Dial: func() (netcode.Conn, error) {
			conn, err := a.Dial()
			return traced{conn, sum}, err
		}})
		return a
	}
	look := func() {
		for _, a := range m.Clients {
			state, _ := a.State()
			fmt.Fprint(sum, state, a.Stats())
			w := a.Engine.World()
			for q := w.Query(arche.All(arche.ComponentID[components.Visual3D](w))); q.Next(); {
				fmt.Fprint(sum, (*components.Visual3D)(q.Get(arche.ComponentID[components.Visual3D](w))).Get())
			}
		}
	}
	a, b := join(), join()
	m.Run(2*time.Second, look)
	c := join()
	m.Run(2*time.Second, look)
	mustPlay(t, m)
	if err := a.Conn.SetPath(cut); err != nil {
		t.Fatal(err)
	}
	b.Freeze(time.Second)
	m.Run(4*time.Second, look)
	mustPlay(t, m)
	c.Leave()
	m.Run(time.Second, look)
	return sum.Sum64()
}

// The same seed gives the same match, bit for bit. Another seed gives another one.
func TestSameSeedSameTrace(t *testing.T) {
	first := play(t, 1)
	if again := play(t, 1); again != first {
		t.Errorf("with one seed the traces are %x and %x", first, again)
	}
	if other := play(t, 2); other == first {
		t.Errorf("with two seeds the trace is %x", first)
	}
}

// The datagrams that a line without a seed loses differ from client to client and from seed to
// seed. A line with a seed of its own keeps it, whatever the match's.
func TestSeedsOfLines(t *testing.T) {
	lost := func(seed uint64, path linksim.Path) (n [2]string) {
		m := netcodetest.New(t, config{Protocol: newProtocol, Server: serve, Seed: seed})
		for i := range n {
			a := m.Join(path, clientConfig{Input: standing})
			m.Run(time.Second, nil)
			up, down := a.Conn.Path().Send.Seed, a.Conn.Path().Receive.Seed
			n[i] = fmt.Sprint(up, down)
		}
		return n
	}
	bare := line(10*time.Millisecond, 0.5)
	one, two := lost(1, bare), lost(2, bare)
	if one != lost(1, bare) {
		t.Error("one seed gives different lines")
	}
	if all := []string{one[0], one[1], two[0], two[1]}; len(slices.Compact(slices.Sorted(slices.Values(all)))) != 4 {
		t.Errorf("the seeds of four lines are %v", all)
	}
	own := bare
	own.Receive.Seed = 9
	if got := lost(1, own); got[0] != "0 9" || got[1] != "0 9" {
		t.Errorf("lines with the seeds 0 and 9 have %v", got)
	}
}

// A player that joins late sees the others, and all ends agree when they rest.
func TestLateJoiner(t *testing.T) {
	m := newMatch(t)
	hold := keys{X: 1}
	held := func(netcode.Tick) keys { return hold }
	a, b := m.Join(line(80*time.Millisecond, 0.1), clientConfig{Input: held}), m.Join(linksim.Path{}, clientConfig{Input: held})
	m.Run(20*time.Second, nil)
	late := m.Join(line(40*time.Millisecond, 0), clientConfig{Input: held})
	m.Run(2*time.Second, nil)
	hold = keys{}
	m.Run(2*time.Second, nil)
	mustPlay(t, m)
	for i, c := range []*client{a, b, late} {
		state, _ := c.State()
		if there := m.Server.Player(c.Number()).State; state != there {
			t.Errorf("client %d is at %v, and at %v on the server", i, state, there)
		}
		if n := c.Stats().Replicas; n != 3 {
			t.Errorf("client %d sees %d players, want 3", i, n)
		}
	}
	if x, y := m.Server.Player(a.Number()).State.X, m.Server.Player(late.Number()).State.X; x < 100 || y < 6 || y > 15 {
		t.Errorf("the players ran %.1f m, and %.1f m in the last two seconds", x, y)
	}
}

// Protocol is called for each end, Server once, and Client for each client. The plugins of Client
// take the place of the interpolation.
func TestPrepare(t *testing.T) {
	protocols, servers, clients := []*netcode.Protocol[hero, keys]{}, 0, 0
	m := netcodetest.New(t, config{
		Protocol: func() *netcode.Protocol[hero, keys] {
			protocols = append(protocols, newProtocol())
			return protocols[len(protocols)-1]
		},
		Server: func(e *ecs.Engine) serverConfig { servers++; return serve(e) },
		Client: func(e *ecs.Engine) {
			clients++
			e.Install(interpolation.New3D()) // panics if there is one
		},
		ServerEngine: ecs.Config{MaxSteps: 100, MaxDelta: time.Second},
	})
	for range 2 {
		m.Join(linksim.Path{}, clientConfig{Input: standing})
	}
	m.Run(time.Second, nil)
	mustPlay(t, m)
	if len(protocols) != 3 || servers != 1 || clients != 2 {
		t.Errorf("%d protocols, %d servers and %d clients were made, want 3, 1 and 2", len(protocols), servers, clients)
	}
	m.Engine.Update(time.Second)
	if n := m.Engine.Time().Steps; n != 60 {
		t.Errorf("a server that makes up for a second runs %d steps", n)
	}
}

// The end of a test closes all engines, also those of clients that are no longer driven, the
// server's last. It prints the seed only if the test has failed.
func TestEnd(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var left []transport.Code
		var s standIn
		m := netcodetest.New(&s, config{Protocol: newProtocol, Seed: 4711, Server: func(e *ecs.Engine) serverConfig {
			c := serve(e)
			c.Left = func(_ *netcode.Player[hero, keys], r netcode.Reason) { left = append(left, r.Code) }
			return c
		}})
		closed := 0
		for range 2 {
			a := m.Join(linksim.Path{}, clientConfig{Input: standing})
			a.Engine.Add(ecs.NormalUpdate, &closing{func() {
				if closed++; len(left) > 0 {
					t.Error("the server was closed before a client")
				}
			}})
		}
		m.Run(time.Second, nil)
		mustPlay(t, m)
		m.Clients = m.Clients[:1]
		if fails {
			s.Error("wrong")
		}
		s.end()
		if closed != 2 || len(left) != 2 {
			t.Errorf("%d clients were closed, and the server lost %v", closed, left)
		}
		if out := strings.Join(s.log, "\n"); strings.Contains(out, "4711") != fails {
			t.Errorf("a test that fails: %v, prints %q", fails, out)
		}
	}
}

// A callback may end the test, as by t.Fatal, while an engine is updated. The others are closed.
func TestFatalInACallback(t *testing.T) {
	var s standIn
	left := 0
	m := netcodetest.New(&s, config{Protocol: newProtocol, Server: func(e *ecs.Engine) serverConfig {
		c := serve(e)
		c.Left = func(*netcode.Player[hero, keys], netcode.Reason) { left++ }
		return c
	}})
	done := make(chan bool)
	go func() {
		defer close(done)
		fatal := false
		m.Join(linksim.Path{}, clientConfig{Input: func(netcode.Tick) keys {
			if fatal {
				runtime.Goexit() // as t.Fatal does
			}
			return keys{}
		}})
		m.Run(time.Second, nil)
		fatal = true
		m.Run(time.Second, nil)
		t.Error("the callback did not end the test")
	}()
	<-done
	s.end()
	if left != 1 {
		t.Errorf("the server was closed with %d players, want 1", left)
	}
}

type closing struct{ closed func() }

func (*closing) Initialize(*arche.World) {}
func (*closing) Update(*arche.World)     {}
func (c *closing) Finalize(*arche.World) { c.closed() }

// A faulty configuration ends the test with the remedy.
func TestMisuse(t *testing.T) {
	fatal := func(want string, f func(t testing.TB)) {
		t.Helper()
		defer func() {
			if text, _ := recover().(string); !strings.Contains(text, want) {
				t.Errorf("it ends with %q, want %q", text, want)
			}
		}()
		f(&standIn{})
		t.Errorf("nothing is wrong, want %q", want)
	}
	fatal("needs Protocol and Server", func(t testing.TB) { netcodetest.New(t, config{Server: serve}) })
	fatal("needs Protocol and Server", func(t testing.TB) { netcodetest.New(t, config{Protocol: newProtocol}) })
	fatal("Joined", func(t testing.TB) {
		netcodetest.New(t, config{Protocol: newProtocol, Server: func(*ecs.Engine) serverConfig { return serverConfig{} }})
	})
	fatal("MaxSteps", func(t testing.TB) {
		netcodetest.New(t, config{Protocol: newProtocol, Server: serve, ServerEngine: ecs.Config{MaxSteps: -1}})
	})
	fatal("receiving", func(t testing.TB) {
		newMatch(t).Join(linksim.Path{Receive: linksim.Condition{Loss: 2}}, clientConfig{Input: standing})
	})
	fatal("Input", func(t testing.TB) { newMatch(t).Join(linksim.Path{}, clientConfig{}) })
}
