package host

import (
	"context"
	"crypto/tls"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
)

// listen opens the listeners of the configuration, and makes their links.
func (h *Host) listen() error {
	s := &h.settings
	var certificate tls.Certificate
	if s.Listen != "" || s.WebSocket.SelfSigned {
		var err error
		if certificate, err = s.certificate(); err != nil {
			return err
		}
	}
	s.warn(h.log)
	if s.Listen != "" {
		network, all := s.handshakes()
		l, err := dtls.Listen(s.Listen, dtls.Config{Certificate: certificate, Log: h.log, NetworkHandshakes: network, Handshakes: all})
		if err != nil {
			return invalid("Listen", s.Listen, "%w", err)
		}
		h.listeners = append(h.listeners, l)
		link, err := s.linkTo(l.Addr(), l.Link("", h.token))
		if err != nil {
			return err
		}
		h.links = append(h.links, link)
	}
	if s.WebSocket.Addr != "" {
		l, link, err := s.listenWebSocket(h.log, h.token, certificate)
		if err != nil {
			return err
		}
		h.listeners = append(h.listeners, l)
		h.links = append(h.links, link)
	}
	return nil
}

// handshakes returns how many handshakes per second are accepted from one network, and from all
// together. Zero values mean the transports' defaults.
func (s *settings) handshakes() (network, all dtls.Rate) {
	if s.JoinRate == 0 {
		return network, all
	}
	return dtls.Rate{PerSecond: s.JoinRate, Burst: max(4, 32*s.JoinRate/10)}, dtls.Rate{PerSecond: max(100, s.JoinRate), Burst: max(200, 4*s.JoinRate)}
}

// goodbye is how long Close waits for the last datagrams of its connections to leave, after the
// server has waited for them for half a second.
const goodbye = 1500 * time.Millisecond

// closeListeners closes all listeners with the reason. It waits until the reason has been sent, but
// not for clients that do not answer.
func (h *Host) closeListeners(reason transport.Reason) {
	for _, l := range h.listeners {
		l.Close(reason)
	}
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	for _, l := range h.listeners {
		if l, ok := l.(interface{ Done() <-chan struct{} }); ok {
			select {
			case <-l.Done():
			case <-ctx.Done():
			}
		}
	}
}

// listenerStats returns the sum of all listeners' counters.
func (h *Host) listenerStats() transport.ListenerStats {
	if len(h.listeners) == 0 {
		return transport.ListenerStats{}
	}
	return transport.Merge(h.listeners...).Stats()
}

// Addr returns the addresses of all listeners, separated by commas, for logs.
func (h *Host) Addr() string {
	if len(h.listeners) == 0 {
		return ""
	}
	return transport.Merge(h.listeners...).Addr()
}
