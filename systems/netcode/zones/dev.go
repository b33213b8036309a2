package zones

import (
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/devnats"
)

// Dev starts a server of NATS in this process, for development and tests: it listens on a free port
// of 127.0.0.1, without credentials, and writes each change to the disk before it acknowledges it.
// Its files lie in dir, or for "" in a temporary folder that stop deletes. url is for Config.NATS.
// stop ends the server.
//
// A world in production has three servers of NATS on machines of their own. The settings that it
// needs there are on the page about zones.
func Dev(dir string) (url string, stop func(), err error) {
	remove := func() {}
	if dir == "" {
		if dir, remove, err = devnats.Temporary(); err != nil {
			return "", nil, fmt.Errorf("zones: a folder for NATS: %w", err)
		}
	}
	s, err := devnats.Start(dir)
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("zones: NATS: %w", err)
	}
	return s.URL(), func() { s.Stop(); remove() }, nil
}
