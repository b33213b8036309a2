package netcode_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// mustPanic calls f, which must panic with these words.
func mustPanic(t *testing.T, what string, f func(), words ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		var text string
		switch v := recover().(type) {
		case nil:
			t.Errorf("%s did not panic", what)
			return
		case string:
			text = v
		case error:
			text = v.Error()
		}
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s panicked with %q, which does not say %q", what, text, word)
			}
		}
	}()
	f()
}

type titled struct{ Title string }

// A programmer's usual mistakes fail at their place, with a text that states the remedy.
func TestMistakesNameTheirRemedy(t *testing.T) {
	mustPanic(t, "a component without a codec", func() {
		netcode.ReplicateComponent[health](newProtocol(t, netcode.Config{}), "spare", nil)
	}, "no codec")
	mustPanic(t, "a component that holds a string", func() {
		netcode.ReplicateComponent[titled](newProtocol(t, netcode.Config{}), "title", nil)
	}, "holds a pointer (Title string)", "an array of fixed size")

	m := newMatch(t, nil)
	client := func(dial func() (transport.Conn, error)) *netcode.Client[runner, input] {
		c, err := netcode.NewClient(m.protocol, netcode.ClientConfig[runner, input]{Dial: dial, Input: func(netcode.Tick) input { return input{} }, Log: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	mustPanic(t, "a client on its server's engine", func() {
		m.engine.Install(client(func() (transport.Conn, error) { return m.listener.Dial(), nil }))
	}, "engine with a clock of its own", "two engines", "held by the netcode's server")
	mustPanic(t, "a Dial that returns nothing", func() {
		e, err := ecs.New(ecs.Config{FixedRate: tickRate})
		if err != nil {
			t.Fatal(err)
		}
		e.Install(client(func() (transport.Conn, error) { return nil, nil }))
		e.Update(0)
	}, "neither a connection nor an error")

	for _, c := range []struct {
		what   string
		body   func(w *arche.World) arche.Entity
		remedy string
	}{
		{"a dead body", func(w *arche.World) arche.Entity { e := w.NewEntity(); w.RemoveEntity(e); return e }, "dead; return a living one"},
		{"a body without a place", func(w *arche.World) arche.Entity { return w.NewEntity(arche.ComponentID[netcode.Replicated](w)) }, "without a Transform3D"},
		{"a body that is not replicated", func(w *arche.World) arche.Entity { return w.NewEntity(arche.ComponentID[components.Transform3D](w)) }, "without Replicated"},
	} {
		var m *match
		m = newMatch(t, func(config *netcode.ServerConfig[runner, input]) {
			config.Joined = func(*netcode.Player[runner, input]) (runner, arche.Entity) { return runner{}, c.body(m.engine.World()) }
		})
		m.join(perfect(), nil)
		mustPanic(t, c.what, func() { m.run(time.Second, nil) }, "Joined returned", c.remedy, "zero entity for a spectator")
	}
}

// Clients follow the server's clock, at most 5 % faster or slower: an engine that slows down would
// put them seconds behind.
func TestAServerHoldsTheClock(t *testing.T) {
	m := newMatch(t, nil)
	for what, err := range map[string]error{"slow motion": m.engine.SetScale(0.5), "a pause": m.engine.SetScale(0), "another rate": m.engine.SetRate(30)} {
		if err == nil || !strings.Contains(err.Error(), "netcode's server") {
			t.Errorf("%s of a server: %v", what, err)
		}
	}
	e, err := ecs.New(ecs.Config{FixedRate: tickRate, Scale: 2})
	if err != nil {
		t.Fatal(err)
	}
	s, err := netcode.NewServer(m.protocol, netcode.ServerConfig[runner, input]{
		Listener: m.listener, Joined: func(*netcode.Player[runner, input]) (runner, arche.Entity) { return runner{}, arche.Entity{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	mustPanic(t, "a server in fast motion", func() { e.Install(s) }, "set it to 1 first")
}

// Sending a message that has no receiver is an error. Sending one that waits for a connection is
// not.
func TestMessagesWithoutAReceiver(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	for _, send := range []func([]byte) error{a.client.Send, a.client.SendUnreliable} {
		if err := send([]byte("early")); err == nil || !strings.Contains(err.Error(), "wait for Playing") {
			t.Errorf("before joining: %v", err)
		}
	}
	m.run(time.Second, nil)
	m.mustPlay()
	if err := a.client.Send(make([]byte, 32<<10)); err != nil {
		t.Errorf("32 KiB: %v", err)
	}
	if err := a.client.Send(make([]byte, 32<<10+1)); err != packet.ErrMessageTooLarge {
		t.Errorf("a byte more: %v", err)
	}
	a.client.Leave()
	for _, send := range []func([]byte) error{a.client.Send, a.client.SendUnreliable} {
		if err := send([]byte("late")); err == nil || !strings.Contains(err.Error(), "has ended") {
			t.Errorf("after the end: %v", err)
		}
	}
}

type atlas struct{ Pages [300]uint32 }

type atlasCodec struct{}

func (atlasCodec) Quantize(a atlas) atlas { return a }
func (atlasCodec) Encode(w *netcode.Writer, a atlas, _ *atlas) {
	for _, page := range a.Pages {
		w.Bits(uint64(page), 32)
	}
}
func (atlasCodec) Decode(r *netcode.Reader, _ *atlas) (a atlas) {
	for i := range a.Pages {
		a.Pages[i] = uint32(r.Bits(32))
	}
	return a
}

// An entity that cannot be replicated, or whose position cannot be sent, is one line in the
// server's log. The others are shown.
func TestUnsendableComponentsAreLogged(t *testing.T) {
	p := newProtocol(t, netcode.Config{})
	netcode.ReplicateComponent[atlas](p, "atlas", atlasCodec{})
	var log bytes.Buffer
	m := newMatchOf(t, p, func(c *netcode.ServerConfig[runner, input]) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	a := m.join(perfect(), nil)
	near := m.crate(kindCrate, components.At3D(1000, 0, 0))
	m.run(2*time.Second, nil)
	m.mustPlay()
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("an error without one: %s", log.String())
	}
	far := m.crate(kindCrate, components.At3D(0, -1025, 0))
	fat := m.crate(kindCrate, components.At3D(1, 0, 0))
	atlases := generic.NewMap1[atlas](m.engine.World())
	atlases.Assign(fat, &atlas{})
	for range 3 { // also with messages in the packet
		for range 8 {
			if err := m.of(a).Send(make([]byte, 900)); err != nil {
				t.Fatal(err)
			}
		}
		m.run(time.Second, nil)
	}
	for what, e := range map[string]arche.Entity{"one within the grid": near, "one beyond the grid": far} {
		if a.client.Replica(m.id(e)).IsZero() {
			t.Errorf("%s is not shown", what)
		}
	}
	if !a.client.Replica(m.id(fat)).IsZero() {
		t.Error("1200 bytes of an entity went into a packet")
	}
	for _, words := range []string{"outside of the range of positions", "netcode.Config.Position", "does not fit into a packet", "codecs of its components"} {
		if n := strings.Count(log.String(), words); n != 1 {
			t.Errorf("%d times %q in the log:\n%s", n, words, log.String())
		}
	}
}

// An entity with Replicated and no transform is one line in the server's log, and an entity from
// Spawn without one is one line in the client's, with the remedy. The client's entity is shown all
// the same.
func TestMissingTransformsAreLoggedOnce(t *testing.T) {
	var server, client bytes.Buffer
	m := newMatchOf(t, newProtocol(t, netcode.Config{}), func(c *netcode.ServerConfig[runner, input]) {
		c.Log = slog.New(slog.NewTextHandler(&server, nil))
	})
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
		c.Log = slog.New(slog.NewTextHandler(&client, nil))
		c.Spawn = func(w *arche.World, _ netcode.Replicated, _ bool) arche.Entity { return w.NewEntity() }
	})
	crates := []arche.Entity{m.crate(kindCrate, components.At3D(1, 0, 0)), m.crate(kindCrate, components.At3D(2, 0, 0))}
	m.run(time.Second, nil)
	const onServer, onClient = "has Replicated and no Transform3D", "add it in ClientConfig.Spawn"
	if strings.Contains(server.String(), onServer) {
		t.Errorf("an error without one: %s", server.String())
	}
	bare := generic.NewMap1[netcode.Replicated](m.engine.World())
	for range 2 {
		bare.NewWith(&netcode.Replicated{Archetype: kindCrate})
		m.run(time.Second, nil)
	}
	m.mustPlay()
	for _, e := range crates {
		if a.client.Replica(m.id(e)).IsZero() {
			t.Error("a crate is not shown")
		}
	}
	for words, log := range map[string]string{onServer: server.String(), onClient: client.String()} {
		if n := strings.Count(log, words); n != 1 {
			t.Errorf("%d times %q in the log:\n%s", n, words, log)
		}
	}
}

// Losses during a broken connection do not count for the next connection. Inputs need not be sent
// further ahead for half a minute.
func TestLostConnectionIsNotMeasuredAsLoss(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Timeout = 2 * time.Second })
	m.run(5*time.Second, nil)
	m.mustPlay()
	before := a.client.Stats()
	dead := linkPath{}
	dead.Send.Loss, dead.Receive.Loss = 1, 1
	if err := a.Conn.SetPath(dead); err != nil {
		t.Fatal(err)
	}
	m.run(6*time.Second, nil)
	m.mustPlay()
	after := a.client.Stats()
	if after.Reconnects != 1 || after.Redundancy > before.Redundancy {
		t.Errorf("after %d reconnects %d packets are to carry an input, %d before", after.Reconnects, after.Redundancy, before.Redundancy)
	}
}
