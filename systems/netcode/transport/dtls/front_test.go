package dtls

import (
	"bytes"
	"crypto/rand"
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

// mute is a socket that takes everything and counts.
type mute struct {
	writes int
	bytes  int
	last   []byte
	to     netip.AddrPort
}

func (*mute) read([]byte) (int, netip.AddrPort, error) { return 0, netip.AddrPort{}, net.ErrClosed }
func (*mute) LocalAddr() net.Addr                      { return address{} }
func (*mute) Close() error                             { return nil }
func (m *mute) write(b []byte, to netip.AddrPort) error {
	m.writes++
	m.bytes += len(b)
	m.last, m.to = append(m.last[:0], b...), to
	return nil
}

// newTestFront returns a front whose handshakes do nothing.
func newTestFront(t testing.TB, c Config) (*front, *mute, *[]*lane) {
	t.Helper()
	m, begun := &mute{}, &[]*lane{}
	f, err := newFront(m, c.withDefaults(), func(l *lane) { *begun = append(*begun, l) })
	if err != nil {
		t.Fatal(err)
	}
	return f, m, begun
}

// prove sends a hello, and again with the cookie that came back.
func prove(t testing.TB, f *front, m *mute, now time.Duration, from netip.AddrPort, random byte) {
	t.Helper()
	m.last = nil
	f.receive(now, from, makeHello(t, random, nil))
	cookie, ok := parseVerifyRequest(m.last)
	if !ok || m.to != from {
		t.Fatalf("the answer to a hello is %x to %v", m.last, m.to)
	}
	f.receive(now, from, makeHello(t, random, cookie))
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
	if got, _ := f.stats(); got != (Traffic{Hellos: 2, Challenged: 1}) {
		t.Errorf("counted %+v", got)
	}
	if m.bytes >= len(makeHello(t, 1, nil)) {
		t.Errorf("the answer has %d bytes, more than the hello", m.bytes)
	}
	_ = rand.Reader
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
				f.receive(time.Second, randomAddress(r), hello)
			}
		})
	}
}
