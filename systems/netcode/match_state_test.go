package netcode_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// clock is the value of these tests: a number that the server changes.
type clock struct {
	Number uint16
	Since  netcode.Tick
}

type clockState = netcode.MatchState[clock]

func clockMatch(t testing.TB, change func(*netcode.ServerConfig[runner, input])) (m *match, there *clockState) {
	t.Helper()
	p := newProtocol(t, netcode.Config{})
	there = netcode.NewMatchState(p, "clock", nil, clock{Number: 9})
	return newMatchOf(t, p, change), there
}

// joinWithClock adds a client with a protocol of its own.
func (m *match) joinWithClock(path linkPath, change func(c *netcode.ClientConfig[runner, input])) (*player, *clockState) {
	m.t.Helper()
	m.protocol = newProtocol(m.t, netcode.Config{})
	here := netcode.NewMatchState(m.protocol, "clock", nil, clock{Number: 9})
	return m.join(path, change), here
}

// Clients that join late, return after an outage, or return as new players have the server's values
// in all ticks that they may use.
func TestMatchStateAfterJoinsAndOutages(t *testing.T) {
	m, there := clockMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout, c.Grace = 10*time.Second, 10*time.Second })
	set := func(every netcode.Tick, ahead int) func() {
		return func() {
			if t := m.server.Tick(); t%every == 0 {
				there.Set(clock{Number: uint16(t), Since: t}, t.Add(ahead))
			}
		}
	}
	now := set(1, 1)
	m.onServer(func() { now() })
	m.run(4*time.Second, nil)
	a, ofA := m.joinWithClock(seeds(3), nil)
	if v := ofA.At(m.server.Tick()); v != (clock{Number: 9}) {
		t.Errorf("%+v before the first snapshot, want the first value", v)
	}
	m.run(4*time.Second, nil)
	now = set(20, 30)
	m.run(time.Second, nil)
	_, ofB := m.joinWithClock(seeds(4), nil)
	check := func(what string) {
		t.Helper()
		m.mustPlay()
		for i, here := range []*clockState{ofA, ofB} {
			for k := m.server.Tick().Add(-tickRate / 2); k != m.server.Tick().Add(10); k++ {
				if got, want := here.At(k), there.At(k); got != want {
					t.Fatalf("%s: client %d has %+v in tick %d (now %d), want %+v", what, i, got, k, m.server.Tick(), want)
				}
			}
		}
	}
	m.run(4*time.Second, nil)
	check("after the late join")
	for _, d := range []time.Duration{2 * time.Second, 16 * time.Second, 35 * time.Second} {
		cut := linksim.Symmetric(linksim.Condition{Loss: 1})
		if err := a.Conn.SetPath(cut); err != nil {
			t.Fatal(err)
		}
		a.Path = cut
		m.run(d, nil)
		if a.Path = seeds(5); a.Conn.SetPath(a.Path) != nil {
			t.Fatal("no path")
		}
		m.run(15*time.Second, nil)
		check("after " + d.String())
	}
	s := m.server.Stats()
	if s.Resumed == 0 || s.Joined < 3 {
		t.Errorf("%d players have resumed and %d have joined: the test does not cover both", s.Resumed, s.Joined)
	}
}

// A server that sets another value in every tick works: nothing is allocated, packets grow by a
// bounded number of bytes, and the clients' newest values are no older than their snapshots.
func TestMatchStateInEveryTick(t *testing.T) {
	m, there := clockMatch(t, nil)
	busy := false
	m.onServer(func() {
		if t := m.server.Tick(); busy {
			there.Set(clock{Number: uint16(t), Since: t}, t.Add(1))
		}
	})
	a, here := m.joinWithClock(seeds(5), nil)
	m.run(10*time.Second, nil)
	m.mustPlay()
	rate := func() (perTick, perPacket float64) {
		m.run(5*time.Second, nil)
		sent := m.server.Stats()
		perTick = testing.AllocsPerRun(5, func() { m.run(time.Second, nil) }) / tickRate
		now := m.server.Stats()
		return perTick, float64(now.SentBytes-sent.SentBytes) / float64(now.Sent-sent.Sent)
	}
	_, calm := rate()
	busy = true
	allocs, loud := rate()
	if allocs > 0.1 {
		t.Errorf("%.2f allocations a tick, server and client together", allocs)
	}
	if loud > calm+128+35 {
		// 21 changes of 48 bits, each with twelve, and 32 for those that are far
		t.Errorf("packets of %.0f bytes, and of %.0f with a change in every tick", calm, loud)
	}
	m.mustPlay()
	newest := netcode.Tick((a.client.NewestForTest()*tickRate + time.Second/2) / time.Second)
	for k := newest.Add(-40); k != newest.Add(1); k++ {
		if got, want := here.At(k), there.At(k); got != want {
			t.Errorf("%+v in tick %d of the snapshot of tick %d, want %+v", got, k, newest, want)
		}
	}
	t.Logf("%.2f allocations a tick; packets of %.1f bytes, and of %.1f with a change in every tick", allocs, calm, loud)
}

// Without a MatchState nothing is sent for it. With one, each snapshot takes a bit more, which is a
// byte or none.
func TestMatchStateCostsABit(t *testing.T) {
	play := func(make func(p *protocol)) (up, down []int) {
		build := func() *protocol {
			p := newProtocol(t, netcode.Config{})
			make(p)
			return p
		}
		m := newMatchOf(t, build(), nil)
		m.protocol = build()
		a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
			dial := c.Dial
			c.Dial = func() (transport.Conn, error) {
				conn, err := dial()
				return sizes{conn, &up, &down}, err
			}
		})
		a.input = func(at netcode.Tick) input { return input{X: int8(at/30%3) - 1} }
		m.run(4*time.Second, nil)
		m.mustPlay()
		return up, down
	}
	up0, down0 := play(func(*protocol) {})
	up1, down1 := play(func(p *protocol) { netcode.NewMatchState(p, "door", nil, false) })
	_, down3 := play(func(p *protocol) {
		for _, name := range []string{"a", "b", "c"} {
			netcode.NewMatchState(p, name, nil, false)
		}
	})
	sum := func(sizes []int) (all int) {
		for _, n := range sizes {
			all += n
		}
		return all
	}
	if len(down0) < 100 || len(down1) != len(down0) || sum(up0) != sum(up1) {
		t.Fatalf("%d, %d and %d datagrams down, %d and %d bytes up", len(down0), len(down1), len(down3), sum(up0), sum(up1))
	}
	for i, n := range down0 {
		if d := down1[i] - n; d < 0 || d > 1 {
			t.Errorf("datagram %d takes %d bytes more", i, d)
		}
	}
	// The last byte of a packet is used up to any bit, so that one bit makes an eighth of a byte.
	per := func(down []int) float64 { return 8 * float64(sum(down)-sum(down0)) / float64(len(down0)) }
	if one, three := per(down1), per(down3); one > 3 || three > 6 {
		t.Errorf("%.2f bits in a snapshot for one match state, %.2f for three", one, three)
	}
}

// sizes is a connection that records the sizes of its datagrams.
type sizes struct {
	transport.Conn
	up, down *[]int
}

func (s sizes) Send(b []byte) error {
	*s.up = append(*s.up, len(b))
	return s.Conn.Send(b)
}

func (s sizes) Recv(b []byte) (int, bool) {
	n, ok := s.Conn.Recv(b)
	if ok {
		*s.down = append(*s.down, n)
	}
	return n, ok
}

// Both ends have to have the same match states. If not, the client is refused with words that say
// so.
func TestMatchStatesMustMatch(t *testing.T) {
	m, _ := clockMatch(t, nil)
	for _, other := range []func(p *protocol){
		func(*protocol) {},
		func(p *protocol) { netcode.NewMatchState(p, "time", nil, clock{}) },
		func(p *protocol) { netcode.NewMatchState(p, "clock", nil, uint16(9)) },
		func(p *protocol) {
			netcode.NewMatchState(p, "clock", nil, clock{})
			netcode.NewMatchState(p, "door", nil, false)
		},
	} {
		m.protocol = newProtocol(t, netcode.Config{})
		other(m.protocol)
		a := m.join(perfect(), nil)
		m.run(time.Second, nil)
		if s, r := a.client.Status(); s != netcode.Ended || r.Code != transport.Mismatch || !strings.Contains(r.Text, "match states differ") {
			t.Errorf("the client is %v: %v", s, r)
		}
	}
}

// Mistakes panic with their remedy.
func TestMatchStateMistakes(t *testing.T) {
	wants := func(words string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if text, _ := recover().(string); !strings.Contains(text, words) {
				t.Errorf("panic %q, want one with %q", text, words)
			}
		}()
		f()
	}
	m, there := clockMatch(t, nil)
	used := m.protocol
	a, here := m.joinWithClock(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	_ = a
	fresh := func() *protocol { return newProtocol(t, netcode.Config{}) }
	wants("make the protocol once for each server and client", func() {
		m.protocol = used
		m.join(perfect(), nil)
	})
	wants("make it before them", func() { netcode.NewMatchState(used, "late", nil, false) })
	wants("call it on the server's own, after Install", func() { here.Set(clock{}, 0) })
	wants("announce it less than", func() { there.Set(clock{}, m.server.Tick().Add(1<<29)) })
	wants("a name of its own", func() { netcode.NewMatchState(fresh(), "", nil, false) })
	wants("a name of its own", func() {
		p := fresh()
		netcode.NewMatchState(p, "a", nil, false)
		netcode.NewMatchState(p, "a", nil, false)
	})
	wants("65 bytes; 64 are possible", func() { netcode.NewMatchState(fresh(), "a", nil, [65]bool{}) })
	wants("66 bytes; 64 are possible", func() {
		p := fresh()
		netcode.NewMatchState(p, "a", nil, [33]bool{})
		netcode.NewMatchState(p, "b", nil, [33]bool{})
	})
	wants("array of fixed size", func() { netcode.NewMatchState(fresh(), "a", pointerCodec{}, struct{ p *int }{}) })
	wants("bound it in Quantize", func() { netcode.NewMatchState(fresh(), "a", wildCodec{}, math.NaN()) })
	netcode.NewMatchState(fresh(), "a", nil, [64]uint8{})
	// A Set for a tick that has begun counts as one for the next.
	now := m.server.Tick()
	there.Set(clock{Number: 1}, now.Add(-100))
	if a, b := there.At(now).Number, there.At(now+1).Number; a != 9 || b != 1 {
		t.Errorf("%d in the present tick and %d in the next, want 9 and 1", a, b)
	}
	there.Set(clock{Number: 2}, now.Add(50))
	there.Set(clock{Number: 1}, now.Add(1)) // takes the announcement back
	if got := there.At(now.Add(60)).Number; got != 1 {
		t.Errorf("%d after an announcement was taken back, want 1", got)
	}
}

type pointerCodec struct{}

func (pointerCodec) Quantize(v struct{ p *int }) struct{ p *int }                { return v }
func (pointerCodec) Encode(*netcode.Writer, struct{ p *int }, *struct{ p *int }) {}
func (pointerCodec) Decode(*netcode.Reader, *struct{ p *int }) (v struct{ p *int }) {
	return v
}

type wildCodec struct{}

func (wildCodec) Quantize(v float64) float64                      { return v }
func (wildCodec) Encode(w *netcode.Writer, v float64, _ *float64) { w.Bits(math.Float64bits(v), 64) }
func (wildCodec) Decode(r *netcode.Reader, _ *float64) (v float64) {
	return math.Float64frombits(r.Bits(64))
}
