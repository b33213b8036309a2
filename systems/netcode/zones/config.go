package zones

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/nats-io/nats.go"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// Config configures a [Zone]. NATS or Conn, World, Zone, Address, Links, Server and Spawn are
// required; for every other field a zero value means the default that its comment states.
type Config[S any, I comparable] struct {
	// NATS are the addresses of one or several servers of NATS, with commas between them, and Creds
	// is a file with credentials for them, or with the seed of an nkey.
	NATS, Creds string
	// Conn is a connection to NATS in the place of both. It stays the caller's.
	Conn *nats.Conn
	// World and Zone are names. The zone stands in the map of the world: see `zones map`.
	World, Zone string
	// Dir is a folder on a local disk that belongs to this zone on this machine. A process that
	// begins there again after a crash takes the zone at once. Without one it waits for 15 s.
	Dir string
	// Address is dialed by clients: a join link without a token, of at most 120 bytes, or what else
	// their DialAt reads.
	Address string
	// Links connect this zone with the others.
	Links Links
	// Server is the configuration of the zone's server, as for one that is alone. The zone sets
	// FirstTick, NumberTaken and, unless they are set, the numbers: 1024 for each zone.

	Server netcode.ServerConfig[S, I]
	// MakeServer makes the server and installs it on the engine that the zone will be installed on.
	// With package host, a zone has its sockets, links, bans, console and metrics:
	//
	//	MakeServer: func(c netcode.ServerConfig[S, I]) (*netcode.Server[S, I], error) {
	//		return host.NewServer(h, engine, protocol, c)
	//	},
	//
	// Nil means netcode.NewServer.
	MakeServer func(c netcode.ServerConfig[S, I]) (*netcode.Server[S, I], error)

	// Spawn makes an entity that shows what another zone owns, or that was in the checkpoint of an
	// earlier process. It needs a Transform3D. The zone adds Replicated, names.ID, and for what
	// another zone owns Ghost and netcode.Relayed. It runs between systems, so it may change the
	// world's structure. The zero entity means that this one is not shown here. One that comes to
	// stay needs an entity: without, it is lost, and the log says so.
	Spawn func(a *Arrival[S, I]) arche.Entity
	// Arrived is called when an entity has become this zone's own: handed over by another one, or
	// restored. Its components are in place. A player has its Entity, and its State may be changed
	// where it names entities by IDs. Nil: nothing.
	Arrived func(a *Arrival[S, I])
	// Departed is called when an entity now belongs to another zone. It stays here as a Ghost. The
	// player is the one that it belongs to, or nil. Nil: nothing.
	Departed func(e arche.Entity, player *netcode.Player[S, I])
	// Populate makes the first entities of a zone. It is called once in the life of a zone: not
	// after a restart, which has a checkpoint. Nil: none.
	Populate func(w *arche.World)
	// Receive gets what this zone or others have sent to an entity of this zone by [Zone.Send] and
	// [Zone.SendSaved]. It runs between systems, in FixedUpdate or NormalUpdate, and within a call
	// of Send. The bytes are valid during the call. Nil: nothing is received.
	Receive func(e arche.Entity, event []byte)

	// Band is how far beyond the border of its land a zone shows its entities to another zone, in
	// metres. It has to be as much as clients see, and the way of a player in two seconds. Zero
	// means the Radius of Server.Interest and 20 m, or 64 m without one.
	Band float32
	// Margin is how far beyond the border an entity is handed over, in metres, so that one at the
	// border does not go to and fro. Zero means 2 m.
	Margin float32

	// Now reads a clock of the process that never goes back. Nil means the time since New, which on
	// Linux stands while the machine is suspended: do not suspend machines with zones.
	Now func() time.Duration
	// Wall reads the wall clock. It is asked once, if no other zone runs. Nil means time.Now.
	Wall func() time.Time
	// Log receives what an operator has to know. Nil means slog.Default().
	Log *slog.Logger
}

// Links say how zones connect with each other. [DTLS] makes them for UDP.
type Links struct {
	// Address is dialed by other zones, in a form that their Dial reads.
	Address string
	// Pin is the fingerprint of this zone's certificate, for them.
	Pin joinlink.Fingerprint
	// Listener accepts their connections. The zone owns it.
	Listener transport.Listener
	// Dial begins a connection to another zone, whose certificate has the fingerprint.
	Dial func(address string, pin joinlink.Fingerprint) (transport.Conn, error)
}

// Arrival is an entity that appears in a zone.
type Arrival[S any, I comparable] struct {
	Name      custody.Name
	Archetype uint16
	Owner     uint16 // the number of the player that it belongs to, or 0
	Pose      components.Pose3D
	// Ghost: another zone simulates it.
	Ghost bool
	// Entity is what Spawn has returned, for Arrived.
	Entity arche.Entity
	// Player is the player that has come with it, for Arrived; nil: none.
	Player *netcode.Player[S, I]
}

// numbers is how many player numbers each zone gives.
const numbers = 1024

func (c Config[S, I]) withDefaults() (Config[S, I], error) {
	switch {
	case (c.NATS == "") == (c.Conn == nil):
		return c, errors.New("zones: set either NATS, the addresses of its servers, or Conn")
	case c.World == "" || c.Zone == "":
		return c, errors.New("zones: World and Zone need names")
	case c.Address == "":
		return c, errors.New("zones: Address is missing: clients that come from other zones dial it")
	case c.Links.Address == "" || c.Links.Listener == nil || c.Links.Dial == nil:
		return c, errors.New("zones: Links are missing: make them by zones.DTLS")
	case c.Spawn == nil:
		return c, errors.New("zones: Spawn is missing: it makes the entities that show those of other zones")
	case c.Server.FirstTick != 0 || c.Server.NumberTaken != nil:
		return c, errors.New("zones: leave Server.FirstTick and Server.NumberTaken out: the zone sets them")
	case c.Server.InputMode != netcode.OnTicks:
		return c, errors.New("zones: players move between zones that run inputs on ticks only: leave Server.InputMode out")
	}
	if c.Band == 0 {
		c.Band = 64
		if r := c.Server.Interest.Radius; r > 0 {
			c.Band = r + 20
		}
	}
	c.Margin = cmp.Or(c.Margin, 2)
	if !(c.Band > 0) || !(c.Margin > 0) || c.Margin > c.Band {
		return c, fmt.Errorf("zones: a Band of %v m and a Margin of %v m; both must be positive, and the Margin the smaller one", c.Band, c.Margin)
	}
	if c.Now == nil {
		start := time.Now()
		c.Now = func() time.Duration { return time.Since(start) }
	}
	if c.Wall == nil {
		c.Wall = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.Log = c.Log.With("zone", c.Zone)
	return c, nil
}

// ground returns the place of a position on the map.
func ground(p mgl32.Vec3) (x, z float32) { return p[0], p[2] }
