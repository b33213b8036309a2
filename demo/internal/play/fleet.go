package play

import (
	"encoding/hex"
	"log/slog"
	"os"

	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/systems/netcode/agones"
)

// joinFleet makes the server one of a fleet. It returns a function that leaves the fleet.
func (v *server) joinFleet(log *slog.Logger) (leave func()) {
	c := agones.Config{Log: log}
	if os.Getenv("AGONES_SDK_HTTP_PORT") == "" {
		c.Addr = agones.DefaultAddr
	}
	c.Watch = func(g agones.GameServer) {
		log.Info("fleet", "server", g.Name, "state", g.State, "addr", g.Address, "ports", g.Ports)
	}
	v.fleet = agones.Start(c)
	v.match.Engine().Install(v.fleet)
	v.fleet.Ready()
	return func() {
		v.fleet.Shutdown()
		v.fleet.Close()
	}
}

// joined notes a player in the fleet's list. A server with players must not be stopped.
func (v *server) joined(p *rules.Player) {
	if v.fleet != nil {
		v.fleet.Allocate()
		v.fleet.Joined(fleetKey(p))
	}
}

func (v *server) left(p *rules.Player) {
	if v.fleet != nil {
		v.fleet.Left(fleetKey(p))
	}
}

// fleetKey names a player to the fleet. To know it is not enough to join.
func fleetKey(p *rules.Player) string {
	id := p.ResumeID()
	return hex.EncodeToString(id[:8])
}
