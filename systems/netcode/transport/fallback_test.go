package transport_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
)

// way is a connection that becomes open, or closes, at a time. It has an MTU of its own.
type way struct {
	transport.Conn
	at    time.Duration
	state transport.State
	mtu   int
	now   time.Duration
	left  transport.Reason
}

func (w *way) Poll(now time.Duration) { w.now = now; w.Conn.Poll(now) }
func (w *way) MTU() int               { return w.mtu }
func (w *way) State() transport.State {
	if w.now < w.at {
		return transport.Connecting
	}
	return w.state
}
func (w *way) Close(r transport.Reason) { w.left = r; w.Conn.Close(r) }
func (w *way) CloseReason() transport.Reason {
	return transport.Reason{Code: transport.Failed, Text: "no way"}
}

const (
	patience = 3 * time.Second
	never    = time.Hour
)

func newWay(at time.Duration, state transport.State, mtu int) *way {
	a, _ := loopback.Pair(loopback.Config{})
	return &way{Conn: a, at: at, state: state, mtu: mtu}
}

func TestFallback(t *testing.T) {
	for name, test := range map[string]struct {
		first, second *way
		open          time.Duration // when the connection is open; never: it closes
		closed        time.Duration
		mtu           int
	}{
		"the first opens":                 {newWay(time.Second, transport.Open, 1150), nil, time.Second, never, 1150},
		"the first opens just in time":    {newWay(2990*time.Millisecond, transport.Open, 1150), nil, 2990 * time.Millisecond, never, 1150},
		"the first does not answer":       {newWay(never, transport.Open, 1150), newWay(3200*time.Millisecond, transport.Open, 1200), 3200 * time.Millisecond, never, 1200},
		"the first is late":               {newWay(3010*time.Millisecond, transport.Open, 1150), newWay(4*time.Second, transport.Open, 1200), 4 * time.Second, never, 1200},
		"the first is not there at all":   {newWay(0, transport.Closed, 1150), newWay(200*time.Millisecond, transport.Open, 1200), 200 * time.Millisecond, never, 1200},
		"the first fails after a second":  {newWay(time.Second, transport.Closed, 1150), newWay(1200*time.Millisecond, transport.Open, 1200), 1200 * time.Millisecond, never, 1200},
		"neither of them opens":           {newWay(never, transport.Open, 1150), newWay(5*time.Second, transport.Closed, 1200), never, 5 * time.Second, 1200},
		"the first opens and closes soon": {newWay(0, transport.Open, 1150), nil, 0, never, 1150},
	} {
		t.Run(name, func(t *testing.T) {
			const begin = 40 * time.Hour // of the owner's epoch
			test.first.at += begin
			dialled := 0
			c := transport.Fallback(patience, func() transport.Conn { return test.first }, func() transport.Conn {
				dialled++
				test.second.at += begin
				return test.second
			})
			for now := time.Duration(0); now < 8*time.Second; now += 10 * time.Millisecond {
				c.Poll(begin + now)
				want := transport.Connecting
				if now >= test.open {
					want = transport.Open
				}
				if now >= test.closed {
					want = transport.Closed
				}
				if c.State() != want {
					t.Fatalf("at %v it is %v, want %v", now, c.State(), want)
				}
				if want == transport.Open && c.MTU() != test.mtu {
					t.Fatalf("at %v the MTU is %d, want %d", now, c.MTU(), test.mtu)
				}
				if closed := c.CloseReason().Code != transport.NoReason; closed != (want == transport.Closed) {
					t.Fatalf("at %v the reason is %v", now, c.CloseReason())
				}
			}
			if want := test.second != nil; (dialled == 1) != want || dialled > 1 {
				t.Errorf("the second way was dialled %d times, want it %v", dialled, want)
			}
			if released := test.first.left.Code != transport.NoReason; released != (dialled == 1) {
				t.Errorf("the first way was closed: %v", released)
			}
		})
	}
}

// A close before anything is open dials nothing more.
func TestFallbackCloses(t *testing.T) {
	first := newWay(never, transport.Open, 1150)
	c := transport.Fallback(patience, func() transport.Conn { return first }, func() transport.Conn { t.Error("it was dialled"); return nil })
	c.Poll(0)
	c.Close(transport.Reason{Code: transport.Left})
	c.Poll(time.Minute)
	if first.left.Code != transport.Left {
		t.Errorf("the first way was closed because %v", first.left)
	}
}

// Over each of its ways it is a connection like any other, also below a simulated line that was
// made before the MTU was known.
func TestFallbackIsAConn(t *testing.T) {
	for name, fails := range map[string]bool{"first": false, "second": true} {
		t.Run(name, func(t *testing.T) {
			transporttest.RunConn(t, func(t *testing.T) transporttest.Ends {
				a, b := loopback.Pair(loopback.Config{MTU: transport.MaxMTU})
				first := func() transport.Conn { return a }
				if fails {
					first = func() transport.Conn { return newWay(0, transport.Closed, 1150) }
				}
				line, err := linksim.Wrap(transport.Fallback(patience, first, func() transport.Conn { return a }), linksim.Path{})
				if err != nil {
					t.Fatal(err)
				}
				now := time.Duration(0)
				pass := func() { now += time.Millisecond; line.Poll(now); b.Poll(now) }
				pass()
				pass()
				return transporttest.Ends{A: line, B: b, Pass: pass}
			})
		})
	}
}
