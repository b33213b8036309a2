package netcode_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Cases 33 and 34 at the level of the server: nothing that a stranger or a player sends affects
// another player.
func TestInvalidDataAffectsNoOtherPlayer(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	bad := m.join(perfect(), nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	rng := rand.New(rand.NewPCG(1, 2))
	stranger := m.listener.Dial()
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	a.input = func(netcode.Tick) input { return input{X: 1} }
	x := m.of(a).State.X
	buf := make([]byte, transport.MaxMTU)
	frames := 0
	m.run(5*time.Second, func() {
		frames++
		stranger.Poll(m.now)
		if stranger.State() == transport.Closed {
			stranger = m.listener.Dial()
		}
		for range 20 {
			n := 1 + rng.IntN(len(buf)-1)
			for i := range n {
				buf[i] = byte(rng.Uint32())
			}
			switch rng.IntN(3) {
			case 0:
				buf[0] = 0x48
			case 1:
				buf[0] = 0x53
			}
			_ = stranger.Send(buf[:n])
			_ = bad.Conn.Send(buf[:n]) // from a player's own connection
		}
	})
	if moved := m.of(a).State.X - x; moved < 27 || moved > 31 {
		t.Errorf("under fire the other player ran %.1f m in 5 s, want 30", moved)
	}
	if s, _ := a.client.Status(); s != netcode.Playing {
		t.Errorf("under fire the other player is %v", s)
	}
	if m.server.Stats().Malformed < 100 { // most is refused before it is decoded
		t.Errorf("only %d datagrams counted as malformed; the test throws nothing", m.server.Stats().Malformed)
	}
	var after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// FuzzHello sends a stranger's hello to a server with a player, whose place the corpus has.
func FuzzHello(f *testing.F) {
	begin := func(t testing.TB) (*match, *player) {
		m := newMatch(t, nil)
		a := m.join(perfect(), nil)
		m.run(time.Second/15, nil)
		m.mustPlay()
		return m, a
	}
	f.Add([]byte{})
	f.Add([]byte{1, 2, 3})
	m, a := begin(f)
	add := func(write func(w *netcode.Writer)) {
		whole := netcode.NewWriter(make([]byte, transport.MaxMTU))
		write(&whole)
		f.Add(whole.Bytes())
	}
	add(m.protocol.WriteHelloForTest)
	add(func(w *netcode.Writer) { m.protocol.WriteHelloWithForTest(w, m.of(a), []byte("a token")) })
	add(func(w *netcode.Writer) { m.protocol.WritePlaceForTest(w, a.client.Place()) })
	add(func(w *netcode.Writer) { m.protocol.WritePlaceForTest(w, make([]byte, len(a.client.Place()))) })
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > transport.MaxMTU-1 {
			return
		}
		m, a := begin(t)
		conn := m.listener.Dial()
		conn.Poll(m.now)
		m.run(time.Second/60, nil)
		conn.Poll(m.now)
		_ = conn.Send(append([]byte{0x48}, b...))
		m.run(time.Second/20, nil)
		s := m.server.Stats()
		if status, r := a.client.Status(); status != netcode.Playing && (s.Resumed != 1 || r.Code != transport.Replaced) || s.Players > 2 {
			t.Fatalf("the player is %v (%v): %+v", status, r, s)
		}
	})
}

// FuzzSession sends a player's data behind the framing of a packet.
func FuzzSession(f *testing.F) {
	f.Add([]byte{0, 1, 2})
	for _, w := range spoken(f, "client")[1:] {
		f.Add(w[1:])
	}
	m := newMatch(f, nil)
	m.clients = nil
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > transport.MaxMTU-1 {
			return
		}
		_ = a.Conn.Send(append([]byte{0x53}, b...))
		m.run(time.Second/60, nil)
	})
}

// A token that claims to be another player's, with that player's number and a guessed secret, joins
// as a new player.
func TestGuessedSecretsJoinAsNewPlayers(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	b := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	if a.client.Number() == b.client.Number() {
		t.Errorf("two players have the number %d", a.client.Number())
	}
}

// Nothing is allocated per tick once all players have joined and the structure of the world does
// not change.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	m := newMatch(t, nil)
	for i := range 100 {
		e := m.crate(kindCrate, components.At3D(float32(i), 0, 0))
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			l := m.transform(e)
			pose := l.Get()
			pose.Position[1] += 0.01
			l.Set(pose)
		}))
	}
	for i := range 4 {
		p := m.join(linksim.Symmetric(linksim.Condition{Delay: 40 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.02, Seed: uint64(i)}), nil)
		p.input = func(at netcode.Tick) input { return input{X: int8(at/30%3) - 1} }
	}
	m.run(20*time.Second, nil)
	m.mustPlay()
	perTick := testing.AllocsPerRun(5, func() { m.run(time.Second, nil) }) / tickRate
	if perTick > 0.5 {
		t.Errorf("%.2f allocations a tick, server and four clients together", perTick)
	}
}

func BenchmarkServerTick(b *testing.B) {
	m := newMatch(b, nil)
	var moving []arche.Entity
	for i := range 436 {
		moving = append(moving, m.crate(kindCrate, components.At3D(float32(i%40), 0, float32(i/40))))
	}
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for i, e := range moving {
			if (i+int(m.engine.Time().Tick)/60)%4 == 0 {
				continue
			}
			l := m.transform(e)
			pose := l.Get()
			pose.Position[1] += 0.01
			l.Set(pose)
		}
	}))
	for i := range 64 {
		p := m.join(perfect(), nil)
		p.input = func(at netcode.Tick) input { return input{X: int8((at/30+netcode.Tick(i))%3) - 1} }
	}
	m.run(3*time.Second, nil)
	m.mustPlay()
	var spent time.Duration
	sent := m.server.Stats().SentBytes
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		m.now += time.Second / tickRate
		start := time.Now()
		m.engine.Update(time.Second / tickRate)
		spent += time.Since(start)
		b.StopTimer()
		for _, p := range m.clients {
			p.engine.Update(time.Second / tickRate)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(spent.Microseconds())/float64(b.N), "µs/tick")
	b.ReportMetric(float64(m.server.Stats().SentBytes-sent)/float64(b.N)/64*tickRate, "B/s/client")
}

// Case 49: a thousand entities, most of them moving, and a hundred players. In steady state neither
// the server's encoding nor the clients' decoding allocates. Most of the clients only acknowledge.
// Benchmarks measure the time of a tick.
func TestCrowdAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine and much work: runs where the race detector does not")
	}
	const entities, bots, clients = 1000, 100, 3
	m := newMatchOf(t, newProtocol(t, netcode.Config{MaxEntities: entities + bots}), func(c *netcode.ServerConfig[runner, input]) { c.MaxPlayers, c.SnapshotRate = bots, 20 })
	all := make([]arche.Entity, entities)
	for i := range all {
		all[i] = m.crate(kindCrate, components.At3D(float32(i%40), 0, float32(i/40)))
	}
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for i, e := range all {
			if i%4 != 0 {
				m.transform(e).Set(components.At3D(float32(i%40), float32(m.engine.Time().Tick%256)/64, float32(i/40)))
			}
		}
	}))
	for i := range clients {
		p := m.join(linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.01, Seed: uint64(i)}), nil)
		p.input = func(at netcode.Tick) input { return input{X: int8((at/30+netcode.Tick(i))%3) - 1} }
	}
	var others []*cheat
	for range bots - clients {
		c := &cheat{m: m, conn: m.listener.Dial()}
		var err error
		if c.endpoint, err = packet.NewEndpoint(packet.Config{MTU: c.conn.MTU() - 1}); err != nil {
			t.Fatal(err)
		}
		others = append(others, c)
		if len(others)%30 != 0 && len(others) < bots-clients {
			continue // the server bounds the pending connections
		}
		for step := range 2 {
			for _, c := range others {
				if c.conn.Poll(m.now); step == 1 && c.conn.State() == transport.Open && c.conn.Stats().Sent == 0 {
					w := netcode.NewWriter(c.buf[1:])
					c.buf[0] = 0x48
					m.protocol.WriteHelloForTest(&w)
					_ = c.conn.Send(c.buf[:1+len(w.Bytes())])
				}
			}
			m.run(time.Second/30, nil)
		}
	}
	play := func(d time.Duration) { m.run(d, func() { acknowledge(others) }) }
	play(3 * time.Second)
	m.mustPlay()
	if n := m.server.Stats().Players; n != bots {
		t.Fatalf("%d play, want %d", n, bots)
	}
	for i, p := range m.clients {
		if n := p.client.Stats().Replicas; n != entities+bots {
			t.Fatalf("client %d has %d replicas of %d", i, n, entities+bots)
		}
	}
	const ticks = 10
	before := m.server.Stats()
	perTick := testing.AllocsPerRun(2, func() { play(ticks * time.Second / tickRate) }) / ticks
	after := m.server.Stats()
	if sent := after.Sent - before.Sent; sent < bots*3*ticks/4 {
		t.Fatalf("only %d packets in %d ticks: the test shows nothing", sent, 3*ticks)
	}
	if perTick > 0.5 {
		t.Errorf("%.2f allocations a tick, server and %d clients together", perTick, bots)
	}
}

// acknowledge receives datagrams for clients that do nothing else, and sends acknowledgements.
func acknowledge(clients []*cheat) {
	for _, c := range clients {
		c.conn.Poll(c.m.now)
		heard := false
		for n, ok := c.conn.Recv(c.buf[:]); ok; n, ok = c.conn.Recv(c.buf[:]) {
			if c.buf[0] != 0x53 {
				continue
			}
			if pk, err := c.endpoint.Open(c.buf[1:n]); err == nil && c.endpoint.Accept(pk, c.m.now) == nil {
				heard = true
			}
		}
		if !heard {
			continue
		}
		w := c.endpoint.Begin(c.buf[1:], c.m.now, 200)
		w.Bool(false)
		w.Bits(uint64(c.m.server.Tick()), 32)
		w.Bits(0, 4)
		w.Bool(false)
		c.buf[0] = 0x53
		if d, err := c.endpoint.End(); err == nil {
			_ = c.conn.Send(c.buf[:1+len(d)])
		}
	}
}
