package dtls

import (
	"context"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// A client breaks the rules inside its channel. Its invalid messages are dropped and counted, and
// the connection goes on.
func TestClientThatBreaksTheRules(t *testing.T) {
	l := listenOpen(t, Config{})
	_, worker := mailbox.New(mailboxConfig(Config{}.withDefaults(), 0, ""), transport.Connecting)
	patient := Config{HandshakeTimeout: 30 * time.Second, DialTimeout: time.Minute}.withDefaults()
	d := &dialer{addr: l.Addr(), pin: l.Fingerprint(), config: patient, worker: worker}
	c, _, err := d.attempt(context.Background(), d.addr, false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var server transport.Conn
	deadline := time.Now().Add(time.Minute)
	wait := func(what string, condition func() bool) {
		t.Helper()
		for ; !condition(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("gave up waiting until %s", what)
			}
		}
	}
	wait("the client is accepted", func() bool { server, _ = l.Accept(); return server != nil })
	bad := [][]byte{
		make([]byte, 1+MTU+1), // too large by one
		make([]byte, 1900),    // too large for a path
		{},                    // nothing at all
		{tagData},             // a datagram of no bytes
		{99, 1, 2, 3},         // of a newer build
	}
	bad[0][0], bad[1][0] = tagData, tagData
	for i, b := range bad {
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
		wait("it is counted", func() bool { server.Poll(0); return server.Stats().ReceiveDropped == uint64(i+1) })
	}
	good := append([]byte{tagData}, make([]byte, MTU)...)
	if _, err := c.Write(good); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, MTU)
	wait("the good one arrives", func() bool {
		n, ok := server.Recv(buf)
		if ok && n != MTU {
			t.Fatalf("received %d bytes", n)
		}
		return ok
	})
	if _, err := c.Write([]byte{tagClose, 0, 'x'}); err != nil {
		t.Fatal(err)
	}
	wait("the server's end is closed", func() bool { server.Poll(0); return server.State() == transport.Closed })
	if got := server.CloseReason(); got.Code != transport.Failed {
		t.Errorf("an unreadable reason gave %q", got)
	}
}
