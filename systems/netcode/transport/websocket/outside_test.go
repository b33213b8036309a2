//go:build !js

package websocket_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	library "github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// Clients whose requests announce a body that never arrives are disconnected in time, whatever the
// request is. Otherwise a few hundred of them would keep all others out for good.
func TestBodiesThatNeverCome(t *testing.T) {
	before := runtime.NumGoroutine()
	l, err := websocket.Listen("127.0.0.1:0", open(websocket.Config{Path: "/arena", HandshakeTimeout: 2 * time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
	requests := map[string]string{
		"of another path":           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
		"of no WebSocket":           "POST /arena HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
		"of a key too few":          "GET /arena HTTP/1.1\r\nHost: x\r\n" + upgrade + "Content-Length: 100\r\n\r\n",
		"of another site":           "GET /arena HTTP/1.1\r\nHost: x\r\nOrigin: http://y\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n" + upgrade + "Content-Length: 9\r\n\r\n",
		"in chunks":                 "POST /arena HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"that waits for a go-ahead": "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n",
	}
	client, server := join(t, l, "ws://"+tcpAddr(l)+"/arena", websocket.Config{})
	strangers := map[string]net.Conn{}
	for name, request := range requests {
		c, err := net.Dial("tcp", tcpAddr(l))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprint(c, request); err != nil {
			t.Fatal(err)
		}
		strangers[name] = c
	}
	for name, c := range strangers {
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a request %s is still connected", name)
		}
	}
	if err := client.Send([]byte("ping")); err != nil { // the accepted client is still connected
		t.Fatal(err)
	}
	until(t, "a datagram arrives", func() bool { _, ok := server.Recv(make([]byte, websocket.MTU)); return ok })
	l.Close(transport.Reason{})
	<-l.Done()
	client.Close(transport.Reason{})
	<-client.(*websocket.Conn).Done()
	settle(t, before)
}

// A proxy that restarts closes both of its connections with 1001. Neither end counts this as the
// other end's decision to leave, so the client comes back.
func TestProxyRestarts(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := library.Accept(w, r, nil); err == nil {
			_ = c.Close(library.StatusGoingAway, "")
		}
	}))
	defer proxy.Close()
	client := dial(t, "ws"+strings.TrimPrefix(proxy.URL, "http"), websocket.Config{})
	if got := ends(t, client); got.Code != transport.Failed || !strings.Contains(got.Text, "proxy") {
		t.Errorf("closed because %q, want failed", got)
	}
}
