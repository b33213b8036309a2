package dtls

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// listenOpen listens for clients that are all from one network.
func listenOpen(t testing.TB, c Config) *Listener {
	t.Helper()
	many := Rate{PerSecond: 1e5, Burst: 1e5}
	c.Handshakes, c.NetworkHandshakes, c.Cookies, c.NetworkCookies, c.HandshakeTimeout = many, many, many, many, 30*time.Second
	l, err := Listen("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(transport.Reason{}); <-l.Done() })
	return l
}

// arrives sends datagrams until one of them arrives, and returns false if the connection ends
// before. Each has its own number, so one of an earlier call that was still under way does not
// count. When arrives returns, the server has handled everything that was sent before the call.
func (r *rogue) arrives(server transport.Conn) (ok bool) {
	r.t.Helper()
	buf, before := make([]byte, MTU), r.sent
	eventually(r.t, "a datagram arrives", func() bool {
		r.sent++
		r.send(r.data(binary.LittleEndian.AppendUint32(nil, r.sent)...))
		time.Sleep(time.Millisecond / 4)
		server.Poll(0)
		for _, more := server.Recv(buf); more; _, more = server.Recv(buf) {
			ok = ok || binary.LittleEndian.Uint32(buf) > before
		}
		return ok || server.State() == transport.Closed
	})
	return ok
}

// barren returns how many records without a datagram the server has counted of a rogue.
func (r *rogue) barren(l *Listener) int {
	l.front.mu.Lock()
	lane := l.front.byID[connID(r.id)]
	l.front.mu.Unlock()
	lane.mu.Lock()
	defer lane.mu.Unlock()
	return lane.barren
}

// A client sends genuine records without a datagram, with good ones in between. The number that an
// honest client may send does no harm. More of them end the connection.
func TestRecordsWithoutData(t *testing.T) {
	l := listenOpen(t, Config{})
	whole := make([]byte, handshakeHeader)
	whole[5] = 99
	for name, make := range map[string]func(r *rogue, i int) []byte{
		"pieces of handshakes":     func(r *rogue, i int) []byte { return r.piece(uint16(i+100), 1100) },
		"whole handshake messages": func(r *rogue, i int) []byte { return r.record(typeHandshake, whole) },
		"alerts that are warnings": func(r *rogue, i int) []byte { return r.record(typeAlert, []byte{1, 90}) },
		"alerts cut short":         func(r *rogue, i int) []byte { return r.record(typeAlert, []byte{1}) },
		"kinds that do not exist":  func(r *rogue, i int) []byte { return r.record(99, []byte{1, 2, 3}) },
		"no bytes":                 func(r *rogue, i int) []byte { return r.record(23, nil) },
		"unknown tags":             func(r *rogue, i int) []byte { return r.record(23, []byte{77, 1, 2, 3}) },
		"empty datagrams":          func(r *rogue, i int) []byte { return r.data() },
		"datagrams too large":      func(r *rogue, i int) []byte { return r.data(append([]byte{}, oversize[:]...)...) },
	} {
		t.Run(name, func(t *testing.T) {
			r, server := newRogue(t, l)
			r.t = t
			if !r.arrives(server) {
				t.Fatalf("closed at once: %v", server.CloseReason())
			}
			own := r.barren(l) // a slow machine repeats the end of its handshake
			for i := range maxBarren - own {
				r.send(make(r, i))
				if i%8 == 0 && !r.arrives(server) {
					t.Fatalf("closed after %d: %v", own+i, server.CloseReason())
				}
			}
			if !r.arrives(server) {
				t.Fatalf("closed after %d: %v", maxBarren, server.CloseReason())
			}
			for i := maxBarren; r.arrives(server); i++ {
				if i > 10*maxBarren {
					t.Fatalf("still open after %d", i)
				}
				r.send(make(r, i))
			}
			if got := server.CloseReason(); got.Code != transport.Overload {
				t.Errorf("closed because %q, want overload", got)
			}
		})
	}
}

var oversize [MTU + 1]byte

// Twenty clients send pieces of handshakes that the library would keep, two megabytes for each
// client. The memory stays bounded.
func TestPiecesOfHandshakesAreNotKept(t *testing.T) {
	l := listenOpen(t, Config{})
	player, there := newRogue(t, l)
	if !player.arrives(there) {
		t.Fatal(there.CloseReason())
	}
	before, _ := usage()
	var rogues []*rogue
	var servers []transport.Conn
	most := int64(0)
	for n := range 20 {
		r, server := newRogue(t, l)
		rogues, servers = append(rogues, r), append(servers, server)
		for i := range 900 {
			r.send(r.piece(uint16(i+100), 1900))
			if i%100 == 0 && server.State() == transport.Open {
				r.arrives(server)
			}
		}
		if n%5 == 4 {
			now, _ := usage()
			most = max(most, now-before)
		}
	}
	for i, server := range servers {
		eventually(t, fmt.Sprintf("client %d is sent away", i), func() bool {
			rogues[i].send(rogues[i].piece(uint16(i+5000), 1900))
			server.Poll(0)
			return server.State() == transport.Closed
		})
		if got := server.CloseReason(); got.Code != transport.Overload {
			t.Errorf("closed because %q, want overload", got)
		}
	}
	t.Logf("the memory grew by %d KB", most>>10)
	if most > 10<<20 { // 45 MB are what the library would keep
		t.Errorf("the memory grew by %d bytes", most)
	}
	if !player.arrives(there) {
		t.Errorf("a player was closed: %v", there.CloseReason())
	}
}

// While a client has not completed its handshake, no more of its encrypted datagrams reach the
// library than unencrypted ones, since the library keeps them.
func TestEncryptedDatagramsBeforeTheHandshakeIsDone(t *testing.T) {
	for _, size := range []int{40, 1100, maxPlainSize + 1} {
		f, _, l := begin(t)
		buf := make([]byte, 2048)
		passed := 0
		for range 1000 {
			f.receive(time.Second, somebody, nil, record(typeConnectionID, 1, l.id, size))
			if waiting(l) > 0 {
				passed++
				l.ReadFrom(buf)
			}
		}
		want := maxPlain - 1 // the hello was one
		if size > maxPlainSize {
			want = 0
		}
		if passed != want {
			t.Errorf("%d of %d bytes passed, want %d", passed, size, want)
		}
	}
}
