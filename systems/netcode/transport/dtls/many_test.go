package dtls

import (
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// A machine may have many addresses, and a server on all of them can be reached at each: it answers
// from the one that was dialed, though routes prefer another one.
func TestRepliesLeaveFromTheRequestedAddress(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the other systems' ways to say so are not used yet")
	}
	for _, all := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		l, err := Listen(all, Config{})
		if err != nil {
			t.Logf("%s: %v", all, err) // a machine without IPv6
			continue
		}
		_, port, err := net.SplitHostPort(l.Addr())
		if err != nil {
			t.Fatal(err)
		}
		for _, addr := range []string{"127.0.0.1", "127.0.0.2", "127.3.2.1", "::1", "::ffff:127.0.0.2"} {
			if probe, err := net.ListenPacket("udp", net.JoinHostPort(addr, "0")); err != nil || all == "0.0.0.0:0" && addr == "::1" {
				continue
			} else {
				probe.Close()
			}
			c := Dial(net.JoinHostPort(addr, port), l.Fingerprint(), Config{DialTimeout: time.Minute})
			var server transport.Conn
			for ok := false; !ok && c.State() != transport.Closed; time.Sleep(time.Millisecond) {
				c.Poll(0)
				server, ok = l.Accept()
			}
			if server == nil {
				t.Errorf("%s on %s: %v", addr, all, c.CloseReason())
				continue
			}
			// Encrypted datagrams take the same way back.
			var buf [MTU]byte
			for heard := false; !heard && c.State() != transport.Closed; time.Sleep(time.Millisecond) {
				if c.Poll(0); c.State() == transport.Open {
					server.Poll(0)
					_ = server.Send([]byte("hello"))
					_, heard = c.Recv(buf[:])
				}
			}
			if c.State() != transport.Open {
				t.Errorf("%s on %s: %v", addr, all, c.CloseReason())
			}
			c.Close(transport.Reason{Code: transport.Left})
			<-c.Done()
		}
		l.Close(transport.Reason{Code: transport.Shutdown})
		<-l.Done()
	}
}

// The socket allocates nothing, neither for a datagram that arrives nor for its answer.
func TestWayBackAllocatesNothing(t *testing.T) {
	udp, err := net.ListenUDP("udp", &net.UDPAddr{})
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	client, err := net.DialUDP("udp", nil, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: udp.LocalAddr().(*net.UDPAddr).Port})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s, buf, word := socketOf(udp), make([]byte, 2048), []byte("word")
	if allocs := testing.AllocsPerRun(200, func() {
		_, _ = client.Write(word)
		n, from, via, err := s.read(buf)
		if err != nil || runtime.GOOS == "linux" && via == nil {
			t.Fatalf("%v, %v", via, err)
		}
		if err := s.write(buf[:n], from, via); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Read(buf); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
