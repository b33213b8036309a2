//go:build !js

package webtransport_test

import (
	"flag"
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

var (
	lineLength = flag.Duration("line", 0, "TestLine plays for this long by the clock; without it the test is skipped")
	linePath   = flag.String("path", "delay=100ms jitter=10ms loss=15%", "path of TestLine")
	lineBodies = flag.Int("bodies", 18, "moving bodies of TestLine")
	lineRate   = flag.Int("snapshots", 20, "snapshots per second of TestLine")
)

// lane is one transport of TestLine: a server and two clients.
type lane struct {
	name    string
	server  *testgame.Server
	clients [2]*testgame.Client
	conns   [2]transport.Conn
	players []*testgame.Player
	begin   [2]figures
	delay   [2]time.Duration // sums over the frames
	lead    [2]time.Duration
	frames  int
}

// figures are counters of a client, and of its player.
type figures struct{ sampled, starved, ticks, missed, corrections, dropped, sent, received uint64 }

func (l *lane) read(i int) figures {
	st, in := l.clients[i].Stats(), l.players[i].InputStats()
	c := l.conns[i].Stats()
	return figures{st.Sampled, st.Starved, in.Ticks, in.Repeated + in.Idle, st.Corrections, c.SendDropped, c.Sent, st.ReceivedBytes}
}

// TestLine plays the same match over three transports at the same time, in real time, over a bad
// line: what do congestion control and order cost? A relay delays and drops the encrypted packets
// of dtls and WebTransport. WebSocket is TCP, which a relay cannot drop packets of: there the path
// is an ordered stream of package linksim around the connection.
func TestLine(t *testing.T) {
	if *lineLength == 0 {
		t.Skip("real time: run it with -line 60s")
	}
	path, err := linksim.ParsePath(*linePath)
	if err != nil {
		t.Fatal(err)
	}
	ordered := path
	ordered.Send.Ordered, ordered.Receive.Ordered = true, true
	d, err := dtls.Listen("127.0.0.1:0", dtls.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ws, err := websocket.Listen("127.0.0.1:0", websocket.Config{})
	if err != nil {
		t.Fatal(err)
	}
	wt := listen(t, webtransport.Config{})
	seed := uint64(0)
	next := func(p linksim.Path) linksim.Path {
		seed++
		p.Send.Seed, p.Receive.Seed = 2*seed, 2*seed+1
		return p
	}
	lanes := []*lane{
		newLane(t, "dtls", d, func() transport.Conn {
			return dtls.Dial(newRelay(t, d.Addr(), next(path)).addr(), d.Fingerprint(), dtls.Config{})
		}),
		newLane(t, "webtransport", wt, func() transport.Conn {
			u, err := url.Parse(wt.Addr())
			if err != nil {
				t.Error(err)
			}
			return webtransport.Dial(strings.Replace(wt.Addr(), u.Host, newRelay(t, u.Host, next(path)).addr(), 1), webtransport.Config{Pins: wt.pins})
		}),
		newLane(t, "websocket", ws, func() transport.Conn {
			c, err := linksim.Wrap(websocket.Dial(ws.Addr(), websocket.Config{}), next(ordered))
			if err != nil {
				t.Error(err)
			}
			return c
		}),
	}
	const warmUp = 10 * time.Second
	start, last, warm := time.Now(), time.Duration(0), false
	for now := last; now < warmUp+*lineLength; now = time.Since(start) {
		for _, l := range lanes {
			l.server.Engine.Update(now - last)
			for i, c := range l.clients {
				c.Engine.Update(now - last)
				if warm {
					l.delay[i] += c.Stats().Delay
					l.lead[i] += c.Stats().Lead
				}
			}
			l.frames++
		}
		last = now
		if now > warmUp && !warm {
			warm = true
			for _, l := range lanes {
				if len(l.players) < 2 {
					t.Fatalf("%s: only %d players have joined", l.name, len(l.players))
				}
				l.begin = [2]figures{l.read(0), l.read(1)}
				l.frames = 0
			}
		}
		time.Sleep(time.Until(start.Add(now + time.Second/120)))
	}
	t.Logf("%s, %v, two clients each", *linePath, *lineLength)
	for _, l := range lanes {
		for i := range l.clients {
			a, b := l.begin[i], l.read(i)
			st := l.clients[i].Stats()
			share := func(n, of uint64) string { return fmt.Sprintf("%5.2f %%", 100*float64(n)/float64(max(of, 1))) }
			n := time.Duration(max(l.frames, 1))
			t.Logf("%-12s starved %s, view delay %3d ms, lead %3d ms, missed inputs %s, corrections %d, sends dropped %s, rtt %v, reconnects %d, %d kB/s down", l.name,
				share(b.starved-a.starved, b.sampled-a.sampled), (l.delay[i] / n).Milliseconds(), (l.lead[i] / n).Milliseconds(),
				share(b.missed-a.missed, b.ticks-a.ticks), b.corrections-a.corrections, share(b.dropped-a.dropped, b.sent-a.sent), st.RTT.Round(time.Millisecond), st.Reconnects, (b.received-a.received)/uint64(1000*lineLength.Seconds()))
		}
	}
	for _, l := range lanes {
		for _, c := range l.conns {
			c.Close(transport.Reason{})
		}
	}
	d.Close(transport.Reason{})
	ws.Close(transport.Reason{})
	<-d.Done()
	<-ws.Done()
}

func newLane(t *testing.T, name string, listener transport.Listener, dial func() transport.Conn) *lane {
	t.Helper()
	l := &lane{name: name}
	protocol, err := testgame.NewProtocol(60, 1024)
	if err != nil {
		t.Fatal(err)
	}
	l.server, err = testgame.Serve(protocol, testgame.ServerConfig{Listener: listener, SnapshotRate: *lineRate}, func(p *testgame.Player) testgame.State {
		l.players = append(l.players, p)
		return testgame.State{X: float32(len(l.players))}
	})
	if err != nil {
		t.Fatal(err)
	}
	l.server.AddBodies(*lineBodies, func(i int, t ecs.Time) components.Pose3D {
		a := t.Fixed.Seconds() + float64(i)
		return components.At3D(float32(10*math.Cos(a)), 0, float32(10*math.Sin(a)+float64(i)))
	})
	for i := range l.clients {
		l.clients[i], err = testgame.Join(protocol, testgame.ClientConfig{
			Dial: func() (transport.Conn, error) { l.conns[i] = dial(); return l.conns[i], nil },
			Input: func(tick netcode.Tick) testgame.Input {
				return testgame.Input{X: int8(int(tick)/40%3 - 1), Z: int8(int(tick)/70%3 - 1), Yaw: uint16(int(tick) * 7 % 4096)}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return l
}
