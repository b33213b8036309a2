package dtls_test

import (
	"net"
	"runtime"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/sockettest"
)

// firstHello returns the first datagram of a client.
func firstHello(t testing.TB, l *dtls.Listener) []byte {
	t.Helper()
	trap := localSocket(t)
	defer trap.Close()
	c := dtls.Dial(trap.LocalAddr().String(), l.Fingerprint(), dtls.Config{})
	defer c.Close(transport.Reason{})
	buf := make([]byte, 2048)
	n, err := trap.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	return buf[:n]
}

// Conformance case 37: twenty thousand forged hellos, each from another address, arrive between the
// datagrams of players. The players go on, nothing of the hellos is kept, no more are answered than
// the limit allows, and another player joins meanwhile.
func TestFloodOfForgedHellos(t *testing.T) {
	attacker := localSocket(t)
	defer attacker.Close()
	s := sockettest.NewSpoofed(t, attacker.LocalAddr())
	l, err := dtls.ListenOn(s, dtls.Config{Cookies: dtls.Rate{PerSecond: 300, Burst: 300}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		l.Close(transport.Reason{})
		<-l.Done()
	}()
	hello := firstHello(t, l)
	server, err := net.ResolveUDPAddr("udp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	type player struct{ there, back *flow }
	var players []player
	for range 4 {
		a, b := join(t, l, l.Addr(), dtls.Config{})
		p := player{newFlow(a, b), newFlow(b, a)}
		p.there.carry(t, 1)
		players = append(players, p)
	}
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	heap, goroutines := memory.HeapAlloc, runtime.NumGoroutine()
	before := l.Stats()

	var late *dtls.Conn
	const rounds, burst = 200, 100
	for i := range rounds {
		for range burst {
			if _, err := attacker.WriteToUDP(hello, server); err != nil {
				t.Fatal(err)
			}
		}
		p := players[i%len(players)]
		p.there.carry(t, 1)
		p.back.carry(t, 1)
		if i == rounds/2 {
			late = dial(t, l, l.Addr(), dtls.Config{})
		}
	}
	until(t, "a player who dialled in the middle of it joins", func() bool {
		late.Poll(0)
		if late.State() == transport.Closed {
			// The flood had used up the answers for longer than a handshake may take. The client
			// tries again, as clients do.
			<-late.Done()
			late = dial(t, l, l.Addr(), dtls.Config{})
		}
		return late.State() == transport.Open
	})
	late.Close(transport.Reason{})
	<-late.Done()
	for _, p := range players {
		if p.back.take(t); p.back.to.State() != transport.Open {
			t.Errorf("a player was closed: %v", p.back.to.CloseReason())
		}
	}
	after := l.Stats()
	hellos, challenged := after.Hellos-before.Hellos, after.Challenges-before.Challenges
	t.Logf("%d hellos arrived, %d were answered", hellos, challenged)
	if unanswered := after.Unanswered - before.Unanswered; challenged+unanswered > hellos || challenged+unanswered < hellos/2 {
		t.Errorf("of %d hellos %d were challenged and %d were not answered", hellos, challenged, unanswered)
	}
	if hellos < rounds*burst/2 {
		t.Errorf("only %d of %d hellos arrived: the test shows little", hellos, rounds*burst)
	}
	if int64(challenged) < s.Answers.Load() {
		t.Errorf("%d answers to %d challenges", s.Answers.Load(), challenged)
	}
	// The client that left was never accepted.
	until(t, "handshakes that players gave up have run out", func() bool { return l.Stats().Pending <= 1 })
	if got := l.Stats(); got.Accepted > 5 {
		t.Errorf("the flood made connections: %+v", got)
	}
	settle(t, goroutines+8) // those of the player that left end later
	runtime.GC()
	runtime.ReadMemStats(&memory)
	if grown := int64(memory.HeapAlloc) - int64(heap); grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// An operator sees in the counters what strangers send.
func TestStrangersAreCounted(t *testing.T) {
	l := listen(t, dtls.Config{Cookies: dtls.Rate{PerSecond: 1, Burst: 1}, NetworkCookies: dtls.Rate{PerSecond: 1, Burst: 1}})
	stranger, err := net.Dial("udp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	for _, b := range [][]byte{firstHello(t, l), []byte("no hello"), {0}} {
		if _, err := stranger.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "all have arrived", func() bool { return l.Stats().Strays == 2 })
	if got, want := l.Stats(), (transport.ListenerStats{Hellos: 1, Challenges: 1, Strays: 2}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	// One hello a second is answered. A slow machine sends no faster than that.
	for got := l.Stats(); got.Unanswered == 0; got = l.Stats() {
		if _, err := stranger.Write(firstHello(t, l)); err != nil {
			t.Fatal(err)
		}
		until(t, "it has arrived", func() bool { return l.Stats().Hellos == got.Hellos+1 })
		if got.Hellos > 20 {
			t.Fatalf("all are answered: %+v", got)
		}
	}
	if got := l.Stats(); got.Hellos != got.Challenges+got.Unanswered || got.Refused != got.Unanswered || got.Accepted+got.Failed != 0 {
		t.Errorf("counted %+v", got)
	}
}

// Hundreds of clients connect and leave, a few of them at a time, and no goroutine remains.
func TestClientsComeAndGo(t *testing.T) {
	before := runtime.NumGoroutine()
	l, err := dtls.Listen("127.0.0.1:0", open(dtls.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	n := 200
	if testing.Short() {
		n = 50
	}
	var server []transport.Conn
	accept := func() {
		for c, ok := l.Accept(); ok; c, ok = l.Accept() {
			server = append(server, c)
		}
		l.Poll(0)
	}
	for range n / 10 {
		var clients []*dtls.Conn
		for range 10 {
			clients = append(clients, dial(t, l, l.Addr(), dtls.Config{}))
		}
		for _, c := range clients {
			until(t, "the client is in", func() bool { c.Poll(0); accept(); return c.State() == transport.Open })
			c.Close(transport.Reason{Code: transport.Left, Text: "was nice"})
		}
		for _, c := range clients {
			<-c.Done()
		}
	}
	until(t, "all were accepted", func() bool { accept(); return len(server) == n })
	for _, c := range server {
		if got := ends(t, c); got.Text != "was nice" {
			t.Errorf("the server was told %q", got)
		}
	}
	l.Close(transport.Reason{})
	<-l.Done()
	settle(t, before)
}
