package netcode

import (
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// A client launches the own player's shots itself: Shots.Fire runs after each step of the
// predictor, in replays too. So a replay adds the shots that it fires, and refuses those that it
// does not fire any more. The steps before the newest own state of the server are closed: their
// launches are known there, and are not decided here any more. Every own state counts them. See
// closeLaunches for the shots that no replay has refused.

// clientShots are a client's shots of one archetype, without their type.
type clientShots[S any, I comparable] interface {
	// fire launches and refuses own shots after a step of the own player.
	fire(before, after S, in I, t Tick)
	// receive takes a record of an entity of the archetype, in a snapshot of a tick.
	receive(r *replica, ch *snapshot.Change, t Tick)
	// close takes the number of shots that the server has launched before a tick, modulo 16.
	close(t Tick, launched uint8)
	// show draws the own shots at the end of the step of the own player that leads to a tick.
	show(now Tick)
	// clear despawns all shots without a record, and forgets the launches.
	clear()
}

// maxOwnShots is the most shots of one archetype that a client predicts at once. It draws others of
// its own when their records arrive.
const maxOwnShots = 256

// shotsClient draws the shots of one archetype.
type shotsClient[S any, I comparable, P comparable] struct {
	*shotKind[S, I, P]
	c        *Client[S, I]
	path     arche.ID
	own      []*shot[S, I, P] // drawn at the own player's tick
	free     []*shot[S, I, P]
	launch   func(P)
	tick     Tick // of the step that fires
	launches int  // in it
	recent   launchRing
	counts   launchCount
}

func (k *shotKind[S, I, P]) client(c *Client[S, I]) clientShots[S, I] {
	v := &shotsClient[S, I, P]{shotKind: k, c: c, path: arche.ComponentID[P](c.world)}
	v.launch = v.add
	return v
}

func (k *shotsClient[S, I, P]) fire(before, after S, in I, t Tick) {
	k.tick, k.launches = t, 0
	k.Fire(before, after, in, t, k.launch)
	for _, s := range k.own {
		if s.tick == t && int(s.n) >= k.launches {
			s.refused = true
		}
	}
	k.recent[t%Tick(len(k.recent))] = launchesOf{t, uint8(k.launches)}
}

// add is the function launch of Shots.Fire.
func (k *shotsClient[S, I, P]) add(p P) {
	if k.launches == maxLaunches {
		return
	}
	n := uint8(k.launches)
	k.launches++
	p = k.Codec.Quantize(p)
	if s := k.find(k.tick, n); s != nil {
		if s.refused = false; s.id == NoEntity {
			s.take(p, k.tick)
		}
		return
	}
	if k.c.predictsShots() && len(k.own) < maxOwnShots {
		k.enter(k.tick, n, p, k.tick, true)
	}
}

// find returns the own shot with a number of a tick, or nil.
func (k *shotsClient[S, I, P]) find(t Tick, n uint8) *shot[S, I, P] {
	for _, s := range k.own {
		if s.tick == t && s.n == n {
			return s
		}
	}
	return nil
}

// enter adds a shot, whose path holds from a tick on.
func (k *shotsClient[S, I, P]) enter(t Tick, n uint8, p P, since Tick, own bool) *shot[S, I, P] {
	var s *shot[S, I, P]
	if last := len(k.free) - 1; last >= 0 {
		s, k.free = k.free[last], k.free[:last]
	} else {
		s = new(shot[S, I, P])
	}
	*s = shot[S, I, P]{k: k, tick: t, n: n, path: p, since: since, own: own, later: s.later[:0]}
	if own {
		k.own = append(k.own, s)
	}
	return s
}

func (k *shotsClient[S, I, P]) receive(r *replica, ch *snapshot.Change, t Tick) {
	if ch.Op != snapshot.Spawned && !k.handle.ChangedIn(ch) {
		return
	}
	rec, ok := k.handle.In(k.c.decoder, ch)
	if !ok {
		return
	}
	if rec.plain {
		rec.tick, rec.since = t, t
	}
	if s, _ := r.flight.(*shot[S, I, P]); s != nil {
		s.take(rec.path, rec.since)
		return
	}
	own := !rec.plain && r.unspawned && ch.Owner == k.c.welcomed.player && k.c.predictsShots()
	var s *shot[S, I, P]
	if own {
		s = k.find(rec.tick, rec.n)
	}
	if s == nil || s.id != NoEntity {
		s = k.enter(rec.tick, rec.n, rec.path, rec.since, own)
		if l := &k.counts; own && !l.open.IsNewer(rec.tick) && k.recent.in(rec.tick) <= rec.n {
			l.unforeseen++
		}
	}
	s.id, s.plain, s.refused = r.id, rec.plain, false
	s.take(rec.path, rec.since)
	if r.flight = s; !r.unspawned { // the record comes later than the entity
		s.entity, s.spawned = r.entity, true
		s.write()
	}
}

// close compares the launches of the archetype with the server's. If it has launched as many as
// were predicted since the last state, all are right. If it has launched fewer, and the shots
// without a record are as many as the difference, they are refused. If they are more, records are
// still under way, and a later state decides. Anything else is left to the records: a shot without
// one is refused as soon as all entities of a tick after its launch are known.
func (k *shotsClient[S, I, P]) close(t Tick, launched uint8) {
	l := &k.counts
	if l.known && uint32(t-l.open) <= uint32(len(k.recent)) { // a server's ticks may leap
		predicted, waiting := l.unforeseen, 0
		for at := l.open; at != t; at++ {
			predicted += int(k.recent.in(at))
		}
		for _, s := range k.own {
			if s.waits(l.open, t) {
				waiting++
			}
		}
		refused := int(uint8(predicted)-(launched-l.counted)) % (1 << launchedBits)
		if refused > 0 && refused < waiting {
			return
		}
		for _, s := range k.own {
			if refused == waiting && s.waits(l.open, t) {
				s.refused = true
			}
		}
	}
	*l = launchCount{known: true, open: t, counted: launched}
}

// waits reports whether a shot of the ticks from one to before another has no record yet.
func (s *shot[S, I, P]) waits(from, to Tick) bool {
	return s.id == NoEntity && !s.refused && !from.IsNewer(s.tick) && to.IsNewer(s.tick)
}

func (k *shotsClient[S, I, P]) show(now Tick) {
	if whole, known := k.c.decoder.Whole(); known {
		k.expire(whole)
	}
	for _, s := range k.own {
		if s.refused {
			s.vanish()
			continue
		}
		age := float64(now.Sub(s.tick))
		s.draw(k.c.replica(s.id), max(age-1, 0), max(age, 0))
	}
	k.own = slices.DeleteFunc(k.own, func(s *shot[S, I, P]) bool {
		if s.refused {
			k.free = append(k.free, s)
		}
		return s.refused
	})
}

// expire refuses the shots without a record that are older than a tick up to which all entities are
// known: the server has despawned such a shot, or has not fired it. Of the latter the count of
// launches must not tell once more, or it would refuse another shot in its place.
func (k *shotsClient[S, I, P]) expire(whole Tick) {
	for _, s := range k.own {
		if s.id == NoEntity && !s.refused && whole.IsNewer(s.tick) {
			s.refused = true
			k.recent.drop(s.tick)
		}
	}
}

func (k *shotsClient[S, I, P]) clear() {
	for _, s := range k.own {
		s.vanish()
	}
	k.own, k.recent, k.counts = k.own[:0], launchRing{}, launchCount{}
}

// launchCount compares the own player's launches of an archetype with the server's count of them.
type launchCount struct {
	known      bool
	open       Tick  // the launches before it are decided
	counted    uint8 // by the server before open
	unforeseen int   // records of launches since open that were not predicted
}

// closedLaunches is the tick of the newest own state: replays do not decide the launches before it.
type closedLaunches struct {
	known  bool
	closed Tick
}

// launchRing holds the number of own launches of one archetype in each of the last steps.
type launchRing [256]launchesOf

type launchesOf struct {
	tick     Tick
	launches uint8
}

func (r *launchRing) in(t Tick) uint8 {
	if l := r[t%Tick(len(r))]; l.tick == t {
		return l.launches
	}
	return 0
}

// drop takes a launch of a tick away.
func (r *launchRing) drop(t Tick) {
	if l := &r[t%Tick(len(r))]; l.tick == t && l.launches > 0 {
		l.launches--
	}
}

// predictsShots reports whether the own player's shots are drawn at the own player's tick.
func (c *Client[S, I]) predictsShots() bool {
	return !c.welcomed.arrival && !c.config.WithoutPrediction
}

// shotsOf returns the shots of an archetype, or nil.
func (c *Client[S, I]) shotsOf(archetype uint16) clientShots[S, I] {
	for i, k := range c.protocol.shots {
		if k.archetype == archetype {
			return c.shots[i]
		}
	}
	return nil
}

// stepAndFire is Game.Step with the launches of the own player's shots.
func (c *Client[S, I]) stepAndFire(state S, in I, t Tick) S {
	after := c.stepOwn(state, in, t)
	if c.launches.known && c.launches.closed.IsNewer(t) {
		return after
	}
	for _, k := range c.shots {
		k.fire(state, after, in, t)
	}
	return after
}

// closeLaunches takes the numbers of shots that the server has launched for the own player before
// tick t. Each archetype has its own: a shot that the server has fired in place of another one must
// not hide that the other is refused.
func (c *Client[S, I]) closeLaunches(t Tick, launched launchCounts) {
	l := &c.launches
	if l.known && !t.IsNewer(l.closed) {
		return
	}
	for i, k := range c.shots {
		k.close(t, launched[i])
	}
	l.known, l.closed = true, t
}

// showShots draws the own player's shots after its step that leads to a tick.
func (c *Client[S, I]) showShots(now Tick) {
	for _, k := range c.shots {
		k.show(now)
	}
}

// clearShots despawns the own player's shots at the end of a session.
func (c *Client[S, I]) clearShots() {
	for _, k := range c.shots {
		k.clear()
	}
	c.launches = closedLaunches{}
}

// receiveShot takes the record of a replica if that is a shot. It returns the moment at which the
// other changes of the record take effect: a shot appears at its launch, and not with the snapshot.
func (c *Client[S, I]) receiveShot(r *replica, ch *snapshot.Change, t Tick, stamp time.Duration) time.Duration {
	if r == nil || len(c.shots) == 0 {
		return stamp
	}
	if k := c.shotsOf(r.archetype); k != nil {
		k.receive(r, ch, t)
	}
	if ch.Op == snapshot.Spawned && r.flight != nil {
		return min(stamp, c.edgeOf(r.flight.begins()))
	}
	return stamp
}
