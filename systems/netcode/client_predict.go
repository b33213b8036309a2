package netcode

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

// predict steps the own player by its input of a tick at once, as the server will later.
func (c *Client[S, I]) predict(t Tick) {
	if c.clocks == nil || !c.predictor.Started() {
		return
	}
	before := c.predictor.State()
	if c.bodies != nil {
		c.bodies.before()
	}
	after := c.predictor.Advance(t, c.input(t.Add(c.inputDelay())))
	if c.bodies != nil {
		c.bodies.after()
	}
	r := c.replica(c.own)
	if r == nil || c.config.WithoutPrediction || !c.has(r.entity) {
		c.correct = correction[S]{}
		return
	}
	start, end, kept, changed := c.passengerPath(r, before, after, t)
	i := c.interpolator()
	switch {
	case c.correct.jump || !r.shown || !kept || teleported(c.protocol.game.Teleported).between(start, end):
		c.watchJump(r)
		c.transforms.Get(r.entity).Teleport(end)
	case changed && i != nil:
		i.CorrectGently(r.entity, start, end, easeSlow, easeFast)
	case c.correct.any && i != nil:
		i.CorrectGently(r.entity, start, end, c.protocol.game.CorrectionSpeed, math.MaxFloat32)
	default:
		if l := c.transforms.Get(r.entity); l.Get() != end {
			l.Set(end)
		}
	}
	r.shown = true
	c.correct = correction[S]{}
}

// eye returns the predicted position of the own player, if there is one.
func (c *Client[S, I]) eye() (mgl32.Vec3, bool) {
	if c.replica(c.own) == nil || !c.predictor.Started() {
		return mgl32.Vec3{}, false
	}
	game, state := &c.protocol.game, c.predictor.State()
	pose := game.Pose(state)
	if game.MovementBase != nil {
		frame, _ := c.basePose(game.MovementBase(state), c.predictor.Tick(), false)
		pose = frame.Mul(pose)
	}
	return pose.Position, true
}

// settle compares the prediction with the server's newest state, once in a step, however many
// packets arrived.
func (c *Client[S, I]) settle() {
	if !c.ownUpdate.any || c.unsettled() {
		return
	}
	c.ownUpdate.any = false
	if len(c.shots) > 0 && !c.welcomed.arrival {
		c.closeLaunches(c.ownUpdate.at, c.ownUpdate.launched)
	}
	if c.bodies != nil && c.predictor.Started() {
		c.bodies.update()
	}
	c.reconcile(c.ownUpdate.at, c.ownUpdate.state, c.ownUpdate.jumps)
}

// reconcile takes the own player's state from the server.
func (c *Client[S, I]) reconcile(t Tick, state S, jumps uint8) {
	if !c.hasState || !c.clocks.Synced() { // no prediction yet
		c.predictor.Start(t, state)
		c.hasState, c.jumps, c.correct.jump = true, jumps, true
		return
	}
	if c.config.WithoutReconciliation && jumps == c.jumps {
		return
	}
	fix := c.predictor.Reconcile(t, state)
	c.watchState(t, &fix)
	jumped := jumps != c.jumps
	c.jumps = jumps
	if fix.Outcome == prediction.Corrected || fix.Outcome == prediction.Jumped {
		c.stats.Corrections++
		c.stats.CorrectionError = fix.Error
		c.correct.any = true
		snap := c.protocol.game.Snap
		if jumped || snap > 0 && c.protocol.game.Distance(fix.Before, fix.After) >= snap || c.apart(fix.Before, fix.After) {
			c.correct.jump = true
		}
	}
}

// apart reports whether a jump lies between the predicted and the corrected present state.
func (c *Client[S, I]) apart(before, after S) bool {
	game := &c.protocol.game
	if game.Teleported == nil {
		return false
	}
	was, is := game.Pose(before), game.Pose(after)
	if base := game.MovementBase; base != nil && base(before) != base(after) {
		from, _ := c.basePose(base(before), c.predictor.Tick(), false)
		to, _ := c.basePose(base(after), c.predictor.Tick(), false)
		was, is = from.Mul(was), to.Mul(is)
	}
	return teleported(game.Teleported).apart(was, is)
}

// inputDelay returns how many ticks after the present one an input of the player runs.
func (c *Client[S, I]) inputDelay() int {
	if c.welcomed.arrival {
		return 0
	}
	return c.config.InputDelay
}
