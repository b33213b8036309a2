//go:build !js

package play

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// openWebSocket listens as the flags say, and returns the join link of it. The certificate is the server's own, for -tls.
func (s *serving) openWebSocket(log *slog.Logger, token string, certificate tls.Certificate) (transport.Listener, joinlink.Link, error) {
	w := &s.webSocket
	config := websocket.Config{Path: w.path, Origins: w.origins, BehindProxy: w.before != nil, Log: log}
	config.NetworkUpgrades, config.Upgrades = s.admission()
	link := joinlink.Link{Transport: joinlink.WS, Path: w.path, Token: token}
	switch {
	case w.certificate != "":
		issued, err := openRenewed(w.certificate, w.key, log, time.Now)
		if err != nil {
			return nil, link, badf("-tls-cert %s, -tls-key %s: %w", w.certificate, w.key, err)
		}
		config.TLS = &tls.Config{GetCertificate: issued.get, MinVersion: tls.VersionTLS12}
		link.Transport = joinlink.WSS
	case w.own:
		config.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13}
		link.Transport, link.Fingerprint = joinlink.WSS, dtls.FingerprintOf(certificate)
	}
	if w.exposed() {
		log.Warn("everybody on the way can read and change what passes this WebSocket, and the token with it", "addr", w.addr, "remedy", "-tls, -tls-cert and -tls-key, or -proxy")
	}
	way, err := websocket.Listen(w.addr, config)
	if err != nil {
		return nil, link, fmt.Errorf("-websocket %s: %w", w.addr, err)
	}
	if w.before != nil {
		link = *w.before
		link.Token = token
		return way, link, nil
	}
	u, err := url.Parse(way.Addr())
	if err == nil {
		link, err = s.linkOf(u.Host, link)
	}
	if err != nil {
		way.Close(transport.Reason{Code: transport.Failed})
	}
	return way, link, err
}
