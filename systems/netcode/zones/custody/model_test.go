package custody

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"
)

// A model of a world: processes that fail, a network that loses, repeats and reorders, a store of
// checkpoints and leases, and a clock that all share. One seed gives one run.
const modelZones, modelEntities = 4, 12

type rules struct {
	omit     omission
	noLeases bool // a process goes on without its lease
	many     bool // faults at any time, in the place of one after the other
	pairs    bool // two crashes at a time, and a zone goes on without one whose lease is over
}

// life is a process of the model.
type life struct {
	l      *Ledger
	lease  Lease
	renew  time.Duration // when it renews next
	frozen time.Duration // until then
	states map[Name][]byte
	number uint64 // of the checkpoint that is being written
	bytes  []byte
	saves  int // checkpoints that were written since the last recovery
	watch  [modelZones]Watch
	asking *asking // the ledger's, which may go on without a zone
}

// post is a zone in the store.
type post struct {
	epoch      Epoch
	revision   uint64
	checkpoint []byte
	now        *life   // nil: down
	before     []*life // replaced, but not yet aware of it
	up         time.Duration
	watch      Watch // the supervisor's
}

// fate is what the game did with an entity. A step that is in no checkpoint yet may be undone.
type fate struct {
	made, removed step
	maybe         bool // a crash may have undone a step
}

type step struct {
	by     Process
	number uint64 // the first checkpoint that has it
	done   bool   // it is in the store
}

type world struct {
	*rand.Rand
	rules
	now   time.Duration
	zones [modelZones]*post
	net   [][]byte
	fates map[Name]*fate
	figures
}

func newWorld(seed uint64, r rules) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), rules: r, fates: map[Name]*fate{}}
	for z := range w.zones {
		w.zones[z] = &post{}
	}
	for z := range w.zones {
		w.start(z)
	}
	return w
}

// start begins a process of a zone from the store.
func (w *world) start(z int) {
	p := w.zones[z]
	p.epoch++
	p.revision++
	var others []Zone
	for o := range w.zones {
		if o != z {
			others = append(others, Zone(o))
		}
	}
	l, err := open(Process{Zone(z), p.epoch}, others, p.checkpoint, w.omit)
	if err != nil {
		panic(err)
	}
	l.Accept = func(Name, []byte) bool {
		refused := w.IntN(10) == 0
		if refused {
			w.refusals++
		}
		return !refused
	}
	p.now = &life{l: l, lease: NewLease(w.now), renew: w.now + RenewEvery, states: map[Name][]byte{}}
	for _, q := range w.zones {
		if q.now != nil {
			q.now.saves = 0 // a new fault waits until all have saved
		}
	}
	w.drain(p.now)
}

// drain does what the caller of a ledger does after each call.
func (w *world) drain(v *life) {
	for _, m := range v.l.Outbox() {
		w.net = append(w.net, m.Append(nil))
	}
	for _, e := range v.l.Arrived() {
		if binary.LittleEndian.Uint64(e.State) != uint64(e.Name) {
			panic(fmt.Sprintf("%v came with the state of another", e.Name))
		}
		v.states[e.Name] = e.State
	}
	for len(w.net) > 400 { // a full queue loses what is in it
		w.lose(w.IntN(len(w.net)))
	}
}

func (w *world) lose(i int) []byte {
	b := w.net[i]
	w.net[i] = w.net[len(w.net)-1]
	w.net = w.net[:len(w.net)-1]
	return b
}

func (w *world) awake(v *life) bool { return v != nil && w.now >= v.frozen }

// simulates reports whether a process takes steps of the game.
func (w *world) simulates(v *life) bool {
	return w.awake(v) && v.l.Active() && (w.noLeases || v.lease.Held(w.now))
}

// lives returns the processes of a zone that are awake.
func (w *world) lives(p *post) (all []*life) {
	for _, v := range append([]*life{p.now}, p.before...) {
		if w.awake(v) {
			all = append(all, v)
		}
	}
	return all
}

func (w *world) deliver(b []byte) {
	m, err := Parse(b)
	if err != nil {
		panic(err)
	}
	for _, v := range w.lives(w.zones[m.To.Zone]) {
		v.l.Receive(m)
		w.drain(v)
	}
}

// pass lets some time pass: leases, supervisors, processes that wake.
func (w *world) pass(d time.Duration) {
	w.now += d
	for z, p := range w.zones {
		var left []*life
		for _, v := range p.before {
			if w.noLeases || v.frozen > w.now || v.lease.Held(w.now) {
				left = append(left, v) // else it sees that it has no lease, and exits
			}
		}
		p.before = left
		if v := p.now; w.awake(v) {
			if !w.noLeases && !v.lease.Held(w.now) {
				w.end(p, true) // it has woken too late, and nobody took over yet: it restarts
				w.start(z)
			} else if w.now >= v.renew {
				p.revision++
				v.lease.Renewed(w.now, w.now)
				v.renew = w.now + RenewEvery
			}
		}
		p.watch.See(p.revision, w.now)
		switch {
		case p.now == nil && w.now >= p.up:
			w.start(z)
		case p.now != nil && p.watch.Over(w.now):
			w.takeOvers++
			w.end(p, false)
			w.start(z)
		}
	}
	for _, p := range w.zones {
		for _, v := range w.lives(p) {
			if v.asking != nil && v.l.Active() {
				w.leaps += len(v.asking.gone)
				v.asking = nil
			}
			for z, q := range w.zones {
				v.watch[z].See(q.revision, w.now)
				if !w.pairs || v != p.now || q == p || !v.watch[z].Over(w.now) || v.l.Active() {
					continue
				}
				v.asking = v.l.asking
				v.l.Gone(Process{Zone(z), q.epoch})
				w.drain(v)
			}
		}
	}
}

// end ends a zone's process, or leaves it behind frozen.
func (w *world) end(p *post, dead bool) {
	v := p.now
	for _, f := range w.fates {
		for _, s := range []*step{&f.made, &f.removed} {
			if s.by == v.l.self && !s.done {
				f.maybe = true
				if s == &f.removed {
					*s = step{}
				}
			}
		}
	}
	if !dead {
		p.before = append(p.before, v)
	}
	p.now = nil
}

// settled reports whether a new fault is the only one.
func (w *world) settled() bool {
	for _, p := range w.zones {
		if p.now == nil || len(p.before) > 0 || !w.awake(p.now) || !p.now.l.Active() || p.now.saves < 2 {
			return false
		}
	}
	return true
}

// save begins or ends the writing of a checkpoint.
func (w *world) save(p *post, v *life) {
	if v.bytes == nil {
		v.number, v.bytes = v.l.Checkpoint(func(n Name) []byte { return v.states[n] })
		return
	}
	if v.l.self.Epoch == p.epoch {
		// the store has a place for each epoch; only the newest is restored
		p.checkpoint = v.bytes
		for _, f := range w.fates {
			for _, s := range []*step{&f.made, &f.removed} {
				s.done = s.done || s.by == v.l.self && s.number <= v.number
			}
		}
		if w.IntN(10) > 0 { // else the answer of the store is lost
			v.l.Written(v.number)
			v.saves++
			w.drain(v)
		}
	}
	v.bytes = nil
}

// act does one thing at random.
func (w *world) act(quiet bool) {
	w.pass(time.Duration(w.IntN(100)) * time.Millisecond)
	p := w.zones[w.IntN(modelZones)]
	x := w.IntN(100)
	if x < 50 {
		if len(w.net) > 0 {
			b := w.lose(w.IntN(len(w.net)))
			if w.IntN(10) > 0 {
				w.deliver(b)
			}
			if w.IntN(20) == 0 {
				w.net = append(w.net, b) // once more, at any later time
			}
		}
		return
	}
	if x >= 98 {
		if settled := w.settled(); !quiet && (settled || w.many && w.IntN(3) == 0) {
			if w.pairs {
				w.pair()
			} else {
				w.fault(p)
			}
		}
		return
	}
	for _, v := range w.lives(p) {
		if v.l.Active() && !w.simulates(v) {
			continue
		}
		switch {
		case x < 62:
			v.l.Repeat()
		case !v.l.Active():
		case x < 78:
			w.save(p, v)
		case !quiet:
			w.play(v, x)
		}
		w.drain(v)
	}
}

// play is the game: it makes, removes and hands over.
func (w *world) play(v *life, x int) {
	owned := v.l.Owned()
	s := step{by: v.l.self, number: v.l.made + 1}
	switch {
	case x < 81:
		alive := 0
		for _, f := range w.fates {
			if f.removed == (step{}) {
				alive++
			}
		}
		if alive < modelEntities {
			n := v.l.Create()
			v.states[n] = binary.LittleEndian.AppendUint64(nil, uint64(n))
			w.fates[n] = &fate{made: s}
		}
	case len(owned) == 0:
	case x < 82:
		n := owned[w.IntN(len(owned))]
		v.l.Remove(n)
		w.fates[n].removed = s
		w.removals++
	default:
		n, to := owned[w.IntN(len(owned))], w.IntN(modelZones)
		if Zone(to) != v.l.self.Zone {
			v.l.Commit(n, Zone(to), v.states[n])
			w.handOvers++
		}
	}
}

// fault crashes a process, which comes back at once or after a while, or freezes it.
func (w *world) fault(p *post) {
	switch {
	case p.now == nil || !w.awake(p.now):
	case w.IntN(4) == 0:
		w.freezes++
		p.now.frozen = w.now + time.Duration(w.IntN(30))*time.Second
	default:
		w.crashes++
		w.end(p, true)
		if p.up = w.now; w.IntN(4) == 0 {
			p.up += time.Duration(w.IntN(60)) * time.Second
		}
	}
}

// pair crashes two processes. One comes back at once, the other one after its lease is over.
func (w *world) pair() {
	i := w.IntN(modelZones)
	j := (i + 1 + w.IntN(modelZones-1)) % modelZones
	for _, z := range []int{i, j} {
		if p := w.zones[z]; p.now != nil && w.awake(p.now) {
			w.crashes++
			w.end(p, true)
			p.up = w.now
			if z == j {
				p.up += TakeAfter + time.Duration(w.IntN(10000))*time.Millisecond
			}
		}
	}
}

// run plays a busy phase and a quiet one, and checks the end: each entity has its owner, and
// nothing is remembered that is over.
func (w *world) run(steps int) error {
	for k := range steps {
		w.act(false)
		if err := w.check(); err != nil {
			return fmt.Errorf("step %d: %w", k, err)
		}
	}
	for k := 0; ; k++ {
		w.act(true)
		if err := w.check(); err != nil {
			return fmt.Errorf("quiet step %d: %w", k, err)
		}
		if err := w.rest(); err == nil {
			return nil
		} else if k == 20000 {
			return err
		}
	}
}
