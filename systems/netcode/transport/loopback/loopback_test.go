package loopback_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/transporttest"
)

const ms = time.Millisecond

func TestConn(t *testing.T) {
	transporttest.RunConn(t, func(*testing.T) transporttest.Ends {
		a, b := loopback.Pair(loopback.Config{})
		now := time.Duration(0)
		return transporttest.Ends{A: a, B: b, Pass: func() { now += ms; a.Poll(now); b.Poll(now) }}
	})
}

func TestListener(t *testing.T) {
	transporttest.RunListener(t, func(*testing.T) transporttest.Host {
		l, now := loopback.Listen(loopback.Config{}), time.Duration(0)
		return transporttest.Host{
			Listener: l, Dial: func() transport.Conn { return l.Dial() },
			Pass: func(conns ...transport.Conn) {
				now += ms
				l.Poll(now)
				for _, c := range conns {
					c.Poll(now)
				}
			},
		}
	})
}

// A datagram is received when the receiver's clock has reached the sender's, whichever of them is
// polled first.
func TestArrivesAtTheTimeItWasSent(t *testing.T) {
	a, b := loopback.Pair(loopback.Config{})
	buf := make([]byte, b.MTU())
	a.Poll(20 * ms)
	if err := a.Send([]byte("x")); err != nil {
		t.Fatal(err)
	}
	b.Poll(20*ms - 1)
	if _, ok := b.Recv(buf); ok {
		t.Error("received a datagram from the future")
	}
	b.Poll(20 * ms)
	if _, ok := b.Recv(buf); !ok {
		t.Error("nothing received at the time at which it was sent")
	}
	if err := a.Send([]byte("y")); err != nil {
		t.Fatal(err)
	}
	b.Poll(5 * ms) // a time earlier than the last counts as the last
	if _, ok := b.Recv(buf); !ok {
		t.Error("the clock went back")
	}
	a.Poll(30 * ms)
	a.Close(transport.Reason{Code: transport.Left})
	if b.Poll(30*ms - 1); b.State() != transport.Open {
		t.Error("the close arrived before it happened")
	}
	if b.Poll(30 * ms); b.State() != transport.Closed {
		t.Error("the close did not arrive at its time")
	}
}

func TestConnectingUntilTheListenerPolls(t *testing.T) {
	l := loopback.Listen(loopback.Config{Backlog: 2})
	first, _, third := l.Dial(), l.Dial(), l.Dial()
	if err := first.Send([]byte{1}); !errors.Is(err, transport.ErrNotOpen) || first.State() != transport.Connecting {
		t.Errorf("before the listener's Poll Send returned %v in state %v, want ErrNotOpen and connecting", err, first.State())
	}
	if third.CloseReason().Code != transport.Refused || l.Stats().Refused != 1 {
		t.Errorf("beyond the backlog Dial gave %q, want refused", third.CloseReason())
	}
	l.Poll(0)
	first.Poll(0)
	if first.State() != transport.Open {
		t.Errorf("the state is %v, want open", first.State())
	}
	l.Close(transport.Reason{Code: transport.Shutdown})
	if c := l.Dial(); c.CloseReason().Code != transport.Refused {
		t.Errorf("dialling a closed listener gave %q, want refused", c.CloseReason())
	}
}

func TestQueueIsBounded(t *testing.T) {
	a, b := loopback.Pair(loopback.Config{Queue: 10, MTU: 8})
	for i := range 15 {
		if err := a.Send([]byte{byte(i)}); (i < 10) != (err == nil) || i >= 10 && !errors.Is(err, transport.ErrQueueFull) {
			t.Errorf("datagram %d: %v", i, err)
		}
	}
	buf := make([]byte, 8)
	for i := range 10 {
		if _, ok := b.Recv(buf); !ok || buf[0] != byte(i) {
			t.Errorf("received %d, %v, want %d", buf[0], ok, i)
		}
	}
}

func TestSendingToAClosedEndDoesNotPileUp(t *testing.T) {
	a, b := loopback.Pair(loopback.Config{Queue: 10})
	b.Poll(time.Second)
	b.Close(transport.Reason{})
	for range 100 { // it is 0 s here: a has not been polled yet
		if err := a.Send([]byte{1}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConfigThatMakesNoSensePanics(t *testing.T) {
	for _, c := range []loopback.Config{{MTU: 1201}, {MTU: -1}, {Queue: -1}, {Backlog: -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v did not panic", c)
				}
			}()
			loopback.Pair(c)
		}()
	}
}

// The loopback equals a naive model: a queue of datagrams with their times of sending.
func TestIsAQueueInBothDirections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type sent struct {
			at    time.Duration
			bytes []byte
		}
		const limit = 20
		var ends [2]transport.Conn
		ends[0], ends[1] = loopback.Pair(loopback.Config{MTU: 16, Queue: limit})
		var now [2]time.Duration
		var model [2][]sent // towards each end
		next := uint64(0)
		buf := make([]byte, 16)
		pick := rapid.IntRange(0, 1)
		t.Repeat(map[string]func(*rapid.T){
			"poll": func(t *rapid.T) {
				i := pick.Draw(t, "end")
				now[i] += time.Duration(rapid.IntRange(0, 3).Draw(t, "dt"))
				ends[i].Poll(now[i])
			},
			"send": func(t *rapid.T) {
				i := pick.Draw(t, "end")
				next++
				b := binary.LittleEndian.AppendUint64(nil, next)
				err := ends[i].Send(b)
				if full := len(model[1-i]) == limit; full != (err != nil) {
					t.Fatalf("Send with %d waiting: %v", len(model[1-i]), err)
				} else if !full {
					model[1-i] = append(model[1-i], sent{now[i], b})
				}
			},
			"recv": func(t *rapid.T) {
				i := pick.Draw(t, "end")
				n, ok := ends[i].Recv(buf)
				want := len(model[i]) > 0 && model[i][0].at <= now[i]
				if ok != want || ok && !bytes.Equal(buf[:n], model[i][0].bytes) {
					t.Fatalf("Recv gave %v, %v, want %v", buf[:n], ok, want)
				}
				if ok {
					model[i] = model[i][1:]
				}
			},
		})
	})
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	a, b := loopback.Pair(loopback.Config{})
	datagram, buf, now := make([]byte, 1200), make([]byte, b.MTU()), time.Duration(0)
	step := func() {
		now += ms
		a.Poll(now)
		for range 4 {
			if a.Send(datagram) != nil {
				t.Fatal("refused")
			}
		}
		b.Poll(now)
		for {
			if _, ok := b.Recv(buf); !ok {
				break
			}
		}
	}
	for range 20 {
		step()
	}
	if allocs := testing.AllocsPerRun(1000, step); allocs != 0 {
		t.Errorf("%v allocations per step, want 0", allocs)
	}
}

func Example() {
	listener := loopback.Listen(loopback.Config{})
	client := listener.Dial()

	// One step of the server, at 16 ms on the clock that both share.
	now := 16 * time.Millisecond
	listener.Poll(now)
	server, _ := listener.Accept()
	server.Poll(now)
	server.Send([]byte("welcome"))

	// One step of the client, at the same time.
	client.Poll(now)
	buf := make([]byte, client.MTU())
	for {
		n, ok := client.Recv(buf)
		if !ok {
			break
		}
		fmt.Println(client.State(), string(buf[:n]))
	}

	client.Close(transport.Reason{Code: transport.Left, Text: "dinner"})
	server.Poll(now)
	fmt.Println(server.State(), "-", server.CloseReason())
	// Output:
	// open welcome
	// closed - left: dinner
}

// The engines at the two ends of a dialed connection begin at any time, before or after each other,
// and either may stand still for a while. A datagram of one end arrives at the other's next Poll,
// and its age is right.
func TestDialledEndsHaveClocksOfTheirOwn(t *testing.T) {
	for _, apart := range []time.Duration{-time.Hour, -3 * time.Second, 0, 17 * ms, 3 * time.Second, time.Hour} {
		for _, first := range []string{"client", "listener"} {
			l := loopback.Listen(loopback.Config{})
			begin := max(0, -apart)
			now := begin // by the client's clock; the listener's is apart from it
			if first == "listener" {
				l.Poll(now + apart)
			}
			client := l.Dial()
			client.Poll(now)
			var server transport.Conn
			buf := make([]byte, client.MTU())
			sent, received := map[byte]time.Duration{}, [2]int{}
			take := func(end transport.Conn, i int, own time.Duration) {
				for {
					n, at, ok := transport.RecvAt(end, own, buf)
					if !ok {
						return
					}
					// With Polls every 10 ms the other clock cannot be estimated more closely.
					if age := now - sent[buf[0]]; n != 1 || at > own || own-at > age+10*ms || own-at < age-10*ms {
						t.Fatalf("apart %v, %s first: %d came at %v by a clock at %v, and was sent %v ago", apart, first, buf[0], at, own, age)
					}
					received[i]++
				}
			}
			listener := func(k byte) {
				l.Poll(now + apart)
				if c, ok := l.Accept(); ok {
					server = c
				}
				if server != nil {
					server.Poll(now + apart)
					take(server, 0, now+apart)
					sent[k] = now
					_ = server.Send([]byte{k})
				}
			}
			dialler := func(k byte) {
				client.Poll(now)
				take(client, 1, now)
				sent[k] = now
				_ = client.Send([]byte{k})
			}
			for k := byte(0); k < 100; k += 2 {
				now += 10 * ms
				switch stands := k / 20; { // each of them stands still for a while
				case stands == 2:
					dialler(k)
				case stands == 3:
					listener(k + 1)
				case first == "client":
					dialler(k)
					listener(k + 1)
				default:
					listener(k + 1)
					dialler(k)
				}
			}
			if received[0] < 38 || received[1] < 38 {
				t.Errorf("apart %v, %s first: %d and %d datagrams came of 40 each way", apart, first, received[0], received[1])
			}
			client.Close(transport.Reason{Code: transport.Left})
			if server.Poll(now + apart); server.State() != transport.Closed {
				t.Errorf("apart %v, %s first: the close did not come", apart, first)
			}
		}
	}
}
