//go:build !js

package host

import (
	"crypto/tls"
	"log/slog"
	"net/url"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/host/internal/certreload"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// listenWebSocket opens the WebSocket listener, and returns its join link. The certificate is the
// server's own.
func (s *settings) listenWebSocket(log *slog.Logger, token string, certificate tls.Certificate) (transport.Listener, joinlink.Link, error) {
	w := &s.WebSocket
	config := websocket.Config{Path: w.Path, Prefix: s.prefix, Page: w.Page, Origins: s.origins(), BehindProxy: s.proxy != nil, Log: log}
	config.NetworkUpgrades, config.Upgrades = s.handshakes()
	link := joinlink.Link{Transport: joinlink.WS, Path: w.Path, Token: token}
	switch {
	case w.CertFile != "":
		issued, err := certreload.Open(w.CertFile, w.KeyFile, log, time.Now)
		if err != nil {
			return nil, link, invalid("WebSocket.CertFile", w.CertFile, "%w", err)
		}
		config.TLS = &tls.Config{GetCertificate: issued.Get, MinVersion: tls.VersionTLS12}
		link.Transport = joinlink.WSS
	case w.SelfSigned:
		config.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13}
		link.Transport, link.Fingerprint = joinlink.WSS, dtls.FingerprintOf(certificate)
	case w.TLS != nil:
		config.TLS, link.Transport = w.TLS, joinlink.WSS
	}
	if s.inTheClear() {
		log.Warn("everybody on the way can read and change the traffic of this WebSocket, and the token with it", "addr", w.Addr, "remedy", "a certificate, or a proxy that does TLS")
	}
	if s.proxy != nil && !onlyHere(w.Addr) {
		log.Warn("clients that reach this WebSocket past the proxy are believed whichever address they write into X-Forwarded-For or Forwarded", "addr", w.Addr, "remedy", "listen on 127.0.0.1, or a firewall")
	}
	l, err := websocket.Listen(w.Addr, config)
	if err != nil {
		return nil, link, invalid("WebSocket.Addr", w.Addr, "%w", err)
	}
	if s.proxy != nil {
		link = *s.proxy
		link.Token = token
		return l, link, nil
	}
	u, err := url.Parse(l.Addr())
	if err == nil {
		link, err = s.linkTo(u.Host, link)
	}
	if err != nil {
		l.Close(transport.Reason{Code: transport.Failed})
	}
	return l, link, err
}
