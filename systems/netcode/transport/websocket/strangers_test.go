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

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// tcpAddr returns the address behind a URL of a listener.
func tcpAddr(l *websocket.Listener) string {
	addr := strings.TrimPrefix(strings.TrimPrefix(l.Addr(), "wss://"), "ws://")
	return addr[:strings.IndexByte(addr, '/')]
}

// takenPort returns an address on which no program listens, and none can while the test runs: the
// server's end of a connection uses it.
func takenPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return l.Addr().String()
}

func TestDialThatCannotSucceed(t *testing.T) {
	before := runtime.NumGoroutine()
	secure, _ := security(t)
	wss, plain := listen(t, secure), listen(t, open(websocket.Config{Path: "/arena"}))
	picky := listen(t, open(websocket.Config{Authorize: func(r *http.Request) error {
		if r.Header.Get("Authorization") != "Bearer right" {
			return errors.New("wrong token")
		}
		return nil
	}}))
	full := listen(t, open(websocket.Config{MaxConns: 1}))
	first, _ := join(t, full, full.Addr(), websocket.Config{})
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone := takenPort(t)

	header := func(name, value string) http.Header { return http.Header{name: {value}} }
	for name, test := range map[string]struct {
		url    string
		config websocket.Config
		code   transport.Code
		text   string
	}{
		"another certificate":   {wss.Addr(), websocket.Config{Fingerprint: joinlink.FingerprintOf(nil)}, transport.Unauthorized, "ask for a new link"},
		"an unknown authority":  {wss.Addr(), websocket.Config{}, transport.Unauthorized, "fingerprint"},
		"another site's page":   {plain.Addr(), websocket.Config{Header: header("Origin", "https://evil.example")}, transport.Refused, "this page's site"},
		"a wrong token":         {picky.Addr(), websocket.Config{Header: header("Authorization", "Bearer wrong")}, transport.Unauthorized, "token"},
		"no token":              {picky.Addr(), websocket.Config{}, transport.Unauthorized, "token"},
		"a wrong path":          {strings.Replace(plain.Addr(), "/arena", "/", 1), websocket.Config{}, transport.Failed, "something else"},
		"a full server":         {full.Addr(), websocket.Config{}, transport.Refused, "try again later"},
		"a server that is off":  {"ws://" + gone + "/", websocket.Config{}, transport.Failed, "start the server"},
		"no answer":             {"ws://" + silent.Addr().String() + "/", websocket.Config{DialTimeout: 200 * time.Millisecond}, transport.TimedOut, "firewall"},
		"another scheme":        {"http://127.0.0.1/", websocket.Config{}, transport.Failed, "join link"},
		"no address":            {"ws:///", websocket.Config{}, transport.Failed, "join link"},
		"what is no URL at all": {"\x00", websocket.Config{}, transport.Failed, "join link"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.config.DialTimeout == 0 {
				test.config.DialTimeout = time.Minute // the slowest machine
			}
			c := websocket.Dial(test.url, test.config)
			if c.State() != transport.Connecting {
				t.Errorf("Dial returned a connection that is %v", c.State())
			}
			if got := ends(t, c); got.Code != test.code || !strings.Contains(got.Text, test.text) || len(got.Text) > transport.MaxReasonText {
				t.Errorf("closed because %q, want %v with %q", got, test.code, test.text)
			}
			<-c.Done()
		})
	}
	c, _ := join(t, picky, picky.Addr(), websocket.Config{Header: header("Authorization", "Bearer right")})
	c.Close(transport.Reason{})
	first.Close(transport.Reason{})
	for _, l := range []*websocket.Listener{wss, plain, picky, full} {
		l.Close(transport.Reason{})
		<-l.Done()
	}
	settle(t, before)
}

func TestCloseWhileConnecting(t *testing.T) {
	before := runtime.NumGoroutine()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := websocket.Dial("ws://"+silent.Addr().String()+"/", websocket.Config{})
	c.Close(transport.Reason{Code: transport.Left, Text: "changed my mind"})
	if c.State() != transport.Closed || c.CloseReason().Text != "changed my mind" {
		t.Errorf("%v because of %q", c.State(), c.CloseReason())
	}
	<-c.Done()
	settle(t, before)
}

func TestOrigins(t *testing.T) {
	for _, test := range []struct {
		allowed []string
		origin  string
		want    bool
	}{
		{nil, "", true}, // no browser
		{nil, "https://play.example.org", false},
		{[]string{"play.example.org"}, "https://play.example.org", true},
		{[]string{"*.example.org"}, "https://eu.example.org", true},
		{[]string{"*.example.org"}, "https://example.org.evil.example", false},
		{[]string{"https://play.example.org"}, "http://play.example.org", false},
		{[]string{"play.example.org"}, "null", false},
	} {
		l := listen(t, open(websocket.Config{Origins: test.allowed}))
		c := websocket.Config{}
		if test.origin != "" {
			c.Header = http.Header{"Origin": {test.origin}}
		}
		client := dial(t, l.Addr(), c)
		until(t, "it is decided", func() bool { client.Poll(0); return client.State() != transport.Connecting })
		if got := client.State() == transport.Open; got != test.want {
			t.Errorf("allowed %q, origin %q: taken is %v, want %v", test.allowed, test.origin, got, test.want)
		}
	}
	l := listen(t, open(websocket.Config{}))
	own := websocket.Config{Header: http.Header{"Origin": {"http://" + tcpAddr(l)}}}
	join(t, l, l.Addr(), own) // its own page
}

// Clients that connect and send nothing, or nonsense, are disconnected in time. Their number stays
// within the bound, and others can connect afterwards.
func TestSilentConnections(t *testing.T) {
	before := runtime.NumGoroutine()
	l, err := websocket.Listen("127.0.0.1:0", open(websocket.Config{MaxConns: 8, HandshakeTimeout: 2 * time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	var strangers []net.Conn
	defer func() {
		for _, c := range strangers {
			c.Close()
		}
	}()
	until(t, "some were turned away", func() bool {
		if c, err := net.Dial("tcp", tcpAddr(l)); err == nil {
			strangers = append(strangers, c)
			switch len(strangers) % 3 {
			case 1:
				fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\nX: ")
			case 2:
				c.Write([]byte{0x16, 3, 1, 0, 200, 1, 0, 0})
			}
		}
		return l.Stats().Refused >= 20
	})
	for _, c := range strangers {
		c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("a silent stranger is still connected")
		}
	}
	client, server := join(t, l, l.Addr(), websocket.Config{})
	if err := client.Send([]byte("ping")); err != nil {
		t.Fatal(err)
	}
	until(t, "a datagram arrives", func() bool { _, ok := server.Recv(make([]byte, websocket.MTU)); return ok })
	l.Close(transport.Reason{})
	<-l.Done()
	client.Close(transport.Reason{})
	<-client.(*websocket.Conn).Done()
	settle(t, before)
}

// A network gets its rate of connections and no more. Refused connections cost no TLS.
func TestRates(t *testing.T) {
	secure, pinned := security(t)
	secure.NetworkUpgrades = websocket.Rate{PerSecond: 1, Burst: 3}
	l := listen(t, secure)
	opened, refused := 0, 0
	start := time.Now()
	for rounds := 0; refused == 0; rounds++ { // a slow machine dials no faster than the rate
		if rounds == 10 {
			t.Fatalf("%d dialled, and none was refused", opened)
		}
		var all []*websocket.Conn
		for range 12 {
			all = append(all, dial(t, l.Addr(), pinned))
		}
		for _, c := range all {
			until(t, "it is decided", func() bool { c.Poll(0); return c.State() != transport.Connecting })
			if c.State() == transport.Open {
				opened++
			} else {
				refused++
			}
		}
	}
	most := 3 + int(time.Since(start)/time.Second) + 1
	if opened < 3 || opened > most {
		t.Errorf("%d got in, want 3 at once and one per second, %d at most", opened, most)
	}
	// Clients notice it first.
	until(t, "the server has counted them", func() bool { return l.Stats().Accepted >= uint64(opened) })
	if got := l.Stats(); got.Refused == 0 || got.Accepted != uint64(opened) {
		t.Errorf("counted %+v", got)
	}
}

// Behind a proxy the client's address is the proxy's entry, which is behind those that the client
// may have written itself.
func TestBehindProxy(t *testing.T) {
	for _, test := range []struct {
		behind bool
		header []string
		want   string
	}{
		{true, []string{"203.0.113.7"}, "203.0.113.7:0"},
		{true, []string{"1.2.3.4, 203.0.113.7"}, "203.0.113.7:0"},
		{true, []string{"1.2.3.4", "5.6.7.8,2001:db8::1"}, "[2001:db8::1]:0"},
		{true, []string{"nonsense"}, ""},
		{true, nil, "127.0.0.1:"},
		{false, []string{"203.0.113.7"}, "127.0.0.1:"},
	} {
		l := listen(t, open(websocket.Config{BehindProxy: test.behind}))
		client := dial(t, l.Addr(), websocket.Config{Header: http.Header{"X-Forwarded-For": test.header}})
		until(t, "it is decided", func() bool { client.Poll(0); return client.State() != transport.Connecting })
		if test.want == "" {
			if client.State() != transport.Closed {
				t.Errorf("%q was taken", test.header)
			}
			continue
		}
		if got := accept(t, l).RemoteAddr(); !strings.HasPrefix(got, test.want) {
			t.Errorf("behind a proxy %v, header %q: the address is %s, want %s", test.behind, test.header, got, test.want)
		}
	}
}

// Plain HTTP requests of browsers and crawlers get an answer, and have no other effect.
func TestPlainRequests(t *testing.T) {
	l := websocket.NewHandler(open(websocket.Config{}))
	for _, request := range []*http.Request{
		httptest.NewRequest("GET", "/", nil), httptest.NewRequest("POST", "/", strings.NewReader("x")),
	} {
		answer := httptest.NewRecorder()
		l.ServeHTTP(answer, request)
		if answer.Code < 400 {
			t.Errorf("a %s was answered with %d", request.Method, answer.Code)
		}
	}
	if got := l.Stats(); got.Failed != 2 || got.Accepted != 0 {
		t.Errorf("counted %+v", got)
	}
	l.Close(transport.Reason{})
	<-l.Done()
	answer := httptest.NewRecorder()
	l.ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	if answer.Code != http.StatusServiceUnavailable {
		t.Errorf("after Close a request was answered with %d", answer.Code)
	}
}

func TestBacklog(t *testing.T) {
	l := listen(t, open(websocket.Config{Backlog: 1}))
	dial(t, l.Addr(), websocket.Config{})
	until(t, "one waits", func() bool { return l.Stats().Pending == 1 })
	second := dial(t, l.Addr(), websocket.Config{})
	if got := ends(t, second); got.Code != transport.Refused || !strings.Contains(got.Text, "try again") {
		t.Errorf("the second was told %q", got)
	}
	accept(t, l)
}

func TestMisuse(t *testing.T) {
	if _, err := websocket.Listen("nonsense", websocket.Config{}); err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
		t.Errorf("an address without a port: %v", err)
	}
	if _, err := websocket.Listen("127.0.0.1:0", websocket.Config{Path: "arena"}); err == nil || !strings.Contains(err.Error(), "begin it with /") {
		t.Errorf("a path without a slash: %v", err)
	}
	for _, c := range []websocket.Config{{MaxConns: -1}, {Backlog: -1}, {SendQueue: -1}, {ReceiveQueue: -1}, {HandshakeTimeout: -1}, {DialTimeout: -1}, {Upgrades: websocket.Rate{PerSecond: 1}}, {NetworkUpgrades: websocket.Rate{Burst: -1}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v did not panic", c)
				}
			}()
			websocket.NewHandler(c)
		}()
	}
}
