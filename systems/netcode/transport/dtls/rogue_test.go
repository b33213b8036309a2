package dtls

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"net"
	"testing"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/dtls/v3/pkg/crypto/ciphersuite"
	"github.com/pion/dtls/v3/pkg/crypto/prf"
	"github.com/pion/dtls/v3/pkg/protocol"
	"github.com/pion/dtls/v3/pkg/protocol/recordlayer"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// rogue is a client that has the keys of its connection, and encrypts records of any kind with
// them.
type rogue struct {
	t testing.TB
	// socket is another one than the library's, which closes its own if the server sends an alert.
	socket net.Conn
	seal   *ciphersuite.GCM
	id     []byte
	next   uint64 // number of the next record: far beyond those of the library
	sent   uint32 // datagrams that arrives has sent
}

// newRogue connects a rogue to the listener, and returns the server's end too.
func newRogue(t testing.TB, l *Listener) (*rogue, transport.Conn) {
	t.Helper()
	_, worker := mailbox.New(mailboxConfig(Config{}.withDefaults(), 0, ""), transport.Connecting)
	d := &dialer{
		addr: l.Addr(), pin: l.Fingerprint(), worker: worker,
		config: Config{HandshakeTimeout: 30 * time.Second, DialTimeout: time.Minute}.withDefaults(),
	}
	c, _, err := d.attempt(context.Background(), d.addr, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	state, ok := c.ConnectionState()
	if !ok {
		t.Fatal("the handshake is not done")
	}
	encoded, err := state.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var keys struct { // of the library's encoding, by the names that it has there
		CipherSuiteID                    uint16
		LocalRandom, RemoteRandom        [32]byte
		MasterSecret, RemoteConnectionID []byte
	}
	if err := gob.NewDecoder(bytes.NewReader(encoded)).Decode(&keys); err != nil {
		t.Fatal(err)
	}
	if keys.CipherSuiteID != uint16(dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256) {
		t.Fatalf("the cipher suite is %#x", keys.CipherSuiteID)
	}
	k, err := prf.GenerateEncryptionKeys(keys.MasterSecret, keys.LocalRandom[:], keys.RemoteRandom[:], 0, 16, 4, sha256.New)
	if err != nil {
		t.Fatal(err)
	}
	seal, err := ciphersuite.NewGCM(k.ClientWriteKey, k.ClientWriteIV, k.ServerWriteKey, k.ServerWriteIV)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := net.Dial("udp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	r := &rogue{t: t, socket: socket, seal: seal, id: keys.RemoteConnectionID, next: 1 << 20}
	return r, accepted(t, l)
}

// accepted returns the server's end of the next connection.
func accepted(t testing.TB, l *Listener) (server transport.Conn) {
	t.Helper()
	eventually(t, "a client is accepted", func() bool { server, _ = l.Accept(); return server != nil })
	return server
}

// eventually polls until the condition holds, and fails the test if that takes far longer than it
// should on the slowest machine.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond / 2) {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

// record returns a genuine record of a kind, which has the connection's id.
func (r *rogue) record(kind byte, content []byte) []byte {
	r.t.Helper()
	inner, err := (&recordlayer.InnerPlaintext{Content: content, RealType: protocol.ContentType(kind)}).Marshal()
	if err != nil {
		r.t.Fatal(err)
	}
	h := recordlayer.Header{
		ContentType: protocol.ContentTypeConnectionID, Version: protocol.Version1_2, Epoch: 1,
		SequenceNumber: r.next, ConnectionID: r.id, ContentLen: uint16(len(inner)),
	}
	r.next++
	raw, err := h.Marshal()
	if err != nil {
		r.t.Fatal(err)
	}
	sealed, err := r.seal.Encrypt(&recordlayer.RecordLayer{Header: h}, append(raw, inner...))
	if err != nil {
		r.t.Fatal(err)
	}
	return sealed
}

// send writes a datagram to the server.
func (r *rogue) send(b []byte) {
	r.t.Helper()
	if _, err := r.socket.Write(b); err != nil {
		r.t.Fatal(err)
	}
}

// data returns a genuine record with a datagram in it.
func (r *rogue) data(datagram ...byte) []byte {
	return r.record(23, append([]byte{tagData}, datagram...))
}

// piece returns a genuine record with a piece of a handshake message that is never completed.
func (r *rogue) piece(message uint16, size int) []byte {
	b := make([]byte, handshakeHeader+size)
	b[0], b[1] = 11, 0x0f // a certificate of a megabyte
	b[4], b[5] = byte(message>>8), byte(message)
	b[10], b[11] = byte(size>>8), byte(size)
	return r.record(typeHandshake, b)
}
