package play

import (
	"crypto/tls"
	"errors"
	"log/slog"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// openWebSocket says that browsers do not listen.
func (s *serving) openWebSocket(*slog.Logger, string, tls.Certificate) (transport.Listener, joinlink.Link, error) {
	return nil, joinlink.Link{}, errors.New("-websocket: a browser cannot serve; run the server outside of it")
}
