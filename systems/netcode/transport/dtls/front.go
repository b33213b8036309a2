package dtls

import (
	"crypto/rand"
	"errors"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
)

// traffic counts the datagrams that reached a listener's socket from outside its connections.
type traffic struct {
	hellos     uint64 // well-formed hellos
	challenged uint64 // hellos that were answered with a cookie
	unanswered uint64 // hellos without a valid cookie that got none, because too many arrived
	// refused counts hellos with a valid cookie that were refused: too many handshakes, or too many
	// connections.
	refused uint64
	strays  uint64 // datagrams that are no hello and belong to no connection
}

// front stands between the socket and the library. It sorts datagrams by connection, and decides
// which clients may begin a handshake.
type front struct {
	socket socket
	config Config
	serve  func(*lane) // begins a handshake, in a goroutine of its own

	mu      sync.Mutex
	byID    map[connID]*lane
	byAddr  map[netip.AddrPort]*lane // of clients that have not proved their keys yet
	half    int                      // handshakes under way
	closed  bool
	cookies *cookies
	strange *admission.Limiter // of hellos without a cookie
	proven  *admission.Limiter // of hellos with one
	traffic traffic
	reply   [128]byte // scratch
}

func newFront(s socket, c Config, serve func(*lane)) *front {
	return &front{
		socket: s, config: c, serve: serve, byID: map[connID]*lane{}, byAddr: map[netip.AddrPort]*lane{},
		cookies: newCookies(), strange: admission.New(c.Cookies, c.NetworkCookies), proven: admission.New(c.Handshakes, c.NetworkHandshakes),
	}
}

// run reads the socket until it is closed. No error ends it, since on some systems another host's
// ICMP message is one.
func (f *front) run() {
	buf := make([]byte, 2048)
	start, failures := time.Now(), 0
	for {
		n, from, via, err := f.socket.read(buf)
		if err == nil {
			failures = 0
			f.receive(time.Since(start), from, via, buf[:n])
			continue
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if failures++; failures > 16 { // the error persists: do not spin
			time.Sleep(min(time.Duration(failures)*time.Millisecond, 100*time.Millisecond))
		}
	}
}

// receive handles a datagram from outside. The time is on any monotonic epoch. via is the socket's
// return path.
func (f *front) receive(now time.Duration, from netip.AddrPort, via, b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id, ok := idOf(b); ok {
		if l := f.byID[id]; l != nil {
			l.push(now, from, b, true)
			return
		}
	} else if isHello(b) {
		f.hello(now, from, via, b)
		return
	} else if plain(b) {
		if l := f.byAddr[from]; l != nil {
			l.push(now, from, b, false)
			return
		}
	}
	f.traffic.strays++
}

// hello handles a datagram that looks like the beginning of a handshake.
func (f *front) hello(now time.Duration, from netip.AddrPort, via, b []byte) {
	h, ok := parseHello(b)
	if !ok {
		f.traffic.strays++
		return
	}
	f.traffic.hellos++
	if len(h.cookie) != cookieSize { // most forged hellos cost no more than this
		f.challenge(now, from, via, h)
		return
	}
	if l := f.byAddr[from]; l != nil && l.random == [randomSize]byte(h.random) {
		l.push(now, from, b, false) // the library has it already: the client repeats it
		return
	}
	switch {
	case !f.cookies.good(now, from, h):
		f.challenge(now, from, via, h)
	case f.closed || f.half >= f.config.HalfOpen || len(f.byID) >= f.config.MaxConns || !f.proven.Allow(now, from.Addr()):
		f.traffic.refused++
	default:
		f.begin(now, from, via, h, b)
	}
}

// challenge asks the sender to repeat its hello with a cookie, and stores nothing.
func (f *front) challenge(now time.Duration, from netip.AddrPort, via []byte, h hello) {
	if f.closed || !f.strange.Allow(now, from.Addr()) {
		f.traffic.unanswered++
		return
	}
	f.traffic.challenged++
	_ = f.socket.write(appendVerifyRequest(f.reply[:0], h.sequence, f.cookies.of(windowAt(now), from, h)), from, via)
}

// begin starts a handshake with a client that can be reached at its address.
func (f *front) begin(now time.Duration, from netip.AddrPort, via []byte, h hello, b []byte) {
	var id connID
	for id == (connID{}) || f.byID[id] != nil {
		_, _ = rand.Read(id[:]) // it never fails
	}
	l := newLane(f, id, from, via, h)
	// A handshake under way from the same port is that of a client that began anew. It will time
	// out.
	f.byID[id], f.byAddr[from] = l, l
	f.half++
	l.push(now, from, b, false)
	f.serve(l)
}

// settled notes that a handshake has ended, with or without success.
func (f *front) settled() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.half--
}

// forgetAddress makes a lane reachable by its connection id alone.
func (f *front) forgetAddress(l *lane) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byAddr[l.origin] == l {
		delete(f.byAddr, l.origin)
	}
}

// remove removes a lane.
func (f *front) remove(l *lane) {
	f.forgetAddress(l)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byID, l.id)
}

// abandon closes all lanes.
func (f *front) abandon() {
	f.mu.Lock()
	lanes := slices.Collect(maps.Values(f.byID))
	f.mu.Unlock()
	for _, l := range lanes {
		_ = l.Close()
	}
}

// stop refuses all further hellos.
func (f *front) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

// stats returns the counters and the handshakes under way.
func (f *front) stats() (traffic, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.traffic, f.half
}
