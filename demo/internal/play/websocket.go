package play

import (
	"errors"
	"log/slog"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

func (s *serving) openWebSocket(log *slog.Logger, token string) (transport.Listener, joinlink.Link, error) {
	return nil, joinlink.Link{}, errors.New("WebSocket is not part of this build; use -listen and tandem:// links")
}
func dialWebSocket(link joinlink.Link) (func() (transport.Conn, error), error) {
	return nil, errors.New("WebSocket is not part of this build; use -listen and tandem:// links")
}
