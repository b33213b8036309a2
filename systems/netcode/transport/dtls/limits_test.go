package dtls_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
)

// scale is a server's socket that records the size of the datagrams. It is no *net.UDPConn, like
// the socket of a test or a proxy.
type scale struct {
	net.PacketConn
	mu       sync.Mutex
	up, down int // the largest so far
}

func (s *scale) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := s.PacketConn.ReadFrom(b)
	s.mu.Lock()
	s.up = max(s.up, n)
	s.mu.Unlock()
	return n, from, err
}

func (s *scale) WriteTo(b []byte, to net.Addr) (int, error) {
	s.mu.Lock()
	s.down = max(s.down, len(b))
	s.mu.Unlock()
	return s.PacketConn.WriteTo(b, to)
}

// wordy returns a certificate of some kilobytes, like one with many names.
func wordy(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: strings.Repeat("long ", 600)}, NotAfter: time.Unix(1<<33, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// No UDP payload is larger than 1200 bytes, neither with the largest datagram nor in the handshake,
// whatever the certificate.
func TestNoPayloadAbove1200Bytes(t *testing.T) {
	for name, certificate := range map[string]tls.Certificate{"usual certificate": {}, "certificate of 3 KB": wordy(t)} {
		t.Run(name, func(t *testing.T) {
			s := &scale{PacketConn: localSocket(t)}
			c := open(dtls.Config{Certificate: certificate})
			l, err := dtls.ListenOn(s, c)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close(transport.Reason{})
			client, server := join(t, l, l.Addr(), dtls.Config{})
			largest := make([]byte, dtls.MTU)
			for _, way := range [][2]transport.Conn{{client, server}, {server, client}} {
				until(t, "the largest datagram arrives", func() bool {
					send(t, way[0], largest)
					for _, b := range drain(way[1]) {
						return len(b) == dtls.MTU
					}
					return false
				})
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if want := dtls.MTU + client.Stats().Overhead - 28; s.up != want || s.up > 1200 || s.up < 1190 {
				t.Errorf("the client's largest payload has %d bytes, want the stated overhead's %d, close to 1200 and no more", s.up, want)
			}
			if want := dtls.MTU + server.Stats().Overhead - 28; s.down != want || s.down > 1200 {
				t.Errorf("the server's largest payload has %d bytes, want the stated overhead's %d, and at most 1200", s.down, want)
			}
		})
	}
}

// An owner that does not receive costs bounded memory, and gets the newest datagrams when it
// receives again.
func TestSlowReader(t *testing.T) {
	l := listen(t, open(dtls.Config{ReceiveQueue: 16}))
	client, server := join(t, l, l.Addr(), dtls.Config{})
	const n = 500
	for i := range n {
		until(t, "the datagram is taken", func() bool { return client.Send([]byte{byte(i >> 8), byte(i)}) == nil })
		if i%50 == 49 { // fewer than any socket's buffer holds
			until(t, "these have arrived", func() bool { return server.Stats().ReceiveDropped == uint64(i+1-16) })
		}
	}
	got := drain(server)
	if len(got) != 16 {
		t.Fatalf("%d datagrams waited, want 16", len(got))
	}
	if first := int(got[0][0])<<8 | int(got[0][1]); first != n-16 {
		t.Errorf("the oldest that waited is number %d of %d", first, n)
	}
	if s := server.Stats(); s.ReceiveDropped == 0 || s.Received != uint64(len(got)) {
		t.Errorf("counted %+v", s)
	}
}

func TestBacklog(t *testing.T) {
	l := listen(t, open(dtls.Config{Backlog: 2}))
	for range 2 {
		dial(t, l, l.Addr(), dtls.Config{})
	}
	until(t, "two wait", func() bool { return l.Stats().Pending == 2 && l.Stats().Accepted == 2 })
	third := dial(t, l, l.Addr(), dtls.Config{})
	if got := ends(t, third); got.Code != transport.Refused || !strings.Contains(got.Text, "try again") {
		t.Errorf("the third was told %q", got)
	}
	if _, ok := l.Accept(); !ok {
		t.Error("the first is not there any more")
	}
}

// When a listener's socket breaks, the owners of its connections get the reason.
func TestSocketThatBreaks(t *testing.T) {
	before := runtime.NumGoroutine()
	socket := localSocket(t)
	l, err := dtls.ListenOn(socket, open(dtls.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	client, server := join(t, l, l.Addr(), dtls.Config{})
	socket.Close()
	if got := ends(t, server); got.Code != transport.Failed {
		t.Errorf("the server's end closed because %q", got)
	}
	l.Close(transport.Reason{})
	<-l.Done()
	l.Close(transport.Reason{}) // a second one does nothing
	client.Close(transport.Reason{})
	<-client.(*dtls.Conn).Done()
	settle(t, before)
}

// Handshakes that succeed while the listener closes end with its reason.
func TestCloseAmidHandshakes(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 10 {
		l, err := dtls.Listen("127.0.0.1:0", open(dtls.Config{}))
		if err != nil {
			t.Fatal(err)
		}
		var clients []*dtls.Conn
		for range 5 {
			clients = append(clients, dtls.Dial(l.Addr(), l.Fingerprint(), dtls.Config{DialTimeout: time.Minute}))
		}
		until(t, "a handshake is under way", func() bool { return l.Stats().Pending > 0 || l.Stats().Accepted > 0 })
		l.Close(transport.Reason{Code: transport.Shutdown})
		<-l.Done()
		for _, c := range clients {
			c.Close(transport.Reason{})
			<-c.Done()
		}
	}
	settle(t, before)
}

func TestMisuse(t *testing.T) {
	if _, err := dtls.Listen("nonsense", dtls.Config{}); err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
		t.Errorf("an address without a port: %v", err)
	}
	l := listen(t, dtls.Config{})
	if _, err := dtls.Listen(l.Addr(), dtls.Config{}); err == nil || !strings.Contains(err.Error(), "another port") {
		t.Errorf("a port in use: %v", err)
	}
	// Some systems let a program listen on a foreign address (Linux: ip_nonlocal_bind), but none on
	// a link-local address without its zone.
	if _, err := dtls.Listen("[fe80::203:0:113:1]:0", dtls.Config{}); err == nil || !strings.Contains(err.Error(), "this machine") {
		t.Errorf("an address of somebody else: %v", err)
	}
	if _, err := dtls.Listen("127.0.0.1:0", dtls.Config{Certificate: tls.Certificate{Certificate: [][]byte{{1}}}}); err == nil {
		t.Error("a certificate without a key was taken")
	}
	for _, c := range []dtls.Config{{HalfOpen: -1}, {MaxConns: -1}, {Backlog: -1}, {SendQueue: -1}, {ReceiveQueue: -1}, {HandshakeTimeout: -1}, {DialTimeout: -1}, {Handshakes: dtls.Rate{PerSecond: 1}}, {Cookies: dtls.Rate{Burst: -1}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v did not panic", c)
				}
			}()
			dtls.Listen("127.0.0.1:0", c)
		}()
	}
}
