//go:build !js

package webtransport_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	library "github.com/quic-go/webtransport-go"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

// ends waits until the connection is closed, and returns the reason.
func ends(t testing.TB, c transport.Conn) transport.Reason {
	t.Helper()
	until(t, "the connection is closed", func() bool { c.Poll(0); return c.State() == transport.Closed })
	return c.CloseReason()
}

func TestDialThatCannotSucceed(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("all", func(t *testing.T) {
		l := listen(t, open(webtransport.Config{}))
		full := listen(t, open(webtransport.Config{MaxConns: 1}))
		join(t, full, full.Addr(), webtransport.Config{})
		busy := listen(t, open(webtransport.Config{Backlog: 1}))
		dial(t, busy, busy.Addr(), webtransport.Config{})
		until(t, "one waits", func() bool { return busy.Stats().Accepted == 1 })
		silent := localSocket(t)
		defer silent.Close()
		old := httptest.NewServer(http.NotFoundHandler())
		defer old.Close()
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<!doctype html>")) }))
		defer page.Close()
		secure := httptest.NewTLSServer(http.NotFoundHandler())
		defer secure.Close()
		other := []joinlink.Fingerprint{joinlink.FingerprintOf([]byte("another"))}
		for name, test := range map[string]struct {
			address string
			config  webtransport.Config
			code    transport.Code
			text    string
		}{
			"another certificate":           {l.Addr(), webtransport.Config{Pins: other}, transport.Unauthorized, "not the server"},
			"another path":                  {l.Addr() + "/x", webtransport.Config{Pins: l.pins}, transport.Failed, "something else"},
			"a full server":                 {full.Addr(), webtransport.Config{Pins: full.pins}, transport.Refused, "try again later"},
			"a busy server":                 {busy.Addr(), webtransport.Config{Pins: busy.pins}, transport.Refused, "try again"},
			"no answer":                     {"https://" + silent.LocalAddr().String() + "/", webtransport.Config{Pins: l.pins, DialTimeout: 200 * time.Millisecond}, transport.TimedOut, "UDP"},
			"a server without WebTransport": {old.URL + "/webtransport", webtransport.Config{}, transport.Failed, "use WebSocket"},
			"a page":                        {page.URL + "/webtransport", webtransport.Config{}, transport.Failed, "use WebSocket"},
			"an unknown authority":          {secure.URL + "/webtransport", webtransport.Config{}, transport.Unauthorized, "fingerprint"},
			"another web server":            {secure.URL + "/webtransport", webtransport.Config{Fingerprint: other[0]}, transport.Unauthorized, "ask for a new link"},
			"another scheme":                {"wss://127.0.0.1/", webtransport.Config{Pins: l.pins}, transport.Failed, "join link"},
			"no address":                    {"https:///", webtransport.Config{Pins: l.pins}, transport.Failed, "join link"},
			"what is no URL at all":         {"\x00", webtransport.Config{Pins: l.pins}, transport.Failed, "join link"},
		} {
			t.Run(name, func(t *testing.T) {
				if test.config.DialTimeout == 0 {
					test.config.DialTimeout = time.Minute // the slowest machine
				}
				c := webtransport.Dial(test.address, test.config)
				if c.State() != transport.Connecting {
					t.Errorf("Dial returned a connection that is %v", c.State())
				}
				if got := ends(t, c); got.Code != test.code || !strings.Contains(got.Text, test.text) || len(got.Text) > transport.MaxReasonText {
					t.Errorf("closed because %q, want %v with %q", got, test.code, test.text)
				}
				<-c.Done()
			})
		}
	})
	settle(t, before)
}

// session connects with the library's client, which can do what this package's client never does.
func session(t *testing.T, l server, header http.Header) (*library.Session, error) {
	t.Helper()
	dialer := &library.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h3"}},
		QUICConfig:      &quic.Config{EnableDatagrams: true, EnableStreamResetPartialDelivery: true},
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, s, err := dialer.Dial(ctx, l.Addr(), header)
	if err == nil {
		t.Cleanup(func() { s.CloseWithError(0, "") })
	}
	return s, err
}

func TestOrigins(t *testing.T) {
	for _, test := range []struct {
		allowed []string
		origin  string
		want    bool
	}{
		{nil, "", true}, // no browser
		{nil, "https://play.example.org", false},
		{nil, "https://SELF", true},
		{[]string{"play.example.org"}, "https://play.example.org", true},
		{[]string{"Play.example.org"}, "https://play.Example.org", true},
		{[]string{"*.example.org"}, "https://eu.example.org", true},
		{[]string{"*.example.org"}, "https://example.org.evil.example", false},
		{[]string{"play.example.org"}, "null", false},
		{[]string{"*"}, "https://anything.example", true},
	} {
		warnings := make(chan string, 10)
		l := listen(t, open(webtransport.Config{Origins: test.allowed, Log: slog.New(slog.NewTextHandler(lines(warnings), nil))}))
		header := http.Header{}
		if test.origin != "" {
			header.Set("Origin", strings.Replace(test.origin, "SELF", hostOf(t, l), 1))
		}
		if _, err := session(t, l, header); (err == nil) != test.want {
			t.Errorf("%v, a page of %q: %v", test.allowed, test.origin, err)
		}
		if test.want {
			continue
		}
		if line := <-warnings; !strings.Contains(line, "level=WARN") || !strings.Contains(line, "page="+test.origin) || !strings.Contains(line, "add its host to Origins") {
			t.Errorf("%v, a page of %q: the operator reads %s", test.allowed, test.origin, line)
		}
	}
	for _, bad := range []string{"", "https://play.example.org", "["} {
		if _, err := webtransport.Listen("127.0.0.1:0", webtransport.Config{Origins: []string{bad}}); err == nil {
			t.Errorf("the pattern %q was taken", bad)
		}
	}
}

// lines takes the lines of a log.
type lines chan<- string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// A foreign client that opens streams, or sends datagrams above the MTU, is not hurt by one of
// them, and its connection ends after too many.
func TestMisuseByAClient(t *testing.T) {
	for name, misuse := range map[string]func(*library.Session) error{
		"streams": func(s *library.Session) error {
			stream, err := s.OpenStream()
			if err == nil {
				stream.Write([]byte("hello"))
				stream.CancelRead(0)
				stream.Close()
			}
			return nil
		},
		"streams in one direction": func(s *library.Session) error {
			stream, err := s.OpenUniStream()
			if err == nil {
				stream.Write([]byte("hello"))
				stream.Close()
			}
			return nil
		},
		"large datagrams": func(s *library.Session) error { return s.SendDatagram(make([]byte, webtransport.MTU+1)) },
		"empty datagrams": func(s *library.Session) error { return s.SendDatagram(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			l := listen(t, open(webtransport.Config{}))
			s, err := session(t, l, nil)
			if err != nil {
				t.Fatal(err)
			}
			var server transport.Conn
			until(t, "it is accepted", func() bool { server, _ = l.Accept(); return server != nil })
			buf := make([]byte, webtransport.MTU)
			for range 8 {
				if err := misuse(s); err != nil {
					t.Fatal(err)
				}
			}
			until(t, "a datagram arrives", func() bool { s.SendDatagram([]byte("x")); _, ok := server.Recv(buf); return ok })
			if server.Poll(0); server.State() != transport.Open {
				t.Fatalf("it was closed: %v", server.CloseReason())
			}
			until(t, "too many of them end it", func() bool {
				_ = misuse(s)
				server.Poll(0)
				return server.State() == transport.Closed
			})
			if got := server.CloseReason(); got.Code != transport.Overload {
				t.Errorf("closed because %q", got)
			}
		})
	}
}

// A client that completes the handshake and asks for nothing is closed in time, and counted.
func TestSilentClient(t *testing.T) {
	l := listen(t, open(webtransport.Config{HandshakeTimeout: 100 * time.Millisecond}))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := quic.DialAddr(ctx, hostOf(t, l), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h3"}}, &quic.Config{EnableDatagrams: true, KeepAlivePeriod: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	<-conn.Context().Done()
	until(t, "it is counted", func() bool { s := l.Stats(); return s.Failed == 1 && s.Pending == 0 })
	if all, half := l.Visitors(); all != 0 || half != 0 {
		t.Errorf("%d places and %d handshakes are still taken", all, half)
	}
}

func TestCloseWhileConnecting(t *testing.T) {
	before := runtime.NumGoroutine()
	silent := localSocket(t)
	defer silent.Close()
	c := webtransport.Dial("https://"+silent.LocalAddr().String()+"/", webtransport.Config{Pins: []joinlink.Fingerprint{{1}}})
	c.Close(transport.Reason{Code: transport.Left, Text: "changed my mind"})
	if c.State() != transport.Closed || c.CloseReason().Text != "changed my mind" {
		t.Errorf("%v because of %q", c.State(), c.CloseReason())
	}
	<-c.Done()
	settle(t, before)
}

func TestMisuse(t *testing.T) {
	if _, err := webtransport.Listen("nonsense", webtransport.Config{}); err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
		t.Errorf("an address without a port: %v", err)
	}
	if _, err := webtransport.Listen("127.0.0.1:0", webtransport.Config{Path: "arena"}); err == nil || !strings.Contains(err.Error(), "begin it with /") {
		t.Errorf("a path without its slash: %v", err)
	}
	l := listen(t, webtransport.Config{})
	if _, err := webtransport.Listen(hostOf(t, l), webtransport.Config{}); err == nil || !strings.Contains(err.Error(), "another port") {
		t.Errorf("a port in use: %v", err)
	}
	for _, c := range []webtransport.Config{{HalfOpen: -1}, {MaxConns: -1}, {Backlog: -1}, {SendQueue: -1}, {ReceiveQueue: -1}, {HandshakeTimeout: -1}, {DialTimeout: -1}, {Handshakes: webtransport.Rate{PerSecond: 1}}, {Strangers: webtransport.Rate{Burst: -1}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v did not panic", c)
				}
			}()
			webtransport.Listen("127.0.0.1:0", c)
		}()
	}
}
