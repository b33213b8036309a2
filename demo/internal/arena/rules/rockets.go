package rules

import (
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// rockets are the rockets in flight. The netcode makes their entities and moves them.
type rockets struct {
	filter *generic.Filter2[netcode.Replicated, arena.Rocket]
	parts  generic.Map2[netcode.Replicated, arena.Rocket]
	born   map[arche.Entity]netcode.Tick
	flying []arche.Entity // scratch
}

func newRockets(w *arche.World) rockets {
	return rockets{
		filter: generic.NewFilter2[netcode.Replicated, arena.Rocket](),
		parts:  generic.NewMap2[netcode.Replicated, arena.Rocket](w),
		born:   map[arche.Entity]netcode.Tick{},
	}
}

// stepRockets tests the rockets' ways of this step by the views of their players, ends those that
// meet something, and blasts where a flight ends.
func (m *Match) stepRockets(w *arche.World) {
	f := &m.rockets
	f.flying = f.flying[:0]
	for query := f.filter.Query(w); query.Next(); {
		f.flying = append(f.flying, query.Entity())
	}
	for e := range f.born {
		if !w.Alive(e) {
			delete(f.born, e)
		}
	}
	now := m.server.Tick()
	for _, e := range f.flying {
		replicated, rocket := f.parts.Get(e)
		born, known := f.born[e]
		if !known {
			f.born[e], born = now, now
		}
		m.stepRocket(m.server.Player(replicated.Owner), replicated.Owner, rocket, float32(now.Sub(born)), now)
	}
}

// stepRocket steps a rocket of the player of a number, who may have left, or be in another zone by
// now: p is nil then.
func (m *Match) stepRocket(p *Player, by uint16, rocket *arena.Rocket, age float32, now netcode.Tick) {
	if age > rocket.Life {
		return // it has ended, and the netcode despawns it
	}
	// A door may move into its way, or out of it.
	if life := m.rules.RocketLife(*rocket, age, now); life < rocket.Life-0.1 || life > rocket.Life+0.1 {
		rocket.Life = life
	}
	shot, speed := rocket.Shot(), m.rules.RocketStep()
	shot.From = shot.At(age * speed)
	reach := min(rocket.Life-age, 1) * speed
	met := m.trace(p, shot, arena.RocketRadius, reach)
	if !met.body.IsZero() {
		rocket.Life = age + met.at/speed
	} else if rocket.Life > age+1 {
		return
	}
	m.throw(shot.At(met.at), arena.BlastRadius, by, met.number)
	if met.number != 0 {
		m.hit(by, met, shot.Direction, arena.RocketDamage)
	}
	if p == nil {
		return
	}
	if m.config.Rocket != nil {
		m.config.Rocket(p, met.number != 0)
	}
	m.result(p, arena.RocketEnded, rocket.N, met, shot)
}
