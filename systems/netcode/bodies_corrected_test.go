package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// The server moves a box in a way that no client can predict. The simulation has the change at
// once. The picture shows it as an offset that fades. A teleport is a jump in both.
func TestBoxIsCorrected(t *testing.T) {
	m := newMatchOf(t, boxProtocol(t, boxes()), nil)
	a := m.join(seeds(4), nil)
	m.run(time.Second, nil)
	e := m.box(box{X: 3, Z: 2})
	m.run(5*time.Second, nil)
	m.mustPlay()
	replica := a.replicaOf(m, e)
	if n := a.client.Stats().Predicted; n != 1 {
		t.Fatalf("%d boxes are predicted", n)
	}
	m.boxOf(e).Z += 1
	since, first := time.Duration(-1), 0.0
	m.run(3*time.Second, func() {
		l, v := float64(a.logical(replica)[2]), float64(a.visual(replica)[2])
		if math.Abs(l-2) > 0.01 && math.Abs(l-3) > 0.01 {
			t.Fatalf("the simulation has the box at %.3f, neither where it was nor where it is", l)
		}
		if since < 0 && l > 2.5 {
			since, first = m.now, l-v
			if first < 0.7 {
				t.Fatalf("in the first picture after the correction the offset is %.3f m, want nearly 1", first)
			}
		}
		if since >= 0 && m.now-since >= time.Second && math.Abs(l-v) > 0.1*first {
			t.Fatalf("%v after the correction %.3f m of %.3f are left, want at most a tenth", m.now-since, l-v, first)
		}
	})
	if since < 0 {
		t.Fatal("there was no correction")
	}
	m.boxOf(e).Z += 1.5
	m.transform(e).Teleport(poseBox(*m.boxOf(e)))
	m.run(3*time.Second, func() {
		if z := a.visual(replica)[2]; z > 3.01 && z < 4.49 {
			t.Fatalf("the box is seen at %.3f, in the middle of a teleport", z)
		}
	})
	if z := a.visual(replica)[2]; z < 4.49 {
		t.Errorf("the box is seen at %.3f, want 4.5", z)
	}
}

// A box that only this client has pushed returns to its place. The server sends nothing about a
// body at rest, and the client concludes from this that the body has not moved.
func TestBoxPushedOnlyInThePrediction(t *testing.T) {
	for _, network := range networks {
		m := newMatchOf(t, boxProtocol(t, boxes()), nil)
		a := m.join(network.path(5), nil)
		m.run(time.Second, nil)
		e := m.box(box{X: 1.2, Z: 2})
		m.run(5*time.Second, nil)
		m.mustPlay()
		replica, frozen := a.replicaOf(m, e), m.of(a).State
		held := true
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if held { // the server lets the player do nothing; its client has no reason for that
				m.of(a).State = frozen
				*m.boxOf(e) = box{X: 1.2, Z: 2}
			}
		}))
		a.input = func(netcode.Tick) input { return input{X: 1} }
		far := float32(0)
		m.run(2*time.Second, func() { far = max(far, a.logical(replica)[0]-1.2) })
		if far < 0.5 || far > 4 {
			t.Errorf("%s: the box is predicted up to %.2f m ahead, want some way and not any", network.name, far)
		}
		a.input = func(netcode.Tick) input { return input{} }
		m.run(2*time.Second, nil)
		if d := a.logical(replica).Sub(mgl32.Vec3{1.2, 0.5, 2}).Len(); d > 0.01 {
			t.Errorf("%s: two seconds later the box is %.3f m from where it is", network.name, d)
		}
	}
}

// A predicted box that the server removes in the middle of a push disappears on the client, and
// another one appears in its place.
func TestPredictedBoxIsDespawned(t *testing.T) {
	for seed := range uint64(5) {
		m := newMatchOf(t, boxProtocol(t, boxes()), nil)
		a := m.join(seeds(seed+1), nil)
		m.run(time.Second, nil)
		e := m.box(box{X: 2, Z: 2})
		m.run(4*time.Second, nil)
		m.mustPlay()
		a.input = func(netcode.Tick) input { return input{X: 1} }
		m.run(700*time.Millisecond, nil)
		id := m.id(e)
		if m.boxOf(e).X == 2 {
			t.Fatal("nobody pushed the box")
		}
		m.engine.World().RemoveEntity(e)
		next := m.box(box{X: -3, Z: 2})
		m.run(2*time.Second, nil)
		if got := a.client.Replica(id); !got.IsZero() {
			t.Errorf("seed %d: the box is still there: %v", seed, got)
		}
		a.input = func(netcode.Tick) input { return input{X: -1} }
		m.run(5*time.Second, nil)
		if m.boxOf(next).X > -4 {
			t.Errorf("seed %d: the other box was not pushed: it is at %v", seed, *m.boxOf(next))
		}
		if s, p := a.client.State(); !p || math.Abs(float64(s.X-m.of(a).State.X)) > 4 {
			t.Errorf("seed %d: the player is predicted at %v, the server has it at %v", seed, s, m.of(a).State)
		}
	}
}

// uncheckedCodec accepts values that a codec should refuse.
type uncheckedCodec struct {
	boxCodec
	extreme *float32
}

func (c uncheckedCodec) Decode(r *netcode.Reader, base *box) box {
	b := c.boxCodec.Decode(r, base)
	if *c.extreme != 0 {
		b.VX = *c.extreme
	}
	return b
}

// No state of a body that a server can send breaks the prediction of other entities, or outlasts
// the server's sending of it.
func TestExtremeBodyStates(t *testing.T) {
	for _, extreme := range []float32{float32(math.NaN()), float32(math.Inf(1)), 3e38, -1e30, 1e9} {
		b, value := boxes(), float32(0)
		m := newMatchOf(t, boxProtocol(t, b), nil)
		b.Codec = uncheckedCodec{extreme: &value}
		honest := m.protocol
		m.protocol = boxProtocol(t, b)
		a := m.join(seeds(1), nil)
		m.protocol = honest
		m.run(time.Second, nil)
		e, other := m.box(box{X: 2, Z: 2}), m.box(box{X: -2, Z: 2})
		m.run(4*time.Second, nil)
		m.mustPlay()
		a.input = func(at netcode.Tick) input {
			if at/60%2 == 0 {
				return input{X: 1}
			}
			return input{X: -1}
		}
		sound := func() {
			for _, e := range []arche.Entity{a.client.Entity(), a.replicaOf(m, e), a.replicaOf(m, other)} {
				if p := a.visual(e); !(p.Len() < 200) {
					t.Fatalf("%v: something is drawn at %v", extreme, p)
				}
			}
			if s, _ := a.client.State(); !(math.Abs(float64(s.X)) < 1e3) {
				t.Fatalf("%v: the player is predicted at %v", extreme, s)
			}
		}
		m.run(2*time.Second, sound)
		value = extreme
		m.run(3*time.Second, sound)
		value = 0
		m.run(3*time.Second, sound)
		for _, e := range []arche.Entity{e, other} {
			if d := a.logical(a.replicaOf(m, e)).Sub(m.transform(e).Get().Position).Len(); d > 3 {
				t.Errorf("%v: when all is well again a box is %.2f m from where the server has it", extreme, d)
			}
		}
	}
}

// A predicted box is loaded onto a lift. Its prediction ends at once. It is drawn on the lift after
// at most one jump, and is a box again after it is set down. Nothing steps it meanwhile.
func TestBoxBecomesCargo(t *testing.T) {
	for _, network := range networks {
		for seed := range uint64(5) {
			m := newMatchOf(t, boxProtocol(t, boxes()), nil)
			a := m.join(network.path(seed+1), nil)
			lift := m.crate(kindLift, liftPath(0))
			m.run(time.Second, nil)
			m.of(a).Teleport(runner{X: 18, Z: 2})
			e := m.box(box{X: 20, Z: 2})
			m.run(4*time.Second, nil)
			m.mustPlay()
			replica := a.replicaOf(m, e)
			if n := a.client.Stats().Predicted; n != 1 {
				t.Fatalf("%s %d: %d boxes are predicted", network.name, seed, n)
			}
			parents := generic.NewMap1[components.Parent](m.engine.World())
			held := m.transform(lift).Get().Inverse().Mul(m.transform(e).Get())
			parents.Assign(e, &components.Parent{Entity: lift})
			m.transform(e).Set(held)
			*m.boxOf(e) = box{X: 20, Z: 2, VX: 5} // which no step moves
			gone := time.Duration(0)
			begin, last, jumps := m.now, a.world(replica), 0
			m.run(3*time.Second, func() {
				if gone == 0 && a.client.Stats().Predicted == 0 {
					gone = m.now - begin
				}
				at := a.world(replica)
				if at.Sub(last).Len() > 0.15 { // the lift moves at 4.7 m/s
					jumps++
				}
				last = at
			})
			if gone == 0 || gone > 600*time.Millisecond {
				t.Errorf("%s %d: the box is predicted for %v after it was loaded", network.name, seed, gone)
			}
			if jumps > 1 { // a parent that is set by hand causes a jump
				t.Errorf("%s %d: the box jumps %d times", network.name, seed, jumps)
			}
			if d := a.logical(replica).Sub(held.Position).Len(); d > 0.01 {
				t.Errorf("%s %d: the box is %.3f m from its place on the lift", network.name, seed, d)
			}
			if got := m.transform(e).Get().Position; got != held.Position {
				t.Errorf("%s %d: on the server the box has moved on the lift to %v", network.name, seed, got)
			}
			parents.Remove(e)
			*m.boxOf(e) = box{X: 20, Z: 2}
			m.transform(e).Teleport(poseBox(*m.boxOf(e)))
			m.run(2*time.Second, nil)
			if n := a.client.Stats().Predicted; n != 1 {
				t.Errorf("%s %d: set down, %d boxes are predicted", network.name, seed, n)
			}
		}
	}
}
