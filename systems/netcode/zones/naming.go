package zones

import (
	"encoding/binary"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

// nameEntities names the new entities of this zone, and notices those that are despawned.
func (z *Zone[S, I]) nameEntities() {
	z.fresh = z.fresh[:0]
	q := z.world.Query(&z.unnamed)
	for q.Next() {
		z.fresh = append(z.fresh, q.Entity())
	}
	for _, e := range z.fresh {
		if z.server.InFlight(e) {
			continue // it ends here, and no checkpoint could restore its flight
		}
		n := z.ledger.Create()
		z.setName(e, n)
		z.entities[n] = &entity{name: n, e: e, owned: true}
	}
	for n, x := range z.entities {
		if x.owned && !z.alive(x.e) {
			z.ledger.Remove(n)
			delete(z.entities, n)
			z.mail.Drop(n)
			if z.world.Alive(x.e) {
				take(z.world, x.e, z.ids.id) // if it is replicated again, it is another one
			}
			for to := range z.neighbors {
				z.send(to, binary.LittleEndian.AppendUint64(z.out(msgRemoved), uint64(n)))
			}
		}
	}
}

// setName gives an entity its name.
func (z *Zone[S, I]) setName(e arche.Entity, n custody.Name) {
	give[names.ID](z.world, e, z.ids.id).Name = n
}
