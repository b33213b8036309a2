package play

import (
	"log/slog"

	"github.com/tandem-ecs/tandem/systems/netcode/host"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// open fails, since a browser cannot listen.
func (w *webFlags) open(*host.Config, string, *slog.Logger) (transport.Listener, error) {
	if w.addr == "" {
		return nil, nil
	}
	return nil, badf("-web: a browser cannot serve; run the server outside of it")
}
