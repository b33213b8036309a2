package custody

import (
	"errors"
	"fmt"
)

// check is the invariant of each step: no entity has two owners that simulate, and none that was
// removed has one, unless a zone goes on without the one that removed it.
func (w *world) check() error {
	owner := map[Name]*life{}
	for _, p := range w.zones {
		for _, v := range w.lives(p) {
			if !w.simulates(v) {
				continue
			}
			for n := range v.l.owned {
				if o := owner[n]; o != nil {
					return fmt.Errorf("%v: %w: %v and %v", n, errTwice, o.l.self, v.l.self)
				}
				if f := w.fates[n]; f == nil || f.removed.done && !w.pairs {
					return fmt.Errorf("%v: %w at %v", n, errRemoved, v.l.self)
				}
				if v.states[n] == nil {
					return fmt.Errorf("%v: %w: %v has no state of it", n, errLost, v.l.self)
				}
				owner[n] = v
			}
		}
	}
	return nil
}

// rest returns what a world at rest must not have.
func (w *world) rest() error {
	owners := map[Name]int{}
	for z, p := range w.zones {
		if p.now == nil || !w.simulates(p.now) {
			return fmt.Errorf("%w: zone %d does not come back", errRest, z)
		}
		l := p.now.l
		for n := range l.owned {
			owners[n]++
		}
		if n := len(l.copies) + len(l.receipts) + len(l.heard) + len(l.marks) + len(l.coming); n > 0 {
			return fmt.Errorf("%w: zone %d remembers %d copies, %d receipts, %d heard, %d marks",
				errRest, z, len(l.copies), len(l.receipts), len(l.heard), len(l.marks))
		}
	}
	for n, f := range w.fates {
		if owners[n] == 0 && !f.maybe && f.removed == (step{}) && !w.many && !w.pairs {
			return fmt.Errorf("%v: %w", n, errLost)
		}
	}
	return nil
}

// figures count what a run has done.
type figures struct{ handOvers, crashes, freezes, takeOvers, removals, refusals, leaps int }

func (f *figures) add(g figures) {
	f.handOvers += g.handOvers
	f.crashes += g.crashes
	f.freezes += g.freezes
	f.takeOvers += g.takeOvers
	f.removals += g.removals
	f.refusals += g.refusals
	f.leaps += g.leaps
}

func (f figures) String() string {
	return fmt.Sprintf("%d hand-overs, %d refused, %d crashes, %d freezes, %d zones taken over, %d removals, %d leaps",
		f.handOvers, f.refusals, f.crashes, f.freezes, f.takeOvers, f.removals, f.leaps)
}

// The checker's findings.
var (
	errTwice   = errors.New("two owners")
	errLost    = errors.New("lost")
	errRemoved = errors.New("removed, and back")
	errRest    = errors.New("not at rest")
)
