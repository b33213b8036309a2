package netcode

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// ReplicateName gives the replicated entities names that are the same on all servers of a world. A
// client that moves from one server to another ([Player.Move]) keeps the entity, the way and the
// picture of each replica that both servers show by the same name and archetype. Without names it
// keeps its own body only. A name is sent with the spawn, in 8 bytes, and does not change. Zero
// means that the entity has none.
//
// The function is called by servers, with each entity when it is replicated first. Call
// ReplicateName once, on both ends, in the same order as ReplicateComponent. It panics when the
// protocol is in use already, and for a second call.
func ReplicateName[S any, I comparable](p *Protocol[S, I], name func(w *arche.World, e arche.Entity) uint64) {
	if p.names != nil {
		panic("netcode: a second ReplicateName; an entity has one name")
	}
	handle := snapshot.Register[uint64](p.schema, "tandem's name", nameCodec{})
	p.names = func(d *snapshot.Decoder, id EntityID) uint64 {
		n, _ := handle.Get(d, id)
		return n
	}
	p.components = append(p.components, nameKind{handle, name})
}

// nameOf returns the name of an entity that a decoder has, zero if it has none.
func (p *Protocol[S, I]) nameOf(d *snapshot.Decoder, id EntityID) uint64 {
	if p.names == nil {
		return 0
	}
	return p.names(d, id)
}

// nameCodec packs a name.
type nameCodec struct{}

func (nameCodec) Quantize(n uint64) uint64                     { return n }
func (nameCodec) Encode(w *packet.Writer, n uint64, _ *uint64) { w.Bits(n, 64) }
func (nameCodec) Decode(r *packet.Reader, _ *uint64) uint64    { return r.Bits(64) }

// nameKind is the name as a replicated component. It has no value in the worlds of clients.
type nameKind struct {
	handle snapshot.Component[uint64]
	name   func(w *arche.World, e arche.Entity) uint64
}

func (k nameKind) bind(w *arche.World) boundComponent { return &boundName{nameKind: k, world: w} }

type boundName struct {
	nameKind
	world *arche.World
	named []EntityID // by slot: the entity whose name has been set
}

func (b *boundName) send(e arche.Entity, to *snapshot.World, id EntityID) {
	for len(b.named) <= id.Slot() {
		b.named = append(b.named, NoEntity)
	}
	if b.named[id.Slot()] == id {
		return
	}
	b.named[id.Slot()] = id
	if n := b.name(b.world, e); n != 0 {
		b.handle.Set(to, id, n)
	}
}

func (b *boundName) changedIn(*snapshot.Change) bool                 { return false }
func (b *boundName) immediate() bool                                 { return true }
func (b *boundName) store(*snapshot.Decoder, *snapshot.Change) int32 { return absent }
func (b *boundName) storeNewest(*snapshot.Decoder, EntityID) int32   { return absent }
func (b *boundName) write(*Writer, arche.Entity)                     {}
func (b *boundName) read(*Reader) int32                              { return absent }
func (b *boundName) release(int32, arche.Entity)                     {}
