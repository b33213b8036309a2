//go:build !js

package websocket_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	library "github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// raw is a client that writes arbitrary frames, which the library's would not.
type raw struct {
	t    testing.TB
	conn net.Conn
}

// newRaw connects a raw client, and returns the server's end too. The bytes of along follow the
// request in the same packet.
func newRaw(t testing.TB, l *websocket.Listener, along []byte) (*raw, transport.Conn) {
	t.Helper()
	c, err := net.Dial("tcp", tcpAddr(l))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	request := "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n"
	if _, err := c.Write(append([]byte(request), along...)); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("the answer is %v, error %v", answer, err)
	}
	go io.Copy(io.Discard, c)
	return &raw{t, c}, accept(t, l)
}

// frame returns a masked frame with a payload of zeros.
func frame(opcode byte, fin bool, size int) []byte {
	if fin {
		opcode |= 0x80
	}
	b := []byte{opcode, 0x80 | byte(min(size, 126))}
	if size >= 126 {
		b = binary.BigEndian.AppendUint16(b, uint16(size))
	}
	return append(b, make([]byte, 4+size)...)
}

// write reports whether the server's end still exists.
func (r *raw) write(b []byte) bool {
	_ = r.conn.SetWriteDeadline(time.Now().Add(time.Minute))
	_, err := r.conn.Write(b)
	return err == nil
}

// Clients send frames without a datagram, as fast as the server takes them. A few of them do no
// harm; more than an honest client or a proxy sends end the connection. Another player is not
// affected.
func TestFloodsWithoutData(t *testing.T) {
	l := listen(t, open(websocket.Config{}))
	client, there := join(t, l, l.Addr(), websocket.Config{})
	buf := make([]byte, websocket.MTU)
	for name, test := range map[string]struct{ before, each []byte }{
		"pings":                 {nil, frame(9, true, 0)},
		"long pings":            {nil, frame(9, true, 125)},
		"pongs":                 {nil, frame(10, true, 4)},
		"empty pieces":          {frame(2, false, 1), frame(0, false, 0)},
		"empty messages":        {nil, frame(2, true, 0)},
		"messages too large":    {nil, frame(2, true, websocket.MTU+1)},
		"messages far too long": {nil, append(frame(2, false, websocket.MTU), frame(0, true, 1000)...)},
	} {
		for _, untrusted := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", untrusted ", untrusted), func(t *testing.T) {
				r, server := newRaw(t, l, nil)
				transport.SetUntrusted(server, untrusted)
				r.write(test.before)
				const harmless = 50
				for range harmless {
					r.write(test.each)
				}
				if test.before != nil {
					r.write(frame(0, true, 1)) // the end of the message
				}
				r.write(frame(2, true, 3))
				until(t, "a datagram arrives after a few", func() bool {
					server.Poll(0)
					n, ok := server.Recv(buf)
					if server.State() != transport.Open {
						t.Fatalf("closed after %d: %v", harmless, server.CloseReason())
					}
					return ok && n >= 2
				})
				r.write(test.before)
				sent := 0
				until(t, "the connection is closed", func() bool {
					for range 100 {
						sent++
						r.write(test.each)
					}
					server.Poll(0)
					return server.State() == transport.Closed
				})
				if got := server.CloseReason(); got.Code != transport.Overload {
					t.Errorf("closed because %q after %d, want overload", got, sent)
				}
			})
		}
	}
	if err := client.Send([]byte("ping")); err != nil {
		t.Fatal(err)
	}
	until(t, "a player's datagram arrives", func() bool { there.Poll(0); _, ok := there.Recv(buf); return ok })
}

// Frames that arrive together with the request, before the server has answered, count like others.
func TestFramesThatComeWithTheRequest(t *testing.T) {
	l := listen(t, open(websocket.Config{}))
	along := append(frame(2, true, 5), frame(2, true, 7)...)
	_, server := newRaw(t, l, along)
	buf := make([]byte, websocket.MTU)
	for _, want := range []int{5, 7} {
		until(t, "a datagram arrives", func() bool {
			n, ok := server.Recv(buf)
			if ok && n != want {
				t.Fatalf("received %d bytes, want %d", n, want)
			}
			return ok
		})
	}
	for range 100 {
		along = append(along, frame(9, true, 0)...)
	}
	_, server = newRaw(t, l, along)
	if got := ends(t, server); got.Code != transport.Overload {
		t.Errorf("closed because %q, want overload", got)
	}
}

// The datagrams of a client that sends faster than its budget are read at the rate of the budget,
// and none is lost. An untrusted client has a tenth.
func TestBudget(t *testing.T) {
	for name, test := range map[string]struct {
		config    websocket.Config
		untrusted bool
		burst     int
		second    float64 // datagrams
	}{
		"frames":            {websocket.Config{ClientFrames: websocket.Rate{PerSecond: 100, Burst: 100}}, false, 100, 100},
		"frames, untrusted": {websocket.Config{ClientFrames: websocket.Rate{PerSecond: 1000, Burst: 1000}}, true, 100, 100},
		"bytes":             {websocket.Config{ClientBytes: websocket.Rate{PerSecond: 100_000, Burst: 100_000}}, false, 100, 100},
		"bytes, untrusted":  {websocket.Config{ClientBytes: websocket.Rate{PerSecond: 1_000_000, Burst: 1_000_000}}, true, 100, 100},
	} {
		t.Run(name, func(t *testing.T) {
			l := listen(t, open(test.config))
			r, server := newRaw(t, l, nil)
			transport.SetUntrusted(server, test.untrusted)
			start := time.Now()
			const n = 130 // more than a burst
			all := []byte{}
			for range n {
				all = append(all, frame(2, true, 1000-8)...)
			}
			go r.write(all)
			buf, got := make([]byte, websocket.MTU), 0
			until(t, "all have arrived", func() bool {
				server.Poll(0)
				for _, ok := server.Recv(buf); ok; _, ok = server.Recv(buf) {
					got++
				}
				if most := float64(test.burst) + test.second*time.Since(start).Seconds() + 1; float64(got) > most {
					t.Fatalf("%d arrived within %v, want %.0f at most", got, time.Since(start), most)
				}
				return got == n
			})
			if server.State() != transport.Open {
				t.Errorf("closed: %v", server.CloseReason())
			}
		})
	}
}

// Honest clients are never closed: one that was delayed sends thousands of datagrams at once, and
// another library's writes each message as a piece and an empty end.
func TestHonestClients(t *testing.T) {
	l := listen(t, open(websocket.Config{}))
	client, server := join(t, l, l.Addr(), websocket.Config{})
	buf := make([]byte, websocket.MTU)
	for i := range 3000 {
		until(t, "the datagram is taken", func() bool { return client.Send([]byte{byte(i)}) == nil })
	}
	got := uint64(0)
	until(t, "all have arrived", func() bool {
		server.Poll(0)
		for _, ok := server.Recv(buf); ok; _, ok = server.Recv(buf) {
			got++
		}
		return got+server.Stats().ReceiveDropped == 3000 && server.State() == transport.Open
	})
	c, server := peer(t, l)
	ctx := context.Background()
	for range 200 {
		w, err := c.Writer(ctx, library.MessageBinary)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("piece")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		until(t, "the datagram arrives", func() bool { _, ok := server.Recv(buf); return ok })
	}
	if server.Poll(0); server.State() != transport.Open {
		t.Errorf("closed: %v", server.CloseReason())
	}
}
