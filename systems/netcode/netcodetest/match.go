package netcodetest

import (
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Config describes a game. Protocol and Server are required. For every other field a zero value
// means the default that its comment states.
type Config[S any, I comparable] struct {
	// Protocol makes the game's protocol. It is called first for the server and then once for each
	// client, since a protocol may keep values of one end.
	Protocol func() *netcode.Protocol[S, I]
	// Server adds the game's systems to the server's engine, and returns the configuration of the
	// server, which is installed afterwards. The match sets these fields if they are zero: Listener
	// to a loopback, Random to a generator of the Seed, and Log to the test's log.
	Server func(e *ecs.Engine) netcode.ServerConfig[S, I]
	// Client adds the game's systems to the engine of each client, before the client is installed.
	// Nil: it installs interpolation.New3D().
	Client func(e *ecs.Engine)
	// ServerEngine configures the server's engine. A FixedRate of zero means the protocol's tick
	// rate, and a nil Log the test's log.
	ServerEngine ecs.Config
	// Seed selects the run. The secrets of the server, and the losses and delays of all lines
	// without seeds of their own, depend on it. Servers with one seed make the same secrets.
	Seed uint64
}

// Match is a server and its clients on one virtual clock, which [Match.Run] drives. Make it with
// [New]. All calls are made from the test's goroutine.
type Match[S any, I comparable] struct {
	Server *netcode.Server[S, I]
	// Engine is the server's engine. A test that replaces a server by another one sets Server,
	// Engine and Listener.
	Engine *ecs.Engine
	// Listener is the address that clients dial. A test may dial it to play a stranger.
	Listener *loopback.Listener
	// Clients are the clients that Run drives, in this order. A test takes out a client whose
	// engine it has closed, or whose process is to end without a word.
	Clients []*Client[S, I]
	// Now is the virtual time since New, at the end of the frame that is under way.
	Now time.Duration

	t      testing.TB
	config Config[S, I]
	joined int
	dialed uint64
	// updating is the engine whose Update has not returned.
	updating *ecs.Engine
}

// frame is the time between two frames.
const frame = time.Second / 120

// New makes the server of a match. The end of the test closes the engines of the server and of all
// clients, and a test that has failed then prints the seed. New ends the test if the game's
// configuration is invalid.
func New[S any, I comparable](t testing.TB, c Config[S, I]) *Match[S, I] {
	t.Helper()
	if c.Protocol == nil || c.Server == nil {
		t.Fatal("netcodetest: a Config needs Protocol and Server; pass functions that make them")
	}
	m := &Match[S, I]{t: t, config: c, Listener: loopback.Listen(loopback.Config{})}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("netcodetest: the test failed with Config.Seed %d", c.Seed)
		}
	})
	p, log := c.Protocol(), m.log("server")
	m.Engine = m.newEngine(c.ServerEngine, p, log)
	s := c.Server(m.Engine)
	if s.Listener == nil {
		s.Listener = m.Listener
	}
	if s.Random == nil {
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], c.Seed)
		s.Random = rand.NewChaCha8(seed)
	}
	if s.Log == nil {
		s.Log = log
	}
	var err error
	if m.Server, err = netcode.NewServer(p, s); err != nil {
		t.Fatal(err)
	}
	m.Engine.Install(m.Server)
	return m
}

// newEngine makes an engine for one end, and closes it at the end of the test.
func (m *Match[S, I]) newEngine(c ecs.Config, p *netcode.Protocol[S, I], log *slog.Logger) *ecs.Engine {
	m.t.Helper()
	if c.FixedRate == 0 {
		c.FixedRate = p.TickRate()
	}
	if c.Log == nil {
		c.Log = log
	}
	e, err := ecs.New(c)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		if e != m.updating { // a system or a callback has ended the test, as by t.Fatal
			e.Close()
		}
	})
	return e
}

// log returns the log of one end, whose lines have the virtual time and go to the test's log.
func (m *Match[S, I]) log(end string) *slog.Logger {
	return slog.New(slog.NewTextHandler(m.t.Output(), &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey && len(groups) == 0 {
			return slog.Duration("at", m.Now)
		}
		return a
	}})).With("end", end)
}

// Join adds a client behind a line, seen from the client: Send is the way to the server. The client
// dials in the next frame. A line without seeds gets some of Config.Seed, anew for each connection.
//
// In the configuration Input is required, as for [netcode.NewClient]. The match sets these fields
// if they are nil: Dial to [Client.Dial] and Log to the test's log. Join ends the test if the line
// or the configuration is invalid.
func (m *Match[S, I]) Join(line linksim.Path, c netcode.ClientConfig[S, I]) *Client[S, I] {
	m.t.Helper()
	if _, _, err := line.Links(); err != nil {
		m.t.Fatal(err)
	}
	m.joined++
	p, log := m.config.Protocol(), m.log("client").With("number", m.joined)
	a := &Client[S, I]{Path: line, match: m, Engine: m.newEngine(ecs.Config{}, p, log)}
	if m.config.Client != nil {
		m.config.Client(a.Engine)
	} else {
		a.Engine.Install(interpolation.New3D())
	}
	if c.Dial == nil {
		c.Dial = a.Dial
	}
	if c.Log == nil {
		c.Log = log
	}
	var err error
	if a.Client, err = netcode.NewClient(p, c); err != nil {
		m.t.Fatal(err)
	}
	a.Engine.Install(a.Client)
	m.Clients = append(m.Clients, a)
	return a
}

// Run lets virtual time pass, in frames of 1/120 s. In each one it updates the server's engine,
// then those of the clients, and then calls each, unless that is nil. The last frame is the first
// one that reaches the end of the duration.
func (m *Match[S, I]) Run(d time.Duration, each func()) {
	for end := m.Now + d; m.Now < end; {
		m.Now += frame
		m.update(m.Engine, frame)
		for _, a := range m.Clients {
			if d := a.pass(frame); d > 0 {
				m.update(a.Engine, d)
			}
		}
		if each != nil {
			each()
		}
	}
}

func (m *Match[S, I]) update(e *ecs.Engine, d time.Duration) {
	m.updating = e
	e.Update(d)
	m.updating = nil
}
