package dtls

import (
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// usage returns the memory in use and the number of goroutines.
func usage() (memory int64, goroutines int) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse), runtime.NumGoroutine()
}

// Attackers that can be reached at their addresses, which costs them sockets, begin handshakes and
// never complete them. Their number stays within the bound, whatever they send afterwards, and
// after the time-out nothing of them is left. Players can connect as soon as there is room.
func TestHalfOpenHandshakesAreBounded(t *testing.T) {
	const bound, strangers = 64, 200
	many := Rate{PerSecond: 1e6, Burst: 1e6}
	l, err := Listen("127.0.0.1:0", Config{
		HalfOpen: bound, HandshakeTimeout: time.Second, Handshakes: many, NetworkHandshakes: many, Cookies: many, NetworkCookies: many,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { l.Close(transport.Reason{}); <-l.Done() }()
	server, err := net.ResolveUDPAddr("udp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	memory, goroutines := usage()
	buf := make([]byte, 2048)
	for i := range strangers {
		c, err := net.DialUDP("udp", nil, server)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for attempt := 0; ; attempt++ {
			c.Write(makeHello(t, byte(i), nil))
			c.SetReadDeadline(time.Now().Add(time.Second))
			if n, err := c.Read(buf); err == nil {
				cookie, ok := parseVerifyRequest(buf[:n])
				if !ok {
					t.Fatalf("the answer is %x", buf[:n])
				}
				c.Write(makeHello(t, byte(i), cookie))
				for piece := range 100 { // and pieces of messages that are never completed
					c.Write(fragment(1170, byte(piece)))
				}
				break
			} else if attempt == 10 {
				t.Fatal(err)
			}
		}
		if got := l.Stats().Pending; got > bound {
			t.Fatalf("%d handshakes are under way, want at most %d", got, bound)
		}
	}
	nowMemory, nowGoroutines := usage()
	if n := l.Stats().Pending; n > 0 {
		t.Logf("each of %d handshakes under way costs %d KB and %.1f goroutines, pieces of messages included",
			n, (nowMemory-memory)/int64(n)/1024, float64(nowGoroutines-goroutines)/float64(n))
	}
	if got := nowGoroutines - goroutines; got > 6*bound {
		t.Errorf("%d goroutines for %d handshakes", got, bound)
	}
	if got := nowMemory - memory; got > bound*200<<10 {
		t.Errorf("%d bytes for %d handshakes", got, bound)
	}
	deadline := time.Now().Add(time.Minute)
	for l.Stats().Pending > 0 || runtime.NumGoroutine() > goroutines {
		if time.Now().After(deadline) {
			t.Fatalf("%+v and %d goroutines are left, want none and %d", l.Stats(), runtime.NumGoroutine(), goroutines)
		}
		time.Sleep(time.Millisecond)
	}
	if got := l.Stats(); got.Failed < bound || got.Accepted != 0 {
		t.Errorf("counted %+v, want all of them failed", got)
	}
	c := Dial(l.Addr(), l.Fingerprint(), Config{DialTimeout: time.Minute})
	defer func() { c.Close(transport.Reason{}); <-c.Done() }()
	for c.State() == transport.Connecting {
		c.Poll(0)
		time.Sleep(time.Millisecond)
	}
	if c.State() != transport.Open {
		t.Errorf("a player was closed: %v", c.CloseReason())
	}
}

// fragment returns a datagram with a piece of a large message.
func fragment(size int, message byte) []byte {
	b := record(typeHandshake, 0, connID{}, handshakeHeader+size)
	header := b[recordHeader:]
	header[0], header[1] = 11, 0x0f // a certificate of a megabyte
	header[5] = message + 1
	header[10], header[11] = byte(size>>8), byte(size)
	b[10] = message // the record's number
	return b
}

// BenchmarkConnections measures the memory of an idle connection, both ends of it.
func BenchmarkConnections(b *testing.B) {
	many := Rate{PerSecond: 1e6, Burst: 1e6}
	l, err := Listen("127.0.0.1:0", Config{Handshakes: many, NetworkHandshakes: many, Cookies: many, NetworkCookies: many, Backlog: 1000})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { l.Close(transport.Reason{}); <-l.Done() }()
	memory, goroutines := usage()
	const n = 100
	var conns []*Conn
	for b.Loop() {
		if len(conns) == n {
			continue
		}
		for range n {
			c := Dial(l.Addr(), l.Fingerprint(), Config{})
			for c.State() == transport.Connecting {
				time.Sleep(time.Millisecond)
				c.Poll(0)
			}
			conns = append(conns, c)
		}
	}
	nowMemory, nowGoroutines := usage()
	b.ReportMetric(float64(nowMemory-memory)/n, "B/connection")
	b.ReportMetric(float64(nowGoroutines-goroutines)/n, "goroutines/connection")
	for _, c := range conns {
		c.Close(transport.Reason{})
	}
}
