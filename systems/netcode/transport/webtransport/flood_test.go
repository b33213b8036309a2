//go:build !js

package webtransport_test

import (
	"bytes"
	"math/rand/v2"
	"net"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/sockettest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

// firstPacket returns the first packet of a client.
func firstPacket(t testing.TB, l server) []byte {
	t.Helper()
	trap := localSocket(t)
	defer trap.Close()
	c := webtransport.Dial("https://"+trap.LocalAddr().String()+"/webtransport", webtransport.Config{Pins: l.pins})
	defer func() {
		c.Close(transport.Reason{})
		<-c.Done()
	}()
	buf := make([]byte, 2048)
	n, err := trap.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	return buf[:n]
}

// Thousands of forged first packets, each from another address and for a connection of its own,
// arrive between the packets of players. The players go on, at most the unverified handshakes that
// are permitted are begun, the memory does not grow, and another player joins meanwhile.
func TestFloodOfForgedHandshakes(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("flood", func(t *testing.T) {
		attacker := localSocket(t)
		defer attacker.Close()
		s := sockettest.NewSpoofed(t, attacker.LocalAddr())
		c := webtransport.Config{Certificates: certificates(t), Unverified: webtransport.Rate{PerSecond: 1, Burst: 8}}
		listener, err := webtransport.ListenOn(s, c)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			listener.Close(transport.Reason{})
			<-listener.Done()
		}()
		l := server{listener, fingerprints(t, c.Certificates)}
		to, err := net.ResolveUDPAddr("udp", hostOf(t, l))
		if err != nil {
			t.Fatal(err)
		}
		hello := firstPacket(t, l)
		var players [][2]transport.Conn
		for range 3 {
			a, b := join(t, l, l.Addr(), webtransport.Config{})
			players = append(players, [2]transport.Conn{a, b})
		}
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		heap := memory.HeapAlloc

		var late *webtransport.Conn
		most := 0
		random := rand.New(rand.NewPCG(2, 2))
		const rounds, burst = 100, 60
		for i := range rounds {
			for range burst {
				forged := bytes.Clone(hello)
				for k := range 4 { // of the connection id, which follows flags, version and length
					forged[6+k] = byte(random.Uint32())
				}
				if _, err := attacker.WriteToUDP(forged, to); err != nil {
					t.Fatal(err)
				}
			}
			p := players[i%len(players)]
			exchange(t, p[0], p[1])
			exchange(t, p[1], p[0])
			_, half := l.Visitors()
			most = max(most, half)
			if i == rounds/2 {
				late = dial(t, l, l.Addr(), webtransport.Config{DialTimeout: 5 * time.Second})
			}
		}
		until(t, "a player who dialed in the middle of it joins", func() bool {
			late.Poll(0)
			if late.State() == transport.Closed { // it tries again, as clients do
				<-late.Done()
				late = dial(t, l, l.Addr(), webtransport.Config{DialTimeout: 5 * time.Second})
			}
			return late.State() == transport.Open
		})
		t.Logf("at most %d handshakes at once, %d answers, %+v", most, s.Answers.Load(), l.Stats())
		if most < 4 || most > 8+10 {
			// the players have used some of the eight, and one more a second is permitted
			t.Errorf("%d handshakes at once, want about as many as are permitted", most)
		}
		if got := l.Stats(); got.Hellos < got.Challenges || got.Challenges < uint64(s.Answers.Load())/2 || got.Hellos > uint64(rounds*burst+200) {
			t.Errorf("counted %+v, with %d answers", got, s.Answers.Load())
		}
		if s.Answers.Load() < 100 {
			t.Errorf("only %d packets were answered: the test shows little", s.Answers.Load())
		}
		runtime.GC()
		runtime.ReadMemStats(&memory)
		if grown := int64(memory.HeapAlloc) - int64(heap); grown > 4<<20 {
			t.Errorf("the heap grew by %d bytes", grown)
		}
		for _, p := range players {
			if p[0].Poll(0); p[0].State() != transport.Open {
				t.Errorf("a player was closed: %v", p[0].CloseReason())
			}
		}
	})
	settle(t, before)
}

func hostOf(t testing.TB, l server) string {
	t.Helper()
	u, err := url.Parse(l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// Packets of strangers, of any content, hurt nobody and make no connection.
func TestGarbage(t *testing.T) {
	l := listen(t, open(webtransport.Config{}))
	a, b := join(t, l, l.Addr(), webtransport.Config{})
	stranger, err := net.Dial("udp", hostOf(t, l))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	hello := firstPacket(t, l)
	random := rand.New(rand.NewPCG(3, 3))
	for i := range 2000 {
		packet := bytes.Clone(hello)[:1+random.IntN(len(hello))]
		for range 1 + random.IntN(8) {
			packet[random.IntN(len(packet))] ^= byte(1 << random.IntN(8))
		}
		if i%3 == 0 {
			for k := range packet {
				packet[k] = byte(random.Uint32())
			}
		}
		_, _ = stranger.Write(packet)
		if i%100 == 0 {
			exchange(t, a, b)
		}
	}
	exchange(t, b, a)
	if s := l.Stats(); s.Accepted != 1 {
		t.Errorf("the garbage made connections: %+v", s)
	}
}

// A client that sends more than its budget loses what is beyond it, and stays connected. An
// untrusted one has a tenth.
func TestBudget(t *testing.T) {
	const burst, sent = 80, 120
	count := func(untrusted bool) (got int) {
		l := listen(t, open(webtransport.Config{ClientPackets: webtransport.Rate{PerSecond: 1, Burst: burst}}))
		client, server := join(t, l, l.Addr(), webtransport.Config{})
		transport.SetUntrusted(server, untrusted)
		buf := make([]byte, webtransport.MTU)
		take := func() {
			for _, ok := server.Recv(buf); ok; _, ok = server.Recv(buf) {
				got++
			}
		}
		for range sent {
			if err := client.Send([]byte("more and more")); err != nil {
				t.Fatal(err)
			}
			until(t, "it has left", func() bool { take(); return client.Stats().SendQueued == 0 })
		}
		time.Sleep(50 * time.Millisecond) // what is under way arrives, if anything
		take()
		if client.Poll(0); client.State() != transport.Open {
			t.Fatalf("the client was closed: %v", client.CloseReason())
		}
		return got
	}
	trusted, untrusted := count(false), count(true)
	if trusted > burst+10 || trusted < burst/3 {
		t.Errorf("%d packets arrived of a budget of %d", trusted, burst)
	}
	if untrusted > burst/10+10 || untrusted == 0 {
		t.Errorf("%d packets of an untrusted client arrived, want at most a tenth of %d", untrusted, burst)
	}
}
