package websocket_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	library "github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// peer is the library's client, which can send frames that this package's client never sends.
func peer(t *testing.T, l *websocket.Listener) (*library.Conn, transport.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, _, err := library.Dial(ctx, l.Addr(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	return c, accept(t, l)
}

// A message above the MTU is dropped and counted, and the connection continues. A message far above
// it ends the connection.
func TestOversize(t *testing.T) {
	l := listen(t, open(websocket.Config{}))
	c, server := peer(t, l)
	ctx := context.Background()
	for i, size := range []int{websocket.MTU + 1, 2 * websocket.MTU, 16*websocket.MTU - 1, 0} {
		if err := c.Write(ctx, library.MessageBinary, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		until(t, "it is counted", func() bool { return server.Stats().ReceiveDropped == uint64(i+1) })
	}
	if err := c.Write(ctx, library.MessageBinary, make([]byte, websocket.MTU)); err != nil {
		t.Fatal(err)
	}
	until(t, "one of the MTU arrives", func() bool {
		n, ok := server.Recv(make([]byte, websocket.MTU))
		return ok && n == websocket.MTU
	})
	if err := c.Write(ctx, library.MessageBinary, make([]byte, 17*websocket.MTU)); err != nil {
		t.Fatal(err)
	}
	if got := ends(t, server); got.Code != transport.Overload {
		t.Errorf("closed because %q, want overload", got)
	}
}

// A close by another program gives the reason with the same meaning.
func TestForeignEnds(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		end  func(*library.Conn)
		want transport.Reason
	}{
		"a reason in the close frame": {func(c *library.Conn) { c.Close(4002, "sent too fast") }, transport.Reason{Code: transport.Kicked, Text: "sent too fast"}},
		"control characters":          {func(c *library.Conn) { c.Close(4001, "a\x1b[31mb") }, transport.Reason{Code: transport.Left, Text: "a?[31mb"}},
		"a normal end":                {func(c *library.Conn) { c.Close(library.StatusNormalClosure, "") }, transport.Reason{Code: transport.Left, Text: "the other end went without a reason"}},
		"a page that is closed":       {func(c *library.Conn) { c.Close(library.StatusGoingAway, "") }, transport.Reason{Code: transport.Failed, Text: "the other end, or a proxy on the way, went without a reason"}},
		"another code":                {func(c *library.Conn) { c.Close(3001, "") }, transport.Reason{Code: transport.Failed, Text: "the other end closed with WebSocket code 3001"}},
		"code 4000, which is none":    {func(c *library.Conn) { c.Close(4000, "") }, transport.Reason{Code: transport.Failed, Text: "the other end closed with WebSocket code 4000"}},
		"no end":                      {func(c *library.Conn) { c.CloseNow() }, transport.Reason{Code: transport.Failed, Text: "the connection broke"}},
		"text": {func(c *library.Conn) { c.Write(ctx, library.MessageText, []byte("hello")) },
			transport.Reason{Code: transport.Failed, Text: "the other end sent text, which this protocol knows only for close reasons"}},
		"a reason as text": {func(c *library.Conn) { c.Write(ctx, library.MessageText, []byte("4007 bye")) }, transport.Reason{Code: transport.Shutdown, Text: "bye"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := listen(t, open(websocket.Config{}))
			c, server := peer(t, l)
			go test.end(c)
			if got := ends(t, server); got != test.want {
				t.Errorf("closed because %q, want %q", got, test.want)
			}
		})
	}
}

// A foreign client gets the reason in the close frame.
func TestReasonInTheCloseFrame(t *testing.T) {
	l := listen(t, open(websocket.Config{}))
	c, server := peer(t, l)
	server.Close(transport.Reason{Code: transport.Refused, Text: strings.Repeat("full ", 40)})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	kind, text, err := c.Read(ctx)
	if err != nil || kind != library.MessageText || !strings.HasPrefix(string(text), "4003 full full ") || len(text) != 5+transport.MaxReasonText {
		t.Errorf("the message is %q, error %v", text, err)
	}
	_, _, err = c.Read(ctx)
	var closed library.CloseError
	if !errors.As(err, &closed) || closed.Code != 4003 || !strings.HasPrefix(closed.Reason, "full full") {
		t.Errorf("the close frame says %v", err)
	}
}

// A client does not read. The queue is bounded and appears in the statistics, Send refuses, Close
// does not wait, and no goroutine remains.
func TestSlowReader(t *testing.T) {
	before := runtime.NumGoroutine()
	l, err := websocket.Listen("127.0.0.1:0", open(websocket.Config{SendQueue: 20}))
	if err != nil {
		t.Fatal(err)
	}
	c, server := peer(t, l) // reads nothing
	datagram := make([]byte, websocket.MTU)
	taken := 0
	until(t, "the queue is full and stays so", func() bool {
		for server.Send(datagram) == nil {
			taken++
		}
		if s := server.Stats(); s.SendQueued > 20 || s.SendQueuedBytes > 20*websocket.MTU || s.SendDropped == 0 {
			t.Fatalf("counted %+v", s)
		}
		time.Sleep(20 * time.Millisecond)
		return server.Stats().SendQueued == 20
	})
	t.Logf("%d KB were taken for a client that reads nothing", taken*websocket.MTU/1024)
	start := time.Now()
	server.Close(transport.Reason{Code: transport.Overload, Text: "reads too slowly"})
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("Close took %v", took)
	}
	l.Close(transport.Reason{})
	<-l.Done() // although the client does not answer
	c.CloseNow()
	settle(t, before)
}

// An owner that does not receive costs bounded memory, and gets the newest datagrams when it
// receives again.
func TestSlowOwner(t *testing.T) {
	l := listen(t, open(websocket.Config{ReceiveQueue: 16}))
	client, server := join(t, l, l.Addr(), websocket.Config{})
	const n = 500
	for i := range n {
		until(t, "the datagram is taken", func() bool { return client.Send([]byte{byte(i >> 8), byte(i)}) == nil })
	}
	until(t, "all have arrived", func() bool { return server.Stats().ReceiveDropped == n-16 })
	buf := make([]byte, websocket.MTU)
	for i := n - 16; i < n; i++ {
		if got, ok := server.Recv(buf); !ok || got != 2 || int(buf[0])<<8|int(buf[1]) != i {
			t.Errorf("received %v, %v, want number %d", buf[:got], ok, i)
		}
	}
}

// A join link leads to the connection.
func TestJoinLink(t *testing.T) {
	secure, _ := security(t)
	secure.Path = "/arena"
	l := listen(t, secure)
	host, port, err := net.SplitHostPort(tcpAddr(l))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("tandem+wss://%s:%s/arena#%s+token", host, port, dtls.FingerprintOf(secure.TLS.Certificates[0]))
	link, err := joinlink.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if link.URL() != l.Addr() {
		t.Errorf("the link leads to %s, the server is at %s", link.URL(), l.Addr())
	}
	join(t, l, link.URL(), websocket.Config{Fingerprint: link.Fingerprint})
}
