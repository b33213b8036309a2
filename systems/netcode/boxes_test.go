package netcode_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// The boxes of these tests are round and lie on the plain. Runners push them and are pushed back.

type box struct{ X, Z, VX, VZ float32 }

const (
	kindBox   = 4
	boxTouch  = 1.0 // m from a runner's middle to a box's
	boxBetter = 0.6 // of an overlap, the share that the box gives way by
	boxDrag   = 5.0 // m/s²
)

func poseBox(b box) components.Pose3D { return components.At3D(b.X, 0.5, b.Z) }

// stepBoxes moves runners and boxes apart if they overlap, boxes from each other included.
func stepBoxes(g *netcode.BodyGroup[runner, input, box], _ netcode.Tick) {
	const dt = 1.0 / tickRate
	for i := range g.Bodies {
		b := &g.Bodies[i].State
		for _, p := range g.Players {
			n, overlap := apart(b.X-p.State.X, b.Z-p.State.Z, boxTouch)
			if overlap <= 0 {
				continue
			}
			b.X, b.Z = b.X+n[0]*overlap*boxBetter, b.Z+n[1]*overlap*boxBetter
			p.State.X, p.State.Z = p.State.X-n[0]*overlap*(1-boxBetter), p.State.Z-n[1]*overlap*(1-boxBetter)
			if v := runSpeed*(float32(p.Input.X)*n[0]+float32(p.Input.Z)*n[1]) - b.VX*n[0] - b.VZ*n[1]; v > 0 {
				b.VX, b.VZ = b.VX+n[0]*v*0.8, b.VZ+n[1]*v*0.8
			}
		}
		for k := range g.Bodies[:i] {
			o := &g.Bodies[k].State
			if n, overlap := apart(b.X-o.X, b.Z-o.Z, 1.2); overlap > 0 {
				b.X, b.Z, o.X, o.Z = b.X+n[0]*overlap/2, b.Z+n[1]*overlap/2, o.X-n[0]*overlap/2, o.Z-n[1]*overlap/2
				if v := (o.VX-b.VX)*n[0] + (o.VZ-b.VZ)*n[1]; v > 0 {
					b.VX, b.VZ, o.VX, o.VZ = b.VX+n[0]*v, b.VZ+n[1]*v, o.VX-n[0]*v, o.VZ-n[1]*v
				}
			}
		}
	}
	for i := range g.Bodies {
		b := &g.Bodies[i].State
		if speed := float32(math.Hypot(float64(b.VX), float64(b.VZ))); speed <= boxDrag*dt {
			b.VX, b.VZ = 0, 0
		} else {
			b.VX, b.VZ = b.VX*(1-boxDrag*dt/speed), b.VZ*(1-boxDrag*dt/speed)
		}
		b.X, b.Z = b.X+b.VX*dt, b.Z+b.VZ*dt
	}
}

func apart(x, z, touch float32) (n mgl32.Vec2, overlap float32) {
	d := float32(math.Hypot(float64(x), float64(z)))
	if d < 1e-4 {
		return mgl32.Vec2{1, 0}, touch
	}
	return mgl32.Vec2{x / d, z / d}, touch - d
}

// boxCodec writes the velocity. The pose gives the position of a box.
type boxCodec struct{}

const boxQuantum = 1.0 / 64

func (boxCodec) Quantize(b box) box {
	round := func(v float32) float32 {
		return float32(math.Round(float64(min(max(v, -500), 500)/boxQuantum))) * boxQuantum
	}
	return box{VX: round(b.VX), VZ: round(b.VZ)}
}

func (boxCodec) Encode(w *netcode.Writer, b box, _ *box) {
	w.Bool(b.VX != 0 || b.VZ != 0)
	if b.VX != 0 || b.VZ != 0 {
		w.Int(int64(b.VX/boxQuantum), 16)
		w.Int(int64(b.VZ/boxQuantum), 16)
	}
}

func (boxCodec) Decode(r *netcode.Reader, _ *box) (b box) {
	if r.Bool() {
		b.VX, b.VZ = float32(r.Int(16))*boxQuantum, float32(r.Int(16))*boxQuantum
	}
	return b
}

func restoreBox(b box, pose components.Pose3D) box {
	b.X, b.Z = pose.Position[0], pose.Position[2]
	return b
}

func boxDistance(a, b box) float64 {
	return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) + math.Hypot(float64(a.VX-b.VX), float64(a.VZ-b.VZ))/10
}

func boxes() netcode.Bodies[runner, input, box] {
	return netcode.Bodies[runner, input, box]{
		Archetypes: []uint16{kindBox}, Step: stepBoxes, Pose: poseBox, Codec: boxCodec{}, Distance: boxDistance, Tolerance: 0.01, Snap: 5, Near: 8, Leave: 10,
		ProxyState: func(r netcode.Replicated, pose components.Pose3D, _ mgl32.Vec3, _ input) (runner, bool) {
			return runner{X: pose.Position[0], Z: pose.Position[2]}, r.Archetype == kindRun
		},
		Restore: restoreBox,
	}
}

// boxProtocol returns newProtocol's protocol with boxes added. Positions are sent rounded, and
// runners that boxes push back can be predicted as well as that rounding allows.
func boxProtocol(t testing.TB, b netcode.Bodies[runner, input, box]) *protocol {
	t.Helper()
	game := runnerGame()
	game.Tolerance = 0.01
	p := newProtocolFor(t, netcode.Config{}, game)
	netcode.PredictBodies(p, "box", b)
	return p
}

// box adds a box on the server.
func (m *match) box(b box) arche.Entity {
	l := components.NewLogical(poseBox(b))
	spawn := generic.NewMap3[components.Transform3D, netcode.Replicated, box](m.engine.World())
	return spawn.NewWith(&l, &netcode.Replicated{Archetype: kindBox}, &b)
}

func (m *match) boxOf(e arche.Entity) *box {
	w := m.engine.World()
	return (*box)(w.Get(e, arche.ComponentID[box](w)))
}

// record notes the server's position of a box after each tick.
func (m *match) record(e arche.Entity) map[netcode.Tick]mgl32.Vec3 {
	at := map[netcode.Tick]mgl32.Vec3{}
	m.engine.Add(ecs.FixedEnd, ecs.SystemFunc(func(w *arche.World) {
		if w.Alive(e) {
			at[m.server.Tick()+1] = m.transform(e).Get().Position
		}
	}))
	return at
}

// replicaOf returns the client's replica of one of the server's entities.
func (p *player) replicaOf(m *match, e arche.Entity) arche.Entity { return p.client.Replica(m.id(e)) }
