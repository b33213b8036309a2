package zones

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// accepts reports whether the zone takes an entity that another one commits: the ledger asks.
func (z *Zone[S, I]) accepts(n custody.Name, data []byte) bool {
	s, err := readState(data)
	if err != nil {
		z.config.Log.Error("zones: an entity is refused", "entity", n.String(), "error", err)
		return false
	}
	if len(s.player) == 0 {
		return true
	}
	if z.full() || !z.importable(&s) {
		z.stats.Refused++
		return false
	}
	z.accepted++
	return true
}

// full reports whether the server has no place for another player: players that are expected back
// have theirs, and so do those that were accepted and come in the next step.
func (z *Zone[S, I]) full() bool {
	n := z.accepted
	z.server.Players(func(*netcode.Player[S, I]) { n++ })
	return n >= z.maxPlayers
}

// mostAhead is how many ticks a player may be ahead of this zone. The server takes 128.
const mostAhead = 120

// importable reports whether the server can take a player now.
func (z *Zone[S, I]) importable(s *state) bool {
	return z.server.Player(s.owner) == nil && !z.server.Draining() && s.tick.Sub(z.server.Tick()) <= mostAhead
}

// isForged reports whether a message gives this zone an entity that another one than its sender
// shows. Its owner stops showing it when it hands the entity over, so an honest sender that repeats
// its message is believed a moment later.
func (z *Zone[S, I]) isForged(m custody.Message) bool {
	n, gives := m.Gives()
	x := z.entities[n]
	return gives && x != nil && !x.owned && x.from != nil && x.from.process != m.From
}

// mostEarly is how many ticks an entity waits that has come before its tick. Clocks that are
// farther apart than that are wrong, and nothing is gained by waiting.
const mostEarly = 30

// takeArrivals makes what the ledger has taken this zone's own. An entity whose zone is ahead of
// this one by a moment waits for its tick: it would be simulated twice in this one.
func (z *Zone[S, I]) takeArrivals() {
	z.early, z.accepted = append(z.early, z.ledger.Arrived()...), 0
	z.waiting = z.waiting[:0]
	tick, left := z.server.Tick(), z.early[:0]
	for _, a := range z.early {
		if !z.ledger.Owns(a.Name) {
			continue // it came and went
		}
		s, err := readState(a.State)
		if ahead := s.tick.Sub(tick); err == nil && !z.restoring && ahead >= 0 && ahead < mostEarly {
			if left = append(left, a); len(s.player) > 0 {
				z.accepted++
			}
			continue
		}
		if err == nil && len(s.player) > 0 && !z.importable(&s) {
			left = append(left, a) // it has come back to a zone that cannot take it now
			z.accepted++
			continue
		}
		if err == nil && s.body && len(s.player) == 0 {
			z.ledger.Remove(a.Name) // of a checkpoint: the player had just joined
			continue
		}
		var x *entity
		if err == nil {
			x, err = z.arrive(a.Name, &s)
		}
		if err != nil {
			z.config.Log.Error("zones: an entity is lost", "entity", a.Name.String(), "error", err)
			z.ledger.Remove(a.Name)
			continue
		}
		if s.parent != 0 && z.parentOf(x.e).IsZero() {
			z.waiting = append(z.waiting, child{x, s.parent})
		}
	}
	clear(z.early[len(left):])
	z.early = left
	for _, c := range z.waiting { // a parent may have arrived after its child
		if p := z.entityOf(c.parent); !p.IsZero() && z.alive(c.x.e) {
			z.setParent(c.x.e, p)
		}
	}
	if z.ledger.Active() {
		z.restoring = false
	}
	z.passHeld()
}

// child is an arrived entity whose parent had not arrived.
type child struct {
	x      *entity
	parent custody.Name
}

// arrive makes one entity this zone's own.
func (z *Zone[S, I]) arrive(name custody.Name, s *state) (*entity, error) {
	a := Arrival[S, I]{Name: name, Archetype: s.archetype, Owner: s.owner, Pose: s.pose}
	x := z.entities[name]
	if x == nil || !z.alive(x.e) {
		a.Entity = z.spawn(&a)
		if a.Entity.IsZero() {
			return nil, errNoEntity
		}
		x = &entity{name: name, e: a.Entity}
		z.entities[name] = x
	}
	a.Entity = x.e
	if l := get[components.Transform3D](z.world, x.e, z.ids.transform); l.Get() != s.pose {
		l.Set(s.pose)
	}
	if err := z.applyState(x.e, s); err != nil {
		z.world.RemoveEntity(x.e) // else it would stay without an owner
		z.dropGhost(name, x)
		return nil, err
	}
	x.owned, x.receipts, x.leave, x.claimed, x.offered = true, s.receipts, 0, 0, 0
	if x.from != nil {
		x.from = nil // what it still says is not heeded
	}
	take(z.world, x.e, z.ids.ghost)
	take(z.world, x.e, z.ids.relayed)
	delete(z.gone, name)
	if z.granted[name] {
		delete(z.granted, name)
		x.claimed = z.server.Tick().Add(z.ticks(claimFor))
	}
	z.measureArrival(s)
	if len(s.player) == 0 {
		if z.config.Arrived != nil {
			z.config.Arrived(&a)
		}
		return x, nil
	}
	player, err := z.server.Import(s.player, func(p *netcode.Player[S, I]) arche.Entity {
		if a.Player = p; z.config.Arrived != nil {
			p.Entity = x.e
			z.config.Arrived(&a)
		}
		return x.e
	})
	if err != nil {
		z.config.Log.Error("zones: a player is lost", "entity", name.String(), "error", err)
		return x, nil
	}
	delete(z.away, player.Number())
	delete(z.guests, player.ResumeID())
	return x, nil
}

// measureArrival counts the ticks in which no zone has simulated an entity, and those since it was
// offered.
func (z *Zone[S, I]) measureArrival(s *state) {
	if z.restoring {
		return
	}
	now := z.server.Tick()
	frozen := max(now.Sub(s.tick.Add(1)), 0)
	if len(s.player) > 0 {
		frozen = 0 // its missed ticks run at once
	}
	z.stats.Frozen.add(int(frozen))
	if s.offered != 0 {
		z.stats.Latency.add(int(max(now.Sub(s.offered), 0)))
	}
	z.stats.Arrivals++
}
