package snapshot

import "github.com/tandem-ecs/tandem/systems/netcode/tick"

// SentTick returns the tick of the last packet with the entity.
func (e *Encoder) SentTick(id ID) (tick.Tick, bool) {
	t := &e.tracks[id.Slot()]
	return t.since, t.sentNum > 0
}
