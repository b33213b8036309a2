package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

// serverBodies are a server's bodies without their type parameter.
type serverBodies interface {
	// step steps all bodies together with all players, whose own steps have run.
	step(t Tick)
	// predicts reports whether clients predict bodies of the kind. near reports whether a client
	// predicts a body at a distance.
	predicts(kind uint16) bool
	near(distance float32) bool
	// share replicates the inputs of players.
	share()
	// restore completes the state of a body, of which another server has sent the component, from
	// its pose.
	restore(e arche.Entity, pose components.Pose3D)
}

type bodiesServer[S any, I comparable, B comparable] struct {
	*bodiesKind[S, I, B]
	s        *Server[S, I]
	id       arche.ID
	group    BodyGroup[S, I, B]
	entities []arche.Entity
	relayed  arche.ID
}

func (b *bodiesKind[S, I, B]) server(s *Server[S, I]) serverBodies {
	return &bodiesServer[S, I, B]{bodiesKind: b, s: s, id: arche.ComponentID[B](s.world), relayed: arche.ComponentID[Relayed](s.world)}
}

func (b *bodiesServer[S, I, B]) predicts(kind uint16) bool {
	return b.s.config.InputMode != OnArrival && b.has(kind)
}

func (b *bodiesServer[S, I, B]) near(distance float32) bool { return distance <= b.config.Near }

func (b *bodiesServer[S, I, B]) step(t Tick) {
	g, s := &b.group, b.s
	g.Players, g.Bodies, b.entities = g.Players[:0], g.Bodies[:0], b.entities[:0]
	for p := range s.all {
		g.Players = append(g.Players, Actor[S, I]{Number: p.number, State: &p.State, Input: p.Input})
	}
	prediction.SortActors(g.Players)
	// In the order of slots, as in a client's group. A new entity has no slot yet and begins with
	// the next step.
	for _, u := range s.interest.subjects {
		e := u.entity
		if !s.has(e) || !s.marked(e) || !s.world.Has(e, b.id) {
			continue
		}
		kind := s.replicated.Get(e).Archetype
		if !b.has(kind) || !s.parentOf(e).IsZero() {
			continue
		}
		g.Bodies = append(g.Bodies, Body[B]{ID: u.id, Archetype: kind, State: *(*B)(s.world.Get(e, b.id))})
		b.entities = append(b.entities, e)
	}
	players, bodies := len(g.Players), len(g.Bodies)
	b.config.Step(g, t)
	if len(g.Players) != players || len(g.Bodies) != bodies {
		panic("netcode: the Step of Bodies has added or removed members; change their states instead")
	}
	for i, e := range b.entities {
		if s.world.Has(e, b.relayed) {
			continue // others run into it, and the server that simulates it moves it
		}
		state := g.Bodies[i].State
		*(*B)(s.world.Get(e, b.id)) = state
		switch l, pose := s.transforms.Get(e), b.config.Pose(state); {
		case l.Get() == pose:
		case teleported(b.config.Teleported).between(l.Get(), pose):
			s.replication.leap(e, pose)
		default:
			l.Set(pose)
		}
	}
	clear(g.Players) // a player that leaves is not kept in memory
}

func (b *bodiesServer[S, I, B]) restore(e arche.Entity, pose components.Pose3D) {
	if b.config.Restore == nil || !b.s.marked(e) || !b.s.world.Has(e, b.id) || !b.has(b.s.replicated.Get(e).Archetype) {
		return
	}
	state := (*B)(b.s.world.Get(e, b.id))
	*state = b.config.Restore(*state, pose)
}

func (b *bodiesServer[S, I, B]) share() {
	if b.config.ProxyState == nil || b.s.config.InputMode == OnArrival {
		return
	}
	for p := range b.s.all {
		id, in := b.s.idOf(p.Entity), p.Input
		if b.config.ShareInput != nil {
			in = b.config.ShareInput(in)
		}
		if !prediction.Comparable(in) { // an input of the game's own that holds a NaN
			in = b.s.protocol.game.Rules.Neutral
		}
		if id == p.shared.id && in == p.shared.in {
			continue
		}
		if id != p.shared.id {
			b.inputs.Remove(b.s.net, p.shared.id)
		}
		b.inputs.Set(b.s.net, id, in)
		p.shared.id, p.shared.in = id, in
	}
}
