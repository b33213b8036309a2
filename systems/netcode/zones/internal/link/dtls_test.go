package link_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
)

// host is a process on real sockets. It echoes messages if it is asked to.
type host struct {
	*link.Links
	listener *dtls.Listener
	peer     link.Peer
	echo     bool
	box      inbox
	ghosts   int
	opened   int
	log      bytes.Buffer
}

func newHost(t *testing.T, p custody.Process) *host {
	l, err := dtls.Listen("127.0.0.1:0", dtls.Config{})
	if err != nil {
		t.Fatal(err)
	}
	h := &host{listener: l, box: inbox{t: t}}
	h.peer = link.Peer{Process: p, Name: "a zone", Address: l.Addr(), Pin: l.Fingerprint()}
	_, _ = rand.Read(h.peer.Key[:])
	h.Links, err = link.New(link.Config{
		Self: p, Key: h.peer.Key, Protocol: protocol, Listener: l, Handler: h,
		Log:  slog.New(slog.NewTextHandler(&h.log, nil)),
		Dial: func(p link.Peer) (transport.Conn, error) { return dtls.Dial(p.Address, p.Pin, dtls.Config{}), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Close(transport.Reason{Code: transport.Shutdown})
		<-l.Done()
	})
	return h
}

func (h *host) Opened(custody.Process)                   { h.opened++ }
func (h *host) Closed(custody.Process)                   {}
func (h *host) Delivered(custody.Process, packet.Number) {}

func (h *host) Message(from custody.Process, data []byte) {
	if h.echo {
		_ = h.Send(from.Zone, data)
		return
	}
	h.box.take(from, data)
}

func (h *host) Write(_ custody.Process, w *packet.Writer, n packet.Number) int {
	w.Bits(uint64(n), 64)
	return 0
}

func (h *host) Snapshot(_ custody.Process, r *packet.Reader, n packet.Number) error {
	if packet.Number(r.Bits(64)) != n {
		return errors.New("another number")
	}
	h.ghosts++
	return r.Close()
}

// Over DTLS on real sockets links open, messages go there and back, ghosts arrive, and clocks are
// known. A process with a wrong pin or a wrong key has no link.
func TestLinksOverDTLS(t *testing.T) {
	a, b, c, d := newHost(t, process(1, 1)), newHost(t, process(9, 1)), newHost(t, process(2, 1)), newHost(t, process(3, 1))
	hosts := []*host{a, b, c, d}
	b.echo = true
	a.SetPeers([]link.Peer{b.peer})
	b.SetPeers([]link.Peer{a.peer, c.peer, d.peer})
	wrongKey, wrongPin := b.peer, b.peer
	wrongKey.Key[31] ^= 1
	wrongPin.Pin = joinlink.Fingerprint{1}
	c.SetPeers([]link.Peer{wrongKey})
	d.SetPeers([]link.Peer{wrongPin})
	const messages = 500
	start, sent := time.Now(), uint64(0)
	now := func() time.Duration { return time.Since(start) }
	known := func() bool { _, ok := a.Ahead(9, now(), 0); return ok }
	for done := false; !done; time.Sleep(2 * time.Millisecond) {
		if now() > 30*time.Second { // no machine is as slow
			t.Fatalf("%d messages came back, %d ghosts, %+v\n%s\n%s", a.box.next, b.ghosts, a.Stats(9), c.log.String(), d.log.String())
		}
		for _, h := range hosts {
			h.Poll(now())
		}
		for i := 0; i < 20 && a.Open(9) && sent < messages; i++ {
			if a.Send(9, letter(sent, int(sent*7)%3000)) != nil {
				break
			}
			sent++
		}
		for i, h := range hosts {
			h.Flush(now(), now()+time.Duration(i)*time.Hour)
		}
		done = a.box.next == messages && b.ghosts > 20 && a.ghosts > 20 && known()
		done = done && bytes.Contains(c.log.Bytes(), []byte("the key is wrong")) && bytes.Contains(d.log.Bytes(), []byte("not the server"))
	}
	at := now()
	if ahead, _ := a.Ahead(9, at, at); (ahead - time.Hour).Abs() > time.Second {
		t.Errorf("the other's ticks are ahead by %v, want an hour", ahead)
	}
	if c.opened+d.opened > 0 || b.opened != 1 || a.opened != 1 {
		t.Errorf("links opened: %d, %d, %d, %d", a.opened, b.opened, c.opened, d.opened)
	}
}
