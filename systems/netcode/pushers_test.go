package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// twoAtABox begins a match of two players on either side of a box along z, a at the lesser z, and
// records the positions of the box.
func twoAtABox(t testing.TB, first, second linkPath) (m *match, a, b *player, e arche.Entity, there map[netcode.Tick]mgl32.Vec3) {
	t.Helper()
	m = newMatchOf(t, boxProtocol(t, boxes()), nil)
	a, b = m.join(first, nil), m.join(second, nil)
	m.run(time.Second, nil) // at (0, 2) and (0, 4)
	e = m.box(box{X: 0, Z: 3})
	there = m.record(e)
	m.run(4*time.Second, nil)
	m.mustPlay()
	if m.of(a).State.Z > m.of(b).State.Z {
		a, b = b, a
	}
	return m, a, b, e, there
}

// stubborn pushes a box without end. The player runs towards it from any place, but sometimes rests
// or walks to the side.
func (p *player) stubborn(e arche.Entity, whim uint64) func(netcode.Tick) input {
	return func(at netcode.Tick) input {
		x := (uint64(at+netcode.Tick(whim*17))/45 + whim*7919) * 0x9e3779b97f4a7c15 >> 40
		switch x % 8 {
		case 0:
			return input{}
		case 1:
			return input{X: int8(x/8%3) - 1}
		}
		return p.towards(e)
	}
}

// motions are the motions of a body from frame to frame.
type motions []mgl32.Vec3

// beyond returns by how much a drawn body moved further in a frame than the body itself moved in
// any frame within half a second, and the number of frames in which that exceeded a limit.
func (seen motions) beyond(truth motions, limit float64) (most float64, over int) {
	const half = 60 // frames
	for i := 1; i < len(seen); i++ {
		fastest := float32(0)
		for k := max(i-half, 1); k < min(i+half, len(truth)); k++ {
			fastest = max(fastest, truth[k].Sub(truth[k-1]).Len())
		}
		d := float64(seen[i].Sub(seen[i-1]).Len() - fastest)
		if most = max(most, d); d > limit {
			over++
		}
	}
	return most, over
}

// Two players push one box from both sides, and change direction. Each is predicted to continue as
// before, and pushes the box in the other's prediction, too. So a prediction is wrong for no longer
// than the time in which a change arrives, and the picture never leaps.
func TestTwoPlayersPushOneBox(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine and much work: runs where the race detector does not")
	}
	for _, network := range networks {
		const seconds = 20
		var most, sum, leap, worst float64
		overs := 0
		least := uint64(math.MaxUint64)
		for seed := range uint64(20) {
			m, a, b, e, there := twoAtABox(t, network.path(2*seed+1), network.path(2*seed+2))
			var now netcode.Tick
			replica, whims := a.replicaOf(m, e), a.stubborn(a.replicaOf(m, e), 2*seed)
			a.input = func(at netcode.Tick) input { now = at; return whims(at) }
			b.input = b.stubborn(b.replicaOf(m, e), 2*seed+1)
			before := a.client.Stats()
			var seen, truth motions
			predicted := map[netcode.Tick]mgl32.Vec3{}
			m.run(seconds*time.Second, func() {
				seen = append(seen, a.visual(replica))
				predicted[now+1] = a.logical(replica)
			})
			after := a.client.Stats()
			m.run(time.Second, nil)
			first := m.server.Tick() - (seconds+1)*tickRate
			for at := first; at != m.server.Tick(); at++ { // two frames for each tick
				p, next := there[at], there[at+1]
				truth = append(truth, p, p.Add(next).Mul(0.5))
			}
			for at, p := range predicted {
				if truth, ok := there[at]; ok {
					worst = max(worst, float64(truth.Sub(p).Len()))
				}
			}
			corrections := after.BodyCorrections - before.BodyCorrections
			rate := float64(corrections) / seconds
			beyond, over := seen.beyond(truth, 0.0105)
			overs += over
			most, sum, leap, least = max(most, rate), sum+rate, max(leap, beyond), min(least, corrections)
		}
		t.Logf("%s: %.1f corrections a second, at most %.1f; at most %.3f m beside the server at the same tick, at most %.4f m in a frame beyond true motion, more than 1 cm in %d of %d frames",
			network.name, sum/20, most, worst, leap, overs, 20*seconds*120)
		if most > 9 {
			t.Errorf("%s: up to %.1f corrections a second, want less than half of the snapshots'", network.name, most)
		}
		if leap > 0.035 || overs > 20*seconds*120/200 {
			t.Errorf("%s: the box moved up to %.4f m further in a frame than it does, more than 1 cm in %d frames; want at most 0.035, and one frame in 200", network.name, leap, overs)
		}
		// One player is predicted to run one way for a quarter of a second, and runs the other way.
		if worst > 2*runSpeed*0.3 {
			t.Errorf("%s: up to %.2f m beside the server", network.name, worst)
		}
		if least == 0 {
			t.Errorf("%s: in one of the scenes nothing was corrected: the two did not meet", network.name)
		}
	}
}

// Two players push one box from both sides, and neither gives way. That is predicted, and no client
// is corrected once both have begun.
func TestTwoPlayersLeanOnOneBox(t *testing.T) {
	for _, network := range networks {
		for seed := range uint64(5) {
			m, a, b, e, there := twoAtABox(t, network.path(2*seed+1), network.path(2*seed+2))
			var now [2]netcode.Tick
			a.input = func(at netcode.Tick) input { now[0] = at; return input{Z: 1} }
			b.input = func(at netcode.Tick) input { now[1] = at; return input{Z: -1} }
			m.run(time.Second, nil)
			before := [2]netcode.ClientStats{a.client.Stats(), b.client.Stats()}
			m.run(20*time.Second, nil)
			at, predicted := now, [2]mgl32.Vec3{}
			for i, p := range []*player{a, b} {
				after := p.client.Stats()
				if n := after.BodyCorrections - before[i].BodyCorrections + after.Corrections - before[i].Corrections; n > 2 {
					t.Errorf("%s %d: %d corrections of client %d in 20 s of steady pushing, the last by %.3f m", network.name, seed, n, i, after.BodyError)
				}
				predicted[i] = p.logical(p.replicaOf(m, e))
			}
			m.run(time.Second, nil)
			for i := range predicted {
				if d := predicted[i].Sub(there[at[i]+1]).Len(); d > 0.02 {
					t.Errorf("%s %d: client %d predicts the box %.3f m beside the server's place at the same tick", network.name, seed, i, d)
				}
			}
		}
	}
}
