//go:build !js

package websocket

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"

	"github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/pin"
)

// sendBuffer is how many bytes the kernel keeps for a slow reader. More would be old by the time
// they arrive, and would hide from Stats.SendQueued that the reader is slow.
const sendBuffer = 32 << 10

// wsaConnectionRefused is what Windows reports for a closed port: its syscall.ECONNREFUSED is a
// number that no call returns. No other system has an error of this number.
const wsaConnectionRefused = syscall.Errno(10061)

// connect connects, and carries the connection until it ends.
func connect(ctx context.Context, address string, c Config, w *mailbox.Worker) {
	options, release := dialOptions(c)
	defer release()
	ws, response, err := websocket.Dial(ctx, address, options)
	if err != nil {
		c.Log.Debug("websocket: cannot connect", "server", address, "error", err)
		w.End(dialReason(ctx, response, err))
		return
	}
	w.Open()
	carry(ws, w, func(int) bool { return true }) // a server may send any messages
}

// dialOptions returns the library's options, with an HTTP client of its own: the program's default
// one may have proxies, cookies and time-outs that are meant for something else.
func dialOptions(c Config) (options *websocket.DialOptions, release func()) {
	security := c.TLS.Clone()
	if !c.Fingerprint.IsZero() {
		security = pin.Config(security, c.Fingerprint)
	}
	way := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: security, TLSHandshakeTimeout: c.DialTimeout,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, addr)
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetWriteBuffer(sendBuffer)
			}
			return conn, err
		},
	}
	client := &http.Client{Transport: way, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &websocket.DialOptions{HTTPClient: client, HTTPHeader: c.Header.Clone()}, way.CloseIdleConnections
}

// dialReason returns why there is no connection, in words for the player.
func dialReason(ctx context.Context, response *http.Response, err error) transport.Reason {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	status := 0
	if response != nil {
		status = response.StatusCode
	}
	switch {
	case status == http.StatusUnauthorized:
		return transport.Reason{Code: transport.Unauthorized, Text: "the server did not take the token: ask for a new link"}
	case status == http.StatusForbidden:
		return transport.Reason{Code: transport.Refused, Text: "the server does not take connections from this page's site"}
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || status == http.StatusBadGateway:
		return transport.Reason{Code: transport.Refused, Text: "the server is busy, full, or about to start: try again later"}
	case status != 0:
		return transport.Reason{Code: transport.Failed, Text: "no game server answers at that address, but something else: ask for a new link"}
	case errors.Is(err, pin.ErrOther):
		return transport.Reason{Code: transport.Unauthorized, Text: "this is not the server that made the join link: ask for a new link"}
	case errors.As(err, &certificate):
		return transport.Reason{Code: transport.Unauthorized, Text: "no authority vouches for the server's certificate: ask for a link with its fingerprint"}
	case errors.As(err, &dns):
		return transport.Reason{Code: transport.Failed, Text: "there is no such address: check the join link and this computer's network"}
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, wsaConnectionRefused):
		return transport.Reason{Code: transport.Failed, Text: "nothing listens at that address and port: start the server, or ask for a new link"}
	case ctx.Err() != nil:
		return transport.Reason{Code: transport.TimedOut, Text: "no answer: is the server running, and does every firewall on the way let it pass?"}
	}
	return transport.Reason{Code: transport.Failed, Text: "cannot connect: check the join link, whether the server runs, and this computer's network"}
}
