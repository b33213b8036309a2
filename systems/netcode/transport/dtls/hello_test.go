package dtls

import (
	"bytes"
	mathrand "math/rand/v2"
	"testing"
	"time"

	"github.com/pion/dtls/v3/pkg/protocol/extension"
	"github.com/pion/dtls/v3/pkg/protocol/handshake"
	"github.com/pion/dtls/v3/pkg/protocol/recordlayer"
)

func TestParseHello(t *testing.T) {
	b := makeHello(t, 7, []byte("cookie"))
	h, ok := parseHello(b)
	if !ok || string(h.cookie) != "cookie" || !bytes.Equal(h.sequence, []byte{0, 0, 0, 0, 0, 0, 0, 5}) {
		t.Fatalf("parsed %+v, %v", h, ok)
	}
	var message handshake.MessageClientHello
	if err := message.Unmarshal(b[recordHeader+handshakeHeader:]); err != nil {
		t.Fatal(err)
	}
	if random := message.Random.MarshalFixed(); !bytes.Equal(h.random, random[:]) {
		t.Errorf("the random is %x, want %x", h.random, random)
	}
	without, _ := parseHello(makeHello(t, 7, nil))
	if !bytes.Equal(h.before, without.before) || !bytes.Equal(h.after, without.after) {
		t.Error("a hello with a cookie differs from the one without in more than the cookie")
	}
}

func TestHellosThatAreRefused(t *testing.T) {
	good := makeHello(t, 1, []byte("cookie"))
	for n := range good {
		if _, ok := parseHello(good[:n]); ok {
			t.Errorf("one cut to %d bytes of %d was taken", n, len(good))
		}
	}
	change := func(offset int, to ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[offset:], to)
		return b
	}
	for name, b := range map[string][]byte{
		"with more behind it":          append(bytes.Clone(good), 0),
		"of two records":               append(bytes.Clone(good), good...),
		"of another record type":       change(0, typeAlert),
		"of TLS":                       change(1, 3, 3),
		"encrypted":                    change(3, 0, 1),
		"of another message":           change(13, 2),
		"with a longer message":        change(14, 0, 4, 0),
		"of a later message":           change(17, 0, 1),
		"a later fragment":             change(19, 0, 0, 1),
		"a shorter fragment":           change(22, 0, 0, 8),
		"of an older version":          change(recordHeader+handshakeHeader, 0xfe, 0xff),
		"without a connection id":      makeHello(t, 1, nil, &extension.UseExtendedMasterSecret{Supported: true}),
		"without extensions":           makeHello(t, 1, nil, []extension.Extension{}...),
		"with a session id to nowhere": change(recordHeader+handshakeHeader+2+randomSize, 255),
		"with a cookie to nowhere":     change(recordHeader+handshakeHeader+2+randomSize+1, 255),
	} {
		if _, ok := parseHello(b); ok {
			t.Errorf("one %s was taken", name)
		}
	}
}

// The library's clients can parse the answer.
func TestVerifyRequest(t *testing.T) {
	b := appendVerifyRequest(nil, []byte{0, 0, 0, 0, 0, 0, 0, 9}, []byte("cookie"))
	var record recordlayer.RecordLayer
	if err := record.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	message, ok := record.Content.(*handshake.Handshake)
	if !ok || record.Header.SequenceNumber != 9 || message.Header.Length != message.Header.FragmentLength {
		t.Fatalf("%+v", record)
	}
	if request, ok := message.Message.(*handshake.MessageHelloVerifyRequest); !ok || string(request.Cookie) != "cookie" {
		t.Errorf("%+v", message.Message)
	}
	if cookie, ok := parseVerifyRequest(b); !ok || string(cookie) != "cookie" {
		t.Errorf("read back %q, %v", cookie, ok)
	}
	for n := range b {
		if _, ok := parseVerifyRequest(b[:n]); ok {
			t.Errorf("one cut to %d bytes was taken", n)
		}
	}
}

// The library parses each hello of the front as the same hello.
func FuzzParseHello(f *testing.F) {
	f.Add(makeHello(f, 1, nil))
	f.Add(makeHello(f, 1, []byte("a cookie of 17 b.")))
	f.Add([]byte{typeHandshake, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, messageClientHello})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, ok := parseHello(b)
		if !ok {
			return
		}
		var message handshake.MessageClientHello
		if err := message.Unmarshal(b[recordHeader+handshakeHeader:]); err != nil {
			return // of an extension, which only the library parses
		}
		if random := message.Random.MarshalFixed(); !bytes.Equal(message.Cookie, h.cookie) || !bytes.Equal(random[:], h.random) {
			t.Errorf("the cookie is %x and the random %x, the library says %x and %x", h.cookie, h.random, message.Cookie, random)
		}
		rebuilt := append(append(append(bytes.Clone(h.before), byte(len(h.cookie))), h.cookie...), h.after...)
		if !bytes.Equal(rebuilt, b[recordHeader+handshakeHeader:]) {
			t.Errorf("%x came apart into %x", b, rebuilt)
		}
	})
}

// Whatever arrives, from any sender, there is no panic, no handshake without a cookie, and nothing
// stored.
func FuzzFront(f *testing.F) {
	f.Add(makeHello(f, 1, nil), uint64(1))
	f.Add(record(typeConnectionID, 1, connID{1}, 20), uint64(2))
	f.Add(record(typeHandshake, 0, connID{}, 20), uint64(3))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		f, m, begun := newTestFront(t, Config{})
		from := randomAddress(mathrand.New(mathrand.NewPCG(seed, 0)))
		f.receive(time.Second, from, nil, b)
		if len(*begun) != 0 || len(f.byAddr) != 0 || len(f.byID) != 0 {
			t.Errorf("%x from %v began something", b, from)
		}
		if m.bytes > len(b) {
			t.Errorf("%d bytes were answered to %d", m.bytes, len(b))
		}
	})
}
