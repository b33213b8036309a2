package link_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
)

// Links between all zones open within a few steps, also where hellos and answers are lost.
func TestLinksOpen(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(7, 3), process(3, 2), process(0, 1))
	w.open()
	if w.now > 6*step {
		t.Errorf("open after %v", w.now)
	}
	for _, z := range w.zones {
		if len(z.events) != 3 {
			t.Errorf("zone %v: %v", z.config.Self, z.events)
		}
	}
	w = newWorld(t, condition(t, "delay=1ms loss=60% seed=3"), process(1, 1), process(2, 1))
	w.open()
	if len(w.conns) != 1 {
		t.Errorf("%d connections for one link", len(w.conns))
	}
}

// A path that fails ends its link after three seconds at both ends. The link opens anew when the
// path is there again. The first message of the new link is the next one that was sent.
func TestPathThatFails(t *testing.T) {
	path := linksim.Symmetric(linksim.Condition{
		Delay: time.Millisecond, Script: []linksim.Event{{Kind: linksim.Cut, At: time.Second, By: 10 * time.Second}},
	})
	w := newWorld(t, path, process(1, 1), process(2, 1))
	w.open()
	a, b := w.zones[0], w.zones[1]
	var got []string
	b.messages = func(_ custody.Process, data []byte) { got = append(got, string(data)) }
	w.run(1100*time.Millisecond, nil)
	if err := a.Send(2, []byte("lost")); err != nil {
		t.Fatal(err)
	}
	w.run(time.Second+link.Silence-100*time.Millisecond, nil)
	if !a.Open(2) || !b.Open(1) {
		t.Error("closed too early")
	}
	w.run(time.Second+link.Silence+200*time.Millisecond, nil)
	if a.Open(2) || b.Open(1) {
		t.Error("open after three seconds of silence")
	}
	if err := a.Send(2, nil); !errors.Is(err, link.ErrNoLink) {
		t.Error(err)
	}
	w.run(14*time.Second, nil)
	if err := a.Send(2, []byte("first")); err != nil {
		t.Fatal(err)
	}
	w.run(w.now+4*step, nil)
	if len(got) != 1 || got[0] != "first" {
		t.Errorf("%q arrived", got)
	}
	for _, z := range w.zones {
		if len(z.events) < 3 || len(z.events)%2 == 0 {
			t.Errorf("%v", z.events)
		}
	}
}

// A process that stands still for longer than the silence finds its link closed, and soon has
// another one.
func TestProcessThatStandsStill(t *testing.T) {
	for i := range 2 {
		w := newWorld(t, near, process(1, 1), process(2, 1))
		w.open()
		w.zones[i].stopped = true
		w.run(w.now+20*time.Second, nil)
		w.zones[i].stopped = false
		w.run(w.now+3*time.Second, nil)
		if !w.zones[0].Open(2) || !w.zones[1].Open(1) {
			t.Errorf("zone %d stood still: no link three seconds later", i)
		}
		for _, z := range w.zones {
			if n := len(z.events); n < 3 || n%2 == 0 {
				t.Errorf("zone %d stood still: %v", i, z.events)
			}
		}
	}
}

// A zone that does not answer is dialed again after 0.25 s at first and 2 s later. Each cause is
// logged once.
func TestDialsAreSpaced(t *testing.T) {
	w := newWorld(t, near, process(1, 1))
	a := w.zones[0]
	peer := link.Peer{Process: process(2, 1), Name: "south", Address: "2.1"}
	a.SetPeers([]link.Peer{peer})
	w.run(10*time.Second, nil)
	if lines := strings.Count(a.log.String(), "\n"); lines != 1 || !strings.Contains(a.log.String(), "nothing listens") {
		t.Error(a.log.String())
	}
	// It is there, and has another key in the record.
	b := w.add(process(2, 1))
	b.SetPeers([]link.Peer{a.peer()})
	peer.Key[0] = 77
	a.SetPeers([]link.Peer{peer})
	w.run(30*time.Second, nil)
	if n := len(w.conns); n < 8 || n > 11 {
		t.Errorf("%d dials in 20 s", n)
	}
	if lines := strings.Count(a.log.String(), "\n"); lines != 2 || !strings.Contains(a.log.String(), "key is wrong") || a.Open(2) {
		t.Error(a.log.String())
	}
	// The right record comes, and the waits begin anew with the link.
	a.SetPeers([]link.Peer{b.peer()})
	w.run(33*time.Second, nil)
	if !a.Open(2) {
		t.Fatal("no link with the right key")
	}
	w.conns[len(w.conns)-1].Close(transport.Reason{Code: transport.Failed, Text: "a cable"})
	w.run(w.now+400*time.Millisecond, nil)
	if !a.Open(2) {
		t.Error("no link 0.4 s after the end of the one before")
	}
}

// A connection that opens and stays silent is given up.
func TestDialWithoutAnAnswer(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	a, b := w.zones[0], w.zones[1]
	b.SetPeers(nil)
	b.stopped = true
	mute := loopback.Listen(loopback.Config{})
	dials := 0
	a.config.Dial = func(link.Peer) (transport.Conn, error) { dials++; return mute.Dial(), nil }
	a.start()
	a.SetPeers([]link.Peer{b.peer()})
	w.run(12*time.Second, func() { mute.Poll(w.now); mute.Accept() })
	if dials != 3 || a.Open(2) || len(a.events) > 0 {
		t.Errorf("%d dials in 12 s, %v", dials, a.events)
	}
}

// SetPeers ends links to processes that are over. The next epoch of a zone has a link of its own.
func TestNextEpoch(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1), process(3, 1))
	w.open()
	for _, i := range []int{0, 2} { // a zone that the others dial, and one that dials them
		old := w.zones[i]
		old.stopped = true
		next := process(int(old.config.Self.Zone), 2)
		w.zones[i] = w.add(next)
		w.zones = w.zones[:3]
		middle := w.zones[1]
		middle.events = nil
		w.meet()
		if middle.Open(next.Zone) || len(middle.events) > 0 {
			t.Errorf("right after SetPeers: open %v, %v", middle.Open(next.Zone), middle.events)
		}
		w.run(w.now+time.Second, nil)
		if want := fmt.Sprintf("[closed %v opened %v]", old.config.Self, next); fmt.Sprint(middle.events) != want {
			t.Errorf("%v, want %v", middle.events, want)
		}
		// The old process wakes up and wants its link back.
		middle.events = nil
		peers := []link.Peer{middle.peer()}
		old.SetPeers(peers)
		w.run(w.now+5*time.Second, func() {
			old.Poll(old.clock(w.now))
			old.Flush(old.clock(w.now), w.now)
		})
		if len(middle.events) > 0 || old.Open(2) {
			t.Errorf("the old process: open %v, %v", old.Open(2), middle.events)
		}
	}
}

// SetPeers takes any list: its own zone, and several processes of one.
func TestPeersInAnyOrder(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 5))
	a, b := w.zones[0], w.zones[1]
	old := b.peer()
	old.Process.Epoch, old.Address = 4, "nowhere"
	a.SetPeers([]link.Peer{b.peer(), a.peer(), old})
	w.open()
	a.SetPeers([]link.Peer{old, b.peer()})
	w.run(w.now+step, nil)
	if len(a.events) != 1 || !a.Open(2) {
		t.Errorf("the same peers anew: %v", a.events)
	}
	a.SetPeers(nil)
	a.SetPeers([]link.Peer{b.peer()})
	w.run(w.now+time.Second, nil)
	if fmt.Sprint(a.events) != "[opened {2 5} closed {2 5} opened {2 5}]" {
		t.Errorf("%v", a.events)
	}
}

func TestClose(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1), process(3, 1))
	w.open()
	b := w.zones[1]
	reason := transport.Reason{Code: transport.Shutdown, Text: "good night"}
	b.Close(reason)
	b.Close(reason)
	if len(b.events) != 4 || b.Open(1) || !errors.Is(b.Send(1, nil), link.ErrNoLink) {
		t.Errorf("%v", b.events)
	}
	w.run(w.now+10*step, nil)
	for _, i := range []int{0, 2} {
		if z := w.zones[i]; z.Open(2) || !strings.Contains(z.log.String(), "good night") {
			t.Errorf("zone %v: %v", z.config.Self, z.events)
		}
	}
	b.SetPeers([]link.Peer{w.zones[0].peer()})
	if c := b.listener.Dial(); c.State() != transport.Closed {
		t.Error("the listener is open")
	}
}

func TestConfig(t *testing.T) {
	w := newWorld(t, near, process(1, 1))
	good := w.zones[0].config
	for name, change := range map[string]func(*link.Config){
		"no epoch":    func(c *link.Config) { c.Self.Epoch = 0 },
		"no key":      func(c *link.Config) { c.Key = [32]byte{} },
		"no listener": func(c *link.Config) { c.Listener = nil },
		"no dialer":   func(c *link.Config) { c.Dial = nil },
		"no handler":  func(c *link.Config) { c.Handler = nil },
		"slow":        func(c *link.Config) { c.Rate = 1000 },
		"negative":    func(c *link.Config) { c.Rate = -1 },
	} {
		c := good
		change(&c)
		if _, err := link.New(c); err == nil || !strings.HasPrefix(err.Error(), "link: Config") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The handler may send, and must not call what calls it.
func TestHandlerThatCallsBack(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.open()
	a, b := w.zones[0], w.zones[1]
	box := inbox{t: t}
	a.messages = box.take
	b.messages = func(from custody.Process, data []byte) {
		if err := b.Send(from.Zone, data); err != nil || !b.Open(1) || b.Stats(1).Received == 0 {
			t.Error(err)
		}
		for name, f := range map[string]func(){
			"Poll":     func() { b.Poll(0) },
			"Flush":    func() { b.Flush(0, 0) },
			"SetPeers": func() { b.SetPeers(nil) },
			"Close":    func() { b.Links.Close(transport.Reason{}) },
		} {
			func() {
				defer func() {
					if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "link: "+name) {
						t.Errorf("%s: %s", name, text)
					}
				}()
				f()
			}()
		}
	}
	if err := a.Send(2, letter(0, 300)); err != nil {
		t.Fatal(err)
	}
	w.run(w.now+6*step, nil)
	if box.next != 1 {
		t.Error("the echo did not arrive")
	}
}

var _ link.Handler = (*zone)(nil)
