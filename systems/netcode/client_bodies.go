package netcode

import (
	"slices"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// clientBodies are a client's predicted bodies, without their type.
type clientBodies interface {
	// update applies the newest states, and adds and removes bodies. A reconciliation follows.
	update()
	// before and after surround the step of the own player.
	before()
	after()
	// sampled takes the interpolated pose of a replica, and reports whether the bodies write its
	// pose.
	sampled(id EntityID, pose components.Pose3D, jump bool) bool
	// writePoses writes the poses of the bodies.
	writePoses()
	// forget removes a body whose replica is removed.
	forget(id EntityID)
	// rename gives the bodies the IDs of another server.
	rename(to map[EntityID]EntityID)
	// pose returns the pose of a predicted body after the own player's newest step, or before it.
	pose(id EntityID, before bool) (components.Pose3D, bool)
	// drawn reports whether a body is drawn as it is predicted, wholly or in part.
	drawn(id EntityID) bool
	stats(to *ClientStats)
}

// fadeSpeed bounds how fast, in units of length per second beside its own motion, a body is moved
// from its interpolated pose to its predicted one, or back. shortFade and longFade bound how long
// that takes.
const (
	fadeSpeed = 1.8
	shortFade = 0.25 // s
	longFade  = 2.0  // s
	// easeSlow and easeFast bound how fast a correction is drawn, in units of length per second
	// beside the body's own motion; see CorrectGently.
	easeSlow, easeFast = 1.1, 2.4
)

// giveUpFactor is how many times Leave a predicted body may be away from its interpolated pose. A
// body farther away is given up.
const giveUpFactor = 4

// bodiesClient predicts bodies near the own player.
type bodiesClient[S any, I comparable, B comparable] struct {
	*bodiesKind[S, I, B]
	c         *Client[S, I]
	id        arche.ID
	bodyGroup *prediction.Bodies[S, I, B]
	active    []activeBody // those of bodyGroup
	others    []other      // players near the own one, which are predicted too
	near      []other      // scratch: those that could be
	stepped   bool         // in this step
}

// activeBody is a body that is predicted. It is drawn between its interpolated and its predicted
// pose.
type activeBody struct {
	id      EntityID
	leaving bool
	// another player is so much nearer that it is drawn in that player's time: in the past
	theirs bool
	ready  bool    // is predicted for the present
	jump   bool    // interpolation jumps in this step
	weight float32 // 0: as interpolated, 1: as predicted
	jumps  uint8   // discontinuities, as the server counts them
	snap   bool    // the prediction jumps in this step
	news   bool    // the server has counted a jump, of which a correction may come

	seen     components.Pose3D // by interpolation, at the end of this step
	seenLast components.Pose3D // and the step before
	start    components.Pose3D // as predicted
	end      components.Pose3D
	wrong    bool // the prediction has been corrected before this step
}

// client makes the bodies that are predicted together with the own player.
func (k *bodiesKind[S, I, B]) client(client *Client[S, I], own *prediction.Predictor[S, I], number uint16) clientBodies {
	b := &bodiesClient[S, I, B]{bodiesKind: k, c: client, id: arche.ComponentID[B](client.world)}
	c := prediction.BodiesConfig[S, I, B]{Step: b.config.Step, Distance: b.config.Distance, Tolerance: b.config.Tolerance, Max: b.config.Max}
	if b.config.ProxyState != nil {
		c.Others = b.othersConfig()
	}
	b.bodyGroup = prediction.NewBodies(c)
	b.active = make([]activeBody, 0, b.bodyGroup.Max())
	b.others = make([]other, 0, 2*maxOthers)
	prediction.Accompany(own, number, b.bodyGroup)
	return b
}

// authority returns the server's state of a body whose pose is that of s, and whether it has a
// valid pose.
func (b *bodiesClient[S, I, B]) authority(id EntityID, s *snapshot.State) (state B, ok bool) {
	if state, ok = b.handle.Get(b.c.decoder, id); !ok {
		return state, false
	}
	if b.config.Restore != nil {
		state = b.config.Restore(state, poseOf(s.Position, s.Rotation, s.Scale.Vec3()))
	}
	return state, placed(b.config.Pose(state))
}

func (b *bodiesClient[S, I, B]) update() {
	c := b.c
	newest := Tick(uint32(c.newest))
	b.unload()
	for i := range b.active {
		a := &b.active[i]
		s, at, told := c.decoder.State(a.id)
		known, in := b.bodyGroup.Known(a.id)
		state, ok := b.authority(a.id, &s)
		if !told || !ok || !in {
			a.leaving = true
			continue
		}
		if s.AtRest && !at.IsNewer(known) {
			// A body at rest gets no more records. So its state still holds, and a prediction that
			// has moved it was wrong.
			at = newest.Add(-b.silence())
		}
		if at.IsNewer(known) && b.bodyGroup.Note(a.id, at, state) && s.Discontinuity != a.jumps {
			a.jumps, a.news = s.Discontinuity, true
		}
	}
	b.choose(newest)
	b.addOthers(newest)
	b.share()
}

// unload removes the bodies that have become passengers: they are not stepped any more, and their
// poses are in the frame of their base. The difference to the drawn pose fades.
func (b *bodiesClient[S, I, B]) unload() {
	b.active = slices.DeleteFunc(b.active, func(a activeBody) bool {
		r := b.c.replica(a.id)
		rides := r != nil && r.parent != NoEntity
		if rides {
			b.dismiss(&a)
		}
		return rides
	})
}

// dismiss ends the prediction of a body at once.
func (b *bodiesClient[S, I, B]) dismiss(a *activeBody) {
	b.release(a.id)
	if r := b.c.replica(a.id); r != nil {
		r.hops, r.settled = r.hops || a.weight > 0, false
	}
}

// release ends the prediction of a body: from here on it has the server's state.
func (b *bodiesClient[S, I, B]) release(id EntityID) {
	b.bodyGroup.Remove(id)
	r := b.c.replica(id)
	if r == nil || len(r.changes) > 0 || !b.c.has(r.entity) || !b.c.world.Has(r.entity, b.id) {
		// it has delayed changes, and the view has not reached the newest state
		return
	}
	if state, ok := b.handle.Get(b.c.decoder, id); ok {
		*(*B)(b.c.world.Get(r.entity, b.id)) = state
	}
}

// silence is the number of ticks without a record after which a body at rest counts as unmoved. A
// body that begins to move is in every snapshot from then on. So only the loss of that many, or
// packets without room for it, make this wrong, and the next record corrects it.
func (b *bodiesClient[S, I, B]) silence() int {
	return 2*b.c.protocol.TickRate()/int(max(b.c.welcomed.rate, 1)) + 2
}

func (b *bodiesClient[S, I, B]) find(id EntityID) *activeBody {
	if i := slices.IndexFunc(b.active, func(a activeBody) bool { return a.id == id }); i >= 0 {
		return &b.active[i]
	}
	return nil
}

func (b *bodiesClient[S, I, B]) before() {
	for i := range b.active {
		a := &b.active[i]
		was := a.ready
		if a.ready = b.bodyGroup.Ready(a.id); !a.ready {
			continue
		}
		state, _ := b.bodyGroup.State(a.id)
		a.start = b.config.Pose(state)
		a.wrong = was && a.start != a.end
		if a.wrong {
			a.snap = a.snap || a.news || teleported(b.config.Teleported).apart(a.end, a.start)
			b.c.stats.BodyCorrections++
			b.c.stats.BodyError = float64(a.start.Position.Sub(a.end.Position).Len())
			b.c.watchMispredicted(a.id, b.c.stats.BodyError)
			a.snap = a.snap || b.config.Snap > 0 && b.c.stats.BodyError >= b.config.Snap
		}
		a.news = false
	}
}

func (b *bodiesClient[S, I, B]) after() {
	b.stepped = true
	for i := range b.active {
		a := &b.active[i]
		if !a.ready {
			continue
		}
		state, _ := b.bodyGroup.State(a.id)
		a.end = b.config.Pose(state)
		a.snap = a.snap || teleported(b.config.Teleported).between(a.start, a.end) ||
			b.config.Snap > 0 && float64(a.end.Position.Sub(a.start.Position).Len()) >= b.config.Snap
		far := a.end.Position.Sub(a.seen.Position).Len()
		if !placed(a.start) || !placed(a.end) || !(far <= giveUpFactor*b.config.Leave || b.across(a)) {
			// The prediction is far off. The next reconciliation corrects the bodies that it may
			// have touched.
			a.ready, a.leaving, a.weight = false, true, 0
		}
	}
}

func (b *bodiesClient[S, I, B]) sampled(id EntityID, pose components.Pose3D, jump bool) bool {
	a := b.find(id)
	if a == nil {
		return false
	}
	a.seen, a.jump = pose, a.jump || jump
	return true
}

func (b *bodiesClient[S, I, B]) writePoses() {
	if !b.stepped { // nor was the own player
		return
	}
	b.stepped = false
	kept := b.active[:0]
	for i := range b.active {
		a := b.active[i]
		r := b.c.replica(a.id)
		if r == nil || !b.c.has(r.entity) {
			b.bodyGroup.Remove(a.id)
			continue
		}
		b.show(r, &a)
		if a.leaving && a.weight == 0 {
			b.release(a.id)
			continue
		}
		kept = append(kept, a)
	}
	b.active = kept
}

// show writes the pose of a body.
func (b *bodiesClient[S, I, B]) show(r *replica, a *activeBody) {
	c := b.c
	pose, start, jump := a.seen, a.seenLast, a.jump && a.weight < 1 || a.snap && a.weight > 0
	if a.ready {
		from := a.weight
		switch {
		case !b.across(a):
			a.weight = fade(from, !a.leaving && !a.theirs, a.end.Position.Sub(a.seen.Position).Len(), c.protocol.TickRate())
		case from > 0 && from < 1: // no way leads from one pose to the other: it stays at its one
			a.weight, jump = 1, true
		}
		start = components.Blend3D(a.seenLast, a.start, smooth(from))
		pose = components.Blend3D(a.seen, a.end, smooth(a.weight))
		if a.weight == 1 {
			pose = a.end
		}
		if c.world.Has(r.entity, b.id) {
			if state, ok := b.bodyGroup.State(a.id); ok && a.weight > 0 {
				*(*B)(c.world.Get(r.entity, b.id)) = state
			}
		}
	}
	a.seenLast, a.jump, a.snap = a.seen, false, false
	if i := c.interpolator(); a.wrong && !jump && a.weight > 0 && i != nil {
		i.CorrectGently(r.entity, start, pose, easeSlow, easeFast)
		r.shown = true
	} else {
		c.writePose(r, pose, jump || !r.shown)
	}
	a.wrong = false
}

// across reports whether a body's interpolated pose and its predicted one are at two ends of a
// jump.
func (b *bodiesClient[S, I, B]) across(a *activeBody) bool {
	return teleported(b.config.Teleported).apart(a.seen, a.end)
}

// fade moves a weight by a step towards 1 or 0. The gap is the way between the two: the drawn
// motion along it stays within fadeSpeed.
func fade(weight float32, in bool, gap float32, rate int) float32 {
	const steepest = 1.5 // of smooth
	step := float32(1 / (shortFade * float64(rate)))
	if gap > 0 {
		step = min(step, fadeSpeed/(steepest*gap*float32(rate)))
	}
	step = max(step, float32(1/(longFade*float64(rate))))
	if in {
		return min(weight+step, 1)
	}
	return max(weight-step, 0)
}

func smooth(x float32) float32 { return x * x * (3 - 2*x) }

func (b *bodiesClient[S, I, B]) forget(id EntityID) {
	b.active = slices.DeleteFunc(b.active, func(a activeBody) bool {
		if a.id == id {
			b.bodyGroup.Remove(id)
		}
		return a.id == id
	})
	b.others = slices.DeleteFunc(b.others, func(o other) bool {
		if o.id == id {
			b.bodyGroup.Others.Remove(id)
		}
		return o.id == id
	})
}

func (b *bodiesClient[S, I, B]) rename(to map[EntityID]EntityID) {
	id := func(id EntityID) EntityID { return to[id] }
	b.bodyGroup.Rename(id)
	b.bodyGroup.Others.Rename(id)
	for i := range b.active {
		a := &b.active[i]
		a.id = to[a.id]
		if s, _, ok := b.c.decoder.State(a.id); ok {
			a.jumps = s.Discontinuity
		}
	}
	for i := range b.others {
		b.others[i].id = to[b.others[i].id]
	}
}

func (b *bodiesClient[S, I, B]) pose(id EntityID, before bool) (components.Pose3D, bool) {
	a := b.find(id)
	if a == nil || !a.ready {
		return components.Pose3D{}, false
	}
	if before {
		return a.start, true
	}
	return a.end, true
}

func (b *bodiesClient[S, I, B]) drawn(id EntityID) bool {
	a := b.find(id)
	return a != nil && a.ready && a.weight > 0
}

func (b *bodiesClient[S, I, B]) stats(to *ClientStats) {
	to.Predicted = 0
	for i := range b.active {
		if b.active[i].weight > 0 {
			to.Predicted++
		}
	}
}
