package zones

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

// makeServer makes the zone's server, which begins at the tick of the world.
func (z *Zone[S, I]) makeServer(ctx context.Context, st *store.Store) error {
	c := z.config.Server
	if c.FirstNumber == 0 && c.LastNumber == 0 {
		first := int(z.self.Zone)*numbers + 1
		if first+numbers > 1<<16 {
			return fmt.Errorf("zones: zone %d has no numbers for players: set Server.FirstNumber and LastNumber for each zone", z.self.Zone)
		}
		c.FirstNumber, c.LastNumber = uint16(first), uint16(first+numbers-1)
	}
	z.config.Server.FirstNumber, z.config.Server.LastNumber = c.FirstNumber, c.LastNumber
	c.NumberTaken = func(number uint16) bool { return z.away[number] }
	authenticate, left, further := c.Authenticate, c.Left, c.Elsewhere
	c.Authenticate = func(r netcode.JoinRequest) error {
		if !r.Resumes && (z.draining || !z.ledger.Active() || z.full()) {
			return errNotNow{}
		}
		if authenticate != nil {
			return authenticate(r)
		}
		return nil
	}
	c.Left = func(p *netcode.Player[S, I], why netcode.Reason) {
		z.left(p)
		if left != nil {
			left(p, why)
		}
	}
	c.Elsewhere = func(r netcode.JoinRequest) (string, bool) {
		if at, asking := z.elsewhere(r); at != "" || asking || further == nil {
			return at, asking
		}
		return further(r)
	}
	// Players that have been accepted must find a place, also beside newcomers of the same moment.
	z.maxPlayers = cmp.Or(c.MaxPlayers, 64)
	c.MaxPlayers = min(z.maxPlayers+mostHandOvers, 4096, max(int(c.LastNumber)-int(c.FirstNumber)+1, z.maxPlayers))
	// The other zone answers in its next step, so most of the round trip lies before the answer.
	world, _, _, err := st.AskTick(ctx)
	if errors.Is(err, store.ErrNoZone) {
		now := z.config.Wall()
		origin, err := st.Origin(ctx, now)
		if err != nil {
			return err
		}
		world = now.Sub(origin)
	} else if err != nil {
		return err
	}
	// The first step begins at the next edge.
	rate := uint64(z.protocol.TickRate())
	hi, lo := bits.Mul64(uint64(max(world, 0)), rate)
	tick, _ := bits.Div64(hi, lo, uint64(time.Second))
	if tick >= 1<<31-1 {
		return fmt.Errorf("zones: world %s has run for %v, and its ticks are used up: end all of its zones, and delete the key origin in the bucket tandem_world_%s",
			z.config.World, world.Round(time.Hour), z.config.World)
	}
	c.FirstTick = netcode.Tick(tick + 1)
	if z.config.MakeServer != nil {
		z.server, err = z.config.MakeServer(c)
	} else {
		z.server, err = netcode.NewServer(z.protocol, c)
	}
	return err
}

// errNotNow refuses newcomers for a moment: their clients try again.
type errNotNow struct{}

func (errNotNow) Error() string   { return "the zone takes no newcomers now" }
func (errNotNow) Temporary() bool { return true }
