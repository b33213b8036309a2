//go:build !js

package webtransport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/pin"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// dial connects, and carries the connection until it ends.
func dial(ctx context.Context, u *url.URL, c Config, w *mailbox.Worker) {
	pins := c.Pins
	if pins == nil && u.Scheme == "http" && !c.Fingerprint.IsZero() {
		w.End(transport.Reason{Code: transport.Unauthorized, Text: "without https nothing proves the server's fingerprint: ask for an https link"})
		return
	}
	if pins == nil {
		var err error
		if pins, err = fetch(ctx, u, c); err != nil {
			c.Log.Debug("webtransport: no certificates", "server", u.Host, "error", err)
			w.End(fetchReason(ctx, err))
			return
		}
	}
	socket, err := net.ListenUDP("udp", nil)
	if err != nil {
		w.End(transport.Reason{Code: transport.Failed, Text: "this computer has no UDP: check its network"})
		return
	}
	defer socket.Close()
	way := &quic.Transport{Conn: &guarded{socket, func(net.Addr, int) bool { return true }}}
	defer way.Close()
	out := newSent()
	conn, session, status, err := connect(ctx, way, u, pins, settings(c.DialTimeout, func(context.Context) *sent { return out }))
	if err != nil {
		c.Log.Debug("webtransport: cannot connect", "server", u.Host, "error", err)
		w.End(dialReason(ctx, status, err))
		return
	}
	w.Open()
	carry(conn, session, w, out, side{
		arrived: func() {}, misused: func() {}, // a server may send anything
		stream: func(stream *webtransport.ReceiveStream) { readReason(stream, w) },
		tell:   func(*webtransport.Session, transport.Reason) {},
	})
}

// fetch reads the fingerprints of the server's certificates.
func fetch(ctx context.Context, u *url.URL, c Config) ([]joinlink.Fingerprint, error) {
	security := c.TLS.Clone()
	if !c.Fingerprint.IsZero() {
		security = pin.Config(security, c.Fingerprint)
	}
	way := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: security, TLSHandshakeTimeout: c.DialTimeout, DisableKeepAlives: true}
	defer way.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: way, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errPins
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	return parsePins(string(text))
}

// connect makes the QUIC connection and its session. status is that of the server's answer.
func connect(ctx context.Context, way *quic.Transport, u *url.URL, pins []joinlink.Fingerprint, c *quic.Config) (conn *quic.Conn, s *webtransport.Session, status int, err error) {
	to, err := resolve(ctx, u)
	if err != nil {
		return nil, nil, 0, err
	}
	security := pin.Config(&tls.Config{NextProtos: []string{http3.NextProtoH3}, ServerName: u.Hostname(), MinVersion: tls.VersionTLS13}, pins...)
	conn, err = way.Dial(ctx, to, security, c)
	if err != nil {
		return nil, nil, 0, err
	}
	dialer := new(webtransport.Transport)
	client, err := dialer.NewClientConn(conn)
	if err == nil {
		var response *http.Response
		target := &url.URL{Scheme: "https", Host: u.Host, Path: u.Path}
		response, s, err = client.Dial(ctx, target.String(), nil)
		if response != nil {
			status = response.StatusCode
		}
	}
	if err != nil {
		_ = conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
	}
	return conn, s, status, err
}

// resolve returns the UDP address of a URL.
func resolve(ctx context.Context, u *url.URL) (*net.UDPAddr, error) {
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err != nil {
		return nil, err
	}
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil, err
	}
	return net.UDPAddrFromAddrPort(netip.AddrPortFrom(all[0].Unmap(), uint16(port))), nil
}

// fetchReason returns why the certificates could not be read, in words for the player.
func fetchReason(ctx context.Context, err error) transport.Reason {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, pin.ErrOther):
		return transport.Reason{Code: transport.Unauthorized, Text: "this is not the server that made the join link: ask for a new link"}
	case errors.As(err, &certificate):
		return transport.Reason{Code: transport.Unauthorized, Text: "no authority vouches for the server's certificate: ask for a link with its fingerprint"}
	case errors.As(err, &dns):
		return transport.Reason{Code: transport.Failed, Text: "there is no such address: check the join link and this computer's network"}
	case errors.Is(err, errPins):
		return transport.Reason{Code: transport.Failed, Text: "this server has no WebTransport: use WebSocket"}
	case ctx.Err() != nil:
		return transport.Reason{Code: transport.TimedOut, Text: "no answer: is the server running, and does every firewall on the way let it pass?"}
	}
	return transport.Reason{Code: transport.Failed, Text: "cannot connect: check the join link, whether the server runs, and this computer's network"}
}

// dialReason returns why there is no connection, in words for the player.
func dialReason(ctx context.Context, status int, err error) transport.Reason {
	var refused *quic.TransportError
	var silent interface{ Timeout() bool } // of the library, which ends at the same time
	var dns *net.DNSError
	switch {
	case status == http.StatusForbidden:
		return transport.Reason{Code: transport.Refused, Text: "the server does not take connections from this page's site"}
	case status != 0:
		return transport.Reason{Code: transport.Failed, Text: "no game server answers at that address, but something else: ask for a new link"}
	case errors.Is(err, pin.ErrOther):
		return transport.Reason{Code: transport.Unauthorized, Text: "this is not the server whose certificates were read: try again, or ask for a new link"}
	case errors.As(err, &refused) && refused.ErrorCode == quic.ConnectionRefused:
		return transport.Reason{Code: transport.Refused, Text: "the server is busy or full: try again later"}
	case errors.As(err, &dns):
		return transport.Reason{Code: transport.Failed, Text: "there is no such address: check the join link and this computer's network"}
	case ctx.Err() != nil, errors.As(err, &silent) && silent.Timeout():
		return transport.Reason{Code: transport.TimedOut, Text: "no answer: is the server running, and does every firewall on the way let UDP pass?"}
	}
	return transport.Reason{Code: transport.Failed, Text: fmt.Sprintf("cannot connect by WebTransport: %v", err)}
}
