package netcode_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// The game of these tests has codecs that accept everything. Walkers with an analog stick push a
// ball.

type walker struct{ X, Z float32 }

type stick struct{ X, Z, Aim float32 } // an Aim of zero takes one bit

type walkerCodec struct{}

func (walkerCodec) Write(w *netcode.Writer, s walker) { w.Float32(s.X); w.Float32(s.Z) }
func (walkerCodec) Read(r *netcode.Reader) walker     { return walker{r.Float32(), r.Float32()} }

// stickCodec writes a value that the test chooses in place of a stick at 7.
type stickCodec struct{ instead float32 }

func (c stickCodec) Write(w *netcode.Writer, in, _ stick) {
	if in.X == 7 {
		in.X = c.instead
	}
	w.Float32(in.X)
	w.Float32(in.Z)
	if w.Bool(in.Aim != 0); in.Aim != 0 {
		w.Float32(in.Aim)
	}
}

func (stickCodec) Read(r *netcode.Reader, _ stick) stick {
	in := stick{X: r.Float32(), Z: r.Float32()}
	if r.Bool() {
		in.Aim = r.Float32()
	}
	return in
}

type ball struct{ X, Z float32 }

type ballCodec struct{}

func (ballCodec) Quantize(b ball) ball                       { return b }
func (ballCodec) Encode(w *netcode.Writer, b ball, _ *ball)  { w.Float32(b.X); w.Float32(b.Z) }
func (ballCodec) Decode(r *netcode.Reader, _ *ball) (b ball) { return ball{r.Float32(), r.Float32()} }

func distance(ax, az, bx, bz float32) float64 { return math.Hypot(float64(ax-bx), float64(az-bz)) }

// walkers returns that game's protocol for one end. It counts the steps of walkers.
func walkers(t *testing.T, codec stickCodec, steps *int, share func(stick) stick) *netcode.Protocol[walker, stick] {
	t.Helper()
	p, err := netcode.NewProtocol(netcode.Config{TickRate: tickRate, MaxEntities: 64, Velocity: netcode.Range{Max: 64, Resolution: 1.0 / 32}}, netcode.Game[walker, stick]{
		Step: func(s walker, in stick, _ netcode.Tick) walker {
			*steps++
			return walker{s.X + in.X/10, s.Z + in.Z/10}
		},
		Pose:   func(s walker) components.Pose3D { return components.At3D(s.X, 0, s.Z) },
		States: walkerCodec{}, Inputs: codec, Tolerance: 1e-3,
		Distance: func(a, b walker) float64 { return distance(a.X, a.Z, b.X, b.Z) },
	})
	if err != nil {
		t.Fatal(err)
	}
	netcode.PredictBodies(p, "ball", netcode.Bodies[walker, stick, ball]{
		Archetypes: []uint16{kindCrate}, Codec: ballCodec{}, Near: 10, Tolerance: 1e-3, ShareInput: share,
		Step: func(g *netcode.BodyGroup[walker, stick, ball], _ netcode.Tick) {
			for i := range g.Bodies {
				for _, a := range g.Players {
					if b := &g.Bodies[i].State; distance(b.X, b.Z, a.State.X, a.State.Z) < 0.5 {
						b.X += a.Input.X / 10
					}
				}
			}
		},
		Pose:     func(b ball) components.Pose3D { return components.At3D(b.X, 0, b.Z) },
		Distance: func(a, b ball) float64 { return distance(a.X, a.Z, b.X, b.Z) },
		ProxyState: func(_ netcode.Replicated, pose components.Pose3D, _ mgl32.Vec3, _ stick) (walker, bool) {
			return walker{pose.Position[0], pose.Position[2]}, true
		},
	})
	return p
}

// A client sends inputs that are not numbers, or infinite, past a codec that accepts everything.
// NaNs are refused before they run, so nothing changes. Infinite inputs run. Their states are not
// finite, so the player stays. Huge ones move the player out of the world for good. They may cost
// its client and the clients near it a replay in every step. The history bounds that cost.
func TestAbsurdInputsCostABoundedReplay(t *testing.T) {
	for _, absurd := range []float32{float32(math.NaN()), float32(math.Inf(1)), math.MaxFloat32} {
		listener := loopback.Listen(loopback.Config{})
		var serverSteps int
		steps := make([]int, 2) // of both clients
		engine, err := ecs.New(ecs.Config{FixedRate: tickRate})
		if err != nil {
			t.Fatal(err)
		}
		var joined []*netcode.Player[walker, stick]
		spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
		server, err := netcode.NewServer(walkers(t, stickCodec{}, &serverSteps, nil), netcode.ServerConfig[walker, stick]{
			Listener: listener, Random: rand.NewChaCha8([32]byte{1}), Log: quiet(),
			Joined: func(p *netcode.Player[walker, stick]) (walker, arche.Entity) {
				joined = append(joined, p)
				l := components.NewLogical(components.At3D(0, 0, float32(len(joined))))
				return walker{Z: float32(len(joined))}, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindRun})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		engine.Install(server)
		l := components.NewLogical(components.At3D(2, 0, 1))
		balls := generic.NewMap3[components.Transform3D, netcode.Replicated, ball](engine.World())
		balls.NewWith(&l, &netcode.Replicated{Archetype: kindCrate}, &ball{2, 1})
		var clients []*netcode.Client[walker, stick]
		var engines []*ecs.Engine
		mad := false
		for i := range steps {
			codec := stickCodec{}
			if i == 1 {
				codec.instead = absurd
			}
			client, err := netcode.NewClient(walkers(t, codec, &steps[i], nil), netcode.ClientConfig[walker, stick]{
				Dial: func() (transport.Conn, error) { return listener.Dial(), nil }, Log: quiet(),
				Input: func(at netcode.Tick) stick {
					switch {
					case i == 1 && mad:
						return stick{X: 7}
					case at/32%2 == 0:
						return stick{Z: 0.1}
					}
					return stick{Z: -0.1}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			e, err := ecs.New(ecs.Config{FixedRate: tickRate})
			if err != nil {
				t.Fatal(err)
			}
			e.Install(interpolation.New3D(), client)
			clients, engines = append(clients, client), append(engines, e)
		}
		most := make([]int, 2)
		run := func(d time.Duration) {
			clear(most)
			for range int(d * tickRate / time.Second) {
				engine.Update(time.Second / tickRate)
				for i, e := range engines {
					before := steps[i]
					e.Update(time.Second / tickRate)
					most[i] = max(most[i], steps[i]-before)
				}
			}
		}
		run(4 * time.Second)
		if len(joined) != 2 || clients[0].Stats().Predicted != 1 {
			t.Fatalf("%d players, %d bodies predicted", len(joined), clients[0].Stats().Predicted)
		}
		mad = true
		run(6 * time.Second)
		// A step of the engine has one or two new ticks, and at most one replay of the history: of
		// the own player, and of the other one.
		const history = prediction.DefaultHistory
		if limit := 2 * (history + 2); most[0] > limit || most[1] > limit {
			t.Errorf("%v: up to %d and %d steps of walkers are run in one, want %d at most", absurd, most[0], most[1], limit)
		}
		a := joined[0]
		if s, _ := clients[0].Status(); s != netcode.Playing || a.State.X != 0 || math.Abs(float64(a.State.Z-1)) > 0.4 {
			t.Errorf("%v: the other player is %v, at %v", absurd, s, a.State)
		}
		if own, _ := clients[0].State(); distance(own.X, own.Z, a.State.X, a.State.Z) > 0.2 {
			t.Errorf("%v: the other player is predicted at %v, and is at %v", absurd, own, a.State)
		}
		if math.IsNaN(float64(absurd)) {
			// Its own client counts the inputs and moves on. On the server the player stands, as
			// one without inputs does.
			if n := server.Stats().Malformed; n < 100 || joined[1].State.X != 0 || most[0] > history/2 {
				t.Errorf("%d packets with NaNs refused; the player is at %v; the other one's client runs up to %d steps in one", n, joined[1].State, most[0])
			}
		} else if x := float64(joined[1].State.X); math.IsInf(float64(absurd), 0) != (x == 0) || x != 0 && !(x > 1e30 && x <= math.MaxFloat32) {
			t.Errorf("%v: the player is at %v: the test shows nothing", absurd, joined[1].State)
		}
		t.Logf("%v: up to %d and %d steps of walkers in one; corrections %d and %d", absurd, most[0], most[1], clients[0].Stats().Corrections, clients[1].Stats().Corrections)
	}
}
