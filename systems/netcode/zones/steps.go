package zones

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

// mayStep is the engine's gate: a step runs only while the lease holds.
func (z *Zone[S, I]) mayStep() bool {
	if z.err != nil || z.closed {
		return false
	}
	if !z.frozen && !z.lease.Held(z.config.Now()) {
		z.frozen = true
		z.config.Log.Error("zones: the lease is over: the zone simulates no more", "since", z.config.Now()-z.leaseAt)
	}
	return !z.frozen
}

// clocks returns the reading of the own clock, and the time of the common ticks at that moment.
func (z *Zone[S, I]) clocks() (now, world time.Duration) {
	now = z.config.Now()
	t := z.engine.Time()
	if z.frame != t.Frame+1 { // the first call in this frame
		z.frame, z.frameAt = t.Frame+1, now
	}
	return now, t.Normal + now - z.frameAt
}

// beginStep takes what has arrived, before the server steps the players.
func (z *Zone[S, I]) beginStep() {
	now, _ := z.clocks()
	z.stepAt = now
	z.links.Poll(now)
	z.takeArrivals()
	if z.populate && z.ledger.Active() {
		if z.populate = false; z.config.Populate != nil {
			z.config.Populate(z.world)
		}
	}
	z.sendCustody()
}

// beforeSend names new entities and sets the ages of ghosts, before the server replicates them.
func (z *Zone[S, I]) beforeSend() {
	if z.ledger.Active() {
		z.nameEntities()
	}
	z.ageGhosts()
}

// repeatEvery is how many ticks pass until the ledger repeats what has not been answered.
const repeatEvery = 6

// endStep hands over, shows, saves and sends, after the server has replicated the step.
func (z *Zone[S, I]) endStep() {
	if z.frozen || z.err != nil || !z.lease.Held(z.config.Now()) {
		return // the process was stopped in the middle of the step
	}
	tick := z.server.Tick()
	if z.ledger.Active() {
		z.noteAttachments()
		z.visitPlayers()
		z.crossBorders()
		z.grantClaims()
		z.showEntities()
		z.lookAround()
		z.sendLetters()
		if int(tick)%z.protocol.TickRate() == 0 {
			z.forgetVisits()
			z.sendFreed()
		}
		z.save()
	}
	if tick.Sub(z.repeatAt) >= repeatEvery {
		z.repeatAt = tick
		z.ledger.Repeat()
		z.forgetGone()
	}
	z.sendCustody()
	now, world := z.clocks()
	z.links.Flush(now, world)
	z.measureLoad(now)
}

// forgetGone forgets where entities have gone that are long gone.
func (z *Zone[S, I]) forgetGone() {
	for n, t := range z.gone {
		if z.server.Tick().Sub(t.until) > 0 {
			delete(z.gone, n)
		}
	}
}

// measureLoad notes the share of a tick that the steps take.
func (z *Zone[S, I]) measureLoad(now time.Duration) {
	share := float32(now-z.stepAt) / float32(z.engine.Time().FixedDelta)
	z.stats.Load += (share - z.stats.Load) / 64
}

// endFrame renews the lease, takes what the store has to say, and follows the common clock.
func (z *Zone[S, I]) endFrame() {
	if z.closed || z.err != nil {
		return
	}
	now, world := z.clocks()
	if !z.frozen { // what comes later has no place in the last checkpoint
		z.links.Poll(now)
	}
	z.hold.Poll(z.event)
	if now-z.renewed >= custody.RenewEvery {
		z.renewed = now
		z.hold.SetRecord(func(r *store.Record) {
			r.Active, r.Draining, r.Load, r.Entities = z.Active(), z.draining, z.stats.Load, len(z.ledger.Owned())
		})
		z.hold.Renew(now)
	}
	z.steer(now, world)
}

// steer follows the clock of the zone of the least number.
func (z *Zone[S, I]) steer(now, world time.Duration) {
	least := z.self.Zone
	for n := range z.neighbors {
		least = min(least, n)
	}
	if least == z.self.Zone {
		z.server.Steer(0)
		z.clockError = 0
		return
	}
	if ahead, ok := z.links.Ahead(least, now, world); ok {
		z.clockError = ahead
		z.server.Steer(ahead)
	}
}

// event takes what has happened in the store.
func (z *Zone[S, I]) event(e store.Event) {
	switch e := e.(type) {
	case store.Renewed:
		now := z.config.Now()
		z.leaseAt = max(z.leaseAt, e.Start)
		z.lease.Renewed(e.Start, now)
		switch {
		case !z.frozen || z.final:
		case !z.ledger.Active(): // it has not begun: there is nothing to save
			z.end(ErrFrozen)
		default:
			// The record is still this process's: no other one has gone on.
			z.final = z.saveNow()
		}
	case store.Lost:
		z.config.Log.Error("zones: the zone belongs to another process", "error", e.Err)
		z.frozen = true
		z.end(ErrFenced)
	case store.Saved:
		z.saved(e.Number)
		if z.final && e.Number == z.saves {
			z.end(ErrFrozen)
		}
	case store.Failed:
		z.stats.StoreErrors++
		z.config.Log.Warn("zones: an error of NATS", "what", string(e.Op), "error", e.Err)
	case store.Records:
		z.noteRecords(e.All)
	case store.Current:
		z.giveUp(e.Start)
	case store.MapChanged:
		z.land, z.me = e.Map, e.Map.ByName(z.config.Zone)
		z.findNear()
	case store.Asked:
		e.Answer(z.ledger.Active() && z.hasPlayer(e.ID))
	case store.Answered:
		z.answer(e)
	case store.TickAsked:
		_, world := z.clocks()
		e.Answer(world)
	case store.DrainAsked:
		z.draining = true
		e.Answer()
	}
}
