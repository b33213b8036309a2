package dtls

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"
)

// record returns a record as a client with the keys sends it, or something similar.
func record(kind byte, epoch uint16, id connID, size int) []byte {
	b := []byte{kind, 0xfe, 0xfd}
	b = binary.BigEndian.AppendUint16(b, epoch)
	b = append(b, 0, 0, 0, 0, 0, 9)
	if kind == typeConnectionID {
		b = append(b, id[:]...)
	}
	b = binary.BigEndian.AppendUint16(b, uint16(size))
	return append(b, make([]byte, size)...)
}

// begin returns a front with one lane, from which the hello has been read.
func begin(t *testing.T) (*front, *mute, *lane) {
	t.Helper()
	f, m, begun := newTestFront(t, Config{})
	prove(t, f, m, time.Second, somebody, 1)
	l := (*begun)[0]
	if _, _, err := l.ReadFrom(make([]byte, 2048)); err != nil {
		t.Fatal(err)
	}
	return f, m, l
}

func waiting(l *lane) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.in.Len()
}

// Datagrams are sorted to connections by their first bytes and by their source.
func TestSorting(t *testing.T) {
	elsewhere := netip.MustParseAddrPort("198.51.100.9:1")
	of := func(kind byte, epoch uint16, size int) func(*lane) []byte {
		return func(l *lane) []byte { return record(kind, epoch, l.id, size) }
	}
	bytesOf := func(b ...byte) func(*lane) []byte { return func(*lane) []byte { return b } }
	for name, test := range map[string]struct {
		from   netip.AddrPort
		make   func(*lane) []byte
		before bool // passes before the client has proved to hold the keys
		after  bool
	}{
		"by id, from its address":           {somebody, of(typeConnectionID, 1, 40), true, true},
		"by id, from a new address":         {elsewhere, of(typeConnectionID, 1, 40), true, true},
		"of another id":                     {somebody, func(l *lane) []byte { return record(typeConnectionID, 1, connID{1, l.id[1]}, 40) }, false, false},
		"with an id, not encrypted":         {somebody, of(typeConnectionID, 0, 40), false, false},
		"with an id, of a later epoch":      {somebody, of(typeConnectionID, 2, 40), false, false},
		"with an id and nothing behind":     {somebody, of(typeConnectionID, 1, 0), false, false},
		"with an id, cut":                   {somebody, func(l *lane) []byte { return record(typeConnectionID, 1, l.id, 40)[:50] }, false, false},
		"with half an id":                   {somebody, func(l *lane) []byte { return record(typeConnectionID, 1, l.id, 40)[:15] }, false, false},
		"with an id and a forged companion": {somebody, func(l *lane) []byte { return append(record(typeConnectionID, 1, l.id, 40), record(99, 0, l.id, 4)...) }, false, false},
		"a handshake":                       {somebody, of(typeHandshake, 0, 40), true, false},
		"a handshake's largest":             {somebody, of(typeHandshake, 0, maxPlainSize-recordHeader), true, false},
		"a handshake larger than any":       {somebody, of(typeHandshake, 0, maxPlainSize-recordHeader+1), false, false},
		"a change of cipher":                {somebody, of(typeChangeCipherSpec, 0, 1), true, false},
		"an alert":                          {somebody, of(typeAlert, 0, 2), true, false},
		"a handshake from elsewhere":        {elsewhere, of(typeHandshake, 0, 40), false, false},
		"encrypted without an id":           {somebody, of(23, 1, 40), false, false},
		"application data without the keys": {somebody, of(23, 0, 40), false, false},
		"of a kind that does not exist":     {somebody, of(99, 0, 40), false, false},
		"nothing":                           {somebody, bytesOf(), false, false},
		"a byte":                            {somebody, bytesOf(typeHandshake), false, false},
		"a header":                          {somebody, of(typeHandshake, 0, 0), false, false},
		"a hello that is none":              {somebody, bytesOf(typeHandshake, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, messageClientHello, 0), false, false},
	} {
		for _, known := range []bool{false, true} {
			f, _, l := begin(t)
			want := test.before
			if known {
				l.authenticated()
				want = test.after
			}
			f.receive(time.Second, test.from, nil, test.make(l))
			if got := waiting(l) == 1; got != want {
				t.Errorf("%s, known %v: passed is %v, want %v", name, known, got, want)
			}
		}
	}
}

func TestRepeatedHelloGoesToItsHandshake(t *testing.T) {
	f, m, begun := newTestFront(t, Config{})
	prove(t, f, m, time.Second, somebody, 1)
	cookie, _ := parseVerifyRequest(bytes.Clone(m.last))
	f.receive(time.Second, somebody, nil, makeHello(t, 1, cookie))
	if len(*begun) != 1 || waiting((*begun)[0]) != 2 {
		t.Errorf("%d handshakes began, and %d hellos wait for the first, want one with two", len(*begun), waiting((*begun)[0]))
	}
	// A client that begins anew from the same port is not delayed by the handshake that it left
	// behind.
	prove(t, f, m, time.Second, somebody, 2)
	if len(*begun) != 2 {
		t.Fatalf("%d handshakes began, want two", len(*begun))
	}
	f.receive(time.Second, somebody, nil, record(typeHandshake, 0, connID{}, 40))
	if waiting((*begun)[0]) != 2 || waiting((*begun)[1]) != 2 {
		t.Error("the rest of the handshake did not go to the newer one")
	}
	(*begun)[0].Close() // it must not make the newer one unreachable
	f.receive(time.Second, somebody, nil, record(typeHandshake, 0, connID{}, 40))
	if waiting((*begun)[1]) != 3 {
		t.Error("the end of the older handshake cut off the newer one")
	}
	(*begun)[1].Close()
	if len(f.byAddr) != 0 || len(f.byID) != 0 {
		t.Errorf("%d addresses and %d ids are remembered after all has ended", len(f.byAddr), len(f.byID))
	}
}

// Unencrypted datagrams are bounded, since any sender at the client's address could fill the
// library's memory with pieces of messages.
func TestUnencryptedDatagramsAreCounted(t *testing.T) {
	f, _, l := begin(t)
	buf := make([]byte, 2048)
	for i := range 1000 {
		f.receive(time.Second, somebody, nil, record(typeHandshake, 0, l.id, 1000))
		if passed := waiting(l) == 1; passed != (i < maxPlain-1) {
			t.Fatalf("datagram %d passed: %v, want the hello and %d more", i, passed, maxPlain-1)
		} else if passed {
			l.ReadFrom(buf)
		}
	}
}

func TestLaneIsBounded(t *testing.T) {
	f, _, l := begin(t)
	owner := opened(l)
	for range 1000 {
		f.receive(time.Second, somebody, nil, record(typeConnectionID, 1, l.id, 100))
	}
	if got := waiting(l); got != laneQueue {
		t.Errorf("%d datagrams wait, want %d", got, laneQueue)
	}
	if got := owner.Stats().ReceiveDropped; got != 1000-laneQueue {
		t.Errorf("%d counted as lost, want %d", got, 1000-laneQueue)
	}
}

// A waiting read ends at a deadline or at Close, as the library expects.
func TestReadEnds(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*lane)
		want error
	}{
		"by a deadline": {func(l *lane) { l.SetReadDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		"by Close":      {func(l *lane) { l.Close() }, net.ErrClosed},
	} {
		_, _, l := begin(t)
		ended := make(chan error)
		go func() {
			_, _, err := l.ReadFrom(make([]byte, 2048))
			ended <- err
		}()
		test.end(l)
		if err := <-ended; !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	f, _, l := begin(t)
	l.SetReadDeadline(time.Unix(1, 0))
	l.SetReadDeadline(time.Time{})
	f.receive(time.Second, somebody, nil, record(typeConnectionID, 1, l.id, 100))
	if _, _, err := l.ReadFrom(make([]byte, 2048)); err != nil {
		t.Errorf("after the deadline was lifted: %v", err)
	}
	l.Close()
	if _, err := l.WriteTo([]byte{1}, address(somebody)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("WriteTo after Close: %v", err)
	}
	// The lane is closed, so the datagram is dropped.
	f.receive(time.Second, somebody, nil, record(typeConnectionID, 1, l.id, 100))
}

func TestLaneAllocatesNothing(t *testing.T) {
	f, _, l := begin(t)
	opened(l)
	b, buf := record(typeConnectionID, 1, l.id, 1150), make([]byte, 2048)
	step := func() {
		f.receive(time.Second, somebody, nil, b)
		if _, _, err := l.ReadFrom(buf); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		step()
	}
	if allocs := testing.AllocsPerRun(1000, step); allocs != 0 {
		t.Errorf("%v allocations per datagram, want 0", allocs)
	}
}
