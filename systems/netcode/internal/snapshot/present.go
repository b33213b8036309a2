package snapshot

import "github.com/tandem-ecs/tandem/systems/netcode/internal/tick"

// Present calls f with each entity as if it had just been spawned, and with the tick of its state.
// It serves a reader that decodes without looking, and then shows what there is.
func (d *Decoder) Present(f func(c *Change, at tick.Tick)) {
	for slot := range d.high {
		if e := &d.entities[slot]; e.alive {
			place := d.at(slot, e.head)
			r := &d.ring[place]
			c := Change{
				ID: newID(slot, e.id.generation), Op: Spawned, Moved: true, Info: e.info(r),
				State: d.schema.quantizer.state(r, d.ages[place]), Components: r.present, present: r.present,
			}
			f(&c, d.ticks[place])
		}
	}
}
