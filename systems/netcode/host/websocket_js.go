package host

import (
	"crypto/tls"
	"log/slog"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// listenWebSocket fails, since a browser cannot listen.
func (s *settings) listenWebSocket(*slog.Logger, string, tls.Certificate) (transport.Listener, joinlink.Link, error) {
	return nil, joinlink.Link{}, invalid("WebSocket.Addr", "", "a browser cannot serve; run the server outside of it")
}
