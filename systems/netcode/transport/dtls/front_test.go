package dtls

import (
	"bytes"
	"encoding/binary"
	mathrand "math/rand/v2"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/dtls/v3/pkg/crypto/elliptic"
	"github.com/pion/dtls/v3/pkg/protocol"
	"github.com/pion/dtls/v3/pkg/protocol/extension"
	"github.com/pion/dtls/v3/pkg/protocol/handshake"
	"github.com/pion/dtls/v3/pkg/protocol/recordlayer"
)

// makeHello returns a hello as the library's client makes it.
func makeHello(t testing.TB, random byte, cookie []byte, extensions ...extension.Extension) []byte {
	t.Helper()
	if extensions == nil {
		extensions = []extension.Extension{
			&extension.SupportedEllipticCurves{EllipticCurves: []elliptic.Curve{elliptic.X25519, elliptic.P256}},
			&extension.SupportedPointFormats{PointFormats: []elliptic.CurvePointFormat{elliptic.CurvePointFormatUncompressed}},
			&extension.UseExtendedMasterSecret{Supported: true},
			&extension.ConnectionID{CID: []byte{}},
		}
	}
	record := recordlayer.RecordLayer{
		Header: recordlayer.Header{Version: protocol.Version1_2, SequenceNumber: 5},
		Content: &handshake.Handshake{Message: &handshake.MessageClientHello{
			Version: protocol.Version1_2, Random: handshake.Random{GMTUnixTime: time.Unix(1, 0), RandomBytes: [28]byte{random}}, Cookie: cookie,
			CipherSuiteIDs: []uint16{0xc02b, 0xcca9}, CompressionMethods: []*protocol.CompressionMethod{{}}, Extensions: extensions,
		}},
	}
	b, err := record.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mute is a socket that accepts and counts everything.
type mute struct {
	writes int
	bytes  int
	last   []byte
	to     netip.AddrPort
}

func (*mute) read([]byte) (int, netip.AddrPort, []byte, error) {
	return 0, netip.AddrPort{}, nil, net.ErrClosed
}
func (*mute) LocalAddr() net.Addr { return address{} }
func (*mute) Close() error        { return nil }
func (m *mute) write(b []byte, to netip.AddrPort, _ []byte) error {
	m.writes++
	m.bytes += len(b)
	m.last, m.to = append(m.last[:0], b...), to
	return nil
}

// newTestFront returns a front whose handshakes do nothing.
func newTestFront(t testing.TB, c Config) (*front, *mute, *[]*lane) {
	t.Helper()
	m, begun := &mute{}, &[]*lane{}
	return newFront(m, c.withDefaults(), func(l *lane) { *begun = append(*begun, l) }), m, begun
}

// prove sends a hello, and sends it again with the cookie that came back.
func prove(t testing.TB, f *front, m *mute, now time.Duration, from netip.AddrPort, random byte) {
	t.Helper()
	m.last = nil
	f.receive(now, from, nil, makeHello(t, random, nil))
	cookie, ok := parseVerifyRequest(m.last)
	if !ok || m.to != from {
		t.Fatalf("the answer to a hello is %x to %v", m.last, m.to)
	}
	f.receive(now, from, nil, makeHello(t, random, cookie))
}

var somebody = netip.MustParseAddrPort("203.0.113.7:4711")

// randomAddress returns an address of the internet.
func randomAddress(r *mathrand.Rand) netip.AddrPort {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], r.Uint32())
	return netip.AddrPortFrom(netip.AddrFrom4(b), uint16(r.Uint32()|1))
}

func TestHelloWithItsCookieBegins(t *testing.T) {
	f, m, begun := newTestFront(t, Config{})
	prove(t, f, m, time.Hour, somebody, 1)
	if len(*begun) != 1 || (*begun)[0].origin != somebody {
		t.Fatalf("%d handshakes began, want one", len(*begun))
	}
	buf := make([]byte, 2048)
	n, addr, err := (*begun)[0].ReadFrom(buf)
	cookie, _ := parseVerifyRequest(m.last)
	if err != nil || addr != address(somebody) || !bytes.Equal(buf[:n], makeHello(t, 1, cookie)) {
		t.Errorf("the library reads %x from %v, error %v, want the hello as it came", buf[:n], addr, err)
	}
	if got, _ := f.stats(); got != (traffic{hellos: 2, challenged: 1}) {
		t.Errorf("counted %+v", got)
	}
	if m.bytes >= len(makeHello(t, 1, nil)) {
		t.Errorf("the answer has %d bytes, more than the hello", m.bytes)
	}
}

// A cookie is valid for this address, this port, this hello and a while, and nothing else is a
// valid cookie.
func TestCookies(t *testing.T) {
	const now = time.Hour + cookieWindow/2
	f, m, begun := newTestFront(t, Config{})
	f.receive(now, somebody, nil, makeHello(t, 1, nil))
	cookie, _ := parseVerifyRequest(bytes.Clone(m.last))
	damaged := bytes.Clone(cookie)
	damaged[len(damaged)-1] ^= 1
	for _, test := range []struct {
		name   string
		now    time.Duration
		from   netip.AddrPort
		random byte
		cookie []byte
	}{
		{"another port", now, netip.AddrPortFrom(somebody.Addr(), 4712), 1, cookie},
		{"another address", now, netip.MustParseAddrPort("203.0.113.8:4711"), 1, cookie},
		{"another hello", now, somebody, 2, cookie},
		{"damaged", now, somebody, 1, damaged},
		{"cut", now, somebody, 1, cookie[:16]},
		{"longer", now, somebody, 1, append(bytes.Clone(cookie), 0)},
		{"zeros", now, somebody, 1, make([]byte, cookieSize)},
		{"too late", now + 2*cookieWindow, somebody, 1, cookie},
		// This is when the window's low byte repeats.
		{"much too late", now + 256*cookieWindow, somebody, 1, cookie},
	} {
		m.last = nil
		f.receive(test.now, test.from, nil, makeHello(t, test.random, test.cookie))
		if len(*begun) != 0 {
			t.Fatalf("%s: a handshake began", test.name)
		}
		if _, ok := parseVerifyRequest(m.last); !ok {
			t.Errorf("%s: the answer is %x, want another cookie", test.name, m.last)
		}
	}
	if h, _ := parseHello(makeHello(t, 1, cookie)); f.cookies.good(now-cookieWindow, somebody, h) {
		t.Error("a cookie of the future was taken")
	}
	f.receive(now+cookieWindow, somebody, nil, makeHello(t, 1, cookie))
	if len(*begun) != 1 {
		t.Error("the cookie was not taken in the next window")
	}
}

func TestForgedCookiesHaveNoChance(t *testing.T) {
	f, _, begun := newTestFront(t, Config{})
	r := mathrand.New(mathrand.NewPCG(3, 4))
	forged := make([]byte, cookieSize)
	for range 20_000 {
		for i := range forged {
			forged[i] = byte(r.Uint32())
		}
		f.receive(time.Minute, randomAddress(r), nil, makeHello(t, 1, forged))
	}
	if len(*begun) != 0 || len(f.byID) != 0 || len(f.byAddr) != 0 {
		t.Errorf("%d handshakes began, and %d addresses are remembered", len(*begun), len(f.byAddr))
	}
}

// From however many addresses hellos arrive, nothing is stored, and no more are answered than the
// limits allow.
func TestForgedHellosLeaveNothing(t *testing.T) {
	f, m, begun := newTestFront(t, Config{Cookies: Rate{PerSecond: 1000, Burst: 500}, NetworkCookies: Rate{PerSecond: 20, Burst: 10}})
	r, hello := mathrand.New(mathrand.NewPCG(5, 6)), makeHello(t, 1, nil)
	const n = 100_000 // in ten seconds
	for i := range n {
		f.receive(time.Duration(i)*100*time.Microsecond, randomAddress(r), nil, hello)
	}
	if len(*begun) != 0 || len(f.byID) != 0 || len(f.byAddr) != 0 {
		t.Errorf("%d handshakes began, and %d addresses are remembered", len(*begun), len(f.byAddr))
	}
	if m.writes < 9_000 || m.writes > 10_500 {
		t.Errorf("%d were answered in ten seconds, want 1000 per second", m.writes)
	}
	traffic, _ := f.stats()
	if traffic.hellos != n || traffic.challenged != uint64(m.writes) || traffic.challenged+traffic.unanswered != n {
		t.Errorf("counted %+v", traffic)
	}
	// With addresses of one victim, it receives no more than its network's share.
	before := m.writes
	for i := range n {
		f.receive(time.Minute+time.Duration(i)*100*time.Microsecond, somebody, nil, hello)
	}
	if got := m.writes - before; got < 200 || got > 211 {
		t.Errorf("%d answers went to one network in ten seconds, want 20 per second and 10 at once", got)
	}
	if allocs := testing.AllocsPerRun(1000, func() { f.receive(time.Hour, randomAddress(r), nil, hello) }); allocs != 0 {
		t.Errorf("%v allocations per hello, want 0", allocs)
	}
}

func TestHandshakesAreLimited(t *testing.T) {
	many := Rate{PerSecond: 1e6, Burst: 1e6}
	from := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{byte(i >> 8), byte(i), 1, 1}), 9)
	}
	for name, test := range map[string]struct {
		config Config
		after  func(*front, []*lane)
		want   int // of 60, and then of 60 more
		later  int
	}{
		"half open": {Config{HalfOpen: 20}, func(f *front, _ []*lane) { f.settled(); f.settled() }, 20, 2},
		"in all": {Config{MaxConns: 20}, func(_ *front, begun []*lane) {
			begun[3].Close()
			begun[4].Close()
			begun[4].Close()
		}, 20, 2},
		"the rate of all": {Config{Handshakes: Rate{PerSecond: 1, Burst: 30}}, nil, 30, 1},
		"stopped":         {Config{}, func(f *front, _ []*lane) { f.stop() }, 60, 0},
	} {
		t.Run(name, func(t *testing.T) {
			test.config.Cookies, test.config.NetworkCookies = many, many
			f, m, begun := newTestFront(t, test.config)
			try := func(i int, now time.Duration) {
				m.last = nil
				f.receive(now, from(i), nil, makeHello(t, byte(i), nil))
				cookie, _ := parseVerifyRequest(m.last)
				f.receive(now, from(i), nil, makeHello(t, byte(i), cookie))
			}
			for i := range 60 {
				try(i, time.Second)
			}
			if got := len(*begun); got != test.want {
				t.Errorf("%d of 60 began, want %d", got, test.want)
			}
			if got, _ := f.stats(); got.refused != uint64(60-test.want) {
				t.Errorf("counted %+v, want %d refused", got, 60-test.want)
			}
			if test.after != nil {
				test.after(f, *begun)
			}
			before := len(*begun)
			for i := range 60 {
				try(100+i, 2*time.Second)
			}
			if got := len(*begun) - before; got != test.later {
				t.Errorf("%d of 60 more began, want %d", got, test.later)
			}
		})
	}
}

// Players in one network share its rate, and attempts from another network cost them nothing.
func TestOneNetworkCannotTakeAll(t *testing.T) {
	many := Rate{PerSecond: 1e6, Burst: 1e6}
	// Two networks fall into one bucket by chance once in 4096 tries.
	f, m, begun := newTestFront(t, Config{NetworkHandshakes: Rate{PerSecond: 10, Burst: 32}, Cookies: many, NetworkCookies: many})
	for i := range 1000 {
		prove(t, f, m, time.Second, netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}), 9), byte(i))
	}
	if len(*begun) != 32 {
		t.Errorf("%d of one network began at once, want 32", len(*begun))
	}
	got := len(*begun)
	for i := range 3 {
		prove(t, f, m, time.Second, netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, byte(i), 113, 7}), 9), 1)
	}
	if len(*begun) < got+2 {
		t.Errorf("%d of three other networks began", len(*begun)-got)
	}
}

func BenchmarkForgedHello(b *testing.B) {
	hello := makeHello(b, 1, nil)
	for _, test := range []struct {
		name   string
		config Config
	}{
		{"answered", Config{Cookies: Rate{PerSecond: 1e9, Burst: 1e9}, NetworkCookies: Rate{PerSecond: 1e9, Burst: 1e9}}},
		{"beyond the limit", Config{Cookies: Rate{PerSecond: 1, Burst: 1}}},
	} {
		b.Run(test.name, func(b *testing.B) {
			f, _, _ := newTestFront(b, test.config)
			r := mathrand.New(mathrand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				f.receive(time.Second, randomAddress(r), nil, hello)
			}
		})
	}
}
