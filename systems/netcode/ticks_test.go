package netcode_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A game plays at any tick rate without other settings, and equally fast at each. A player that
// runs steadily moves by the same distance in every frame, on its own screen and on the other one.
func TestTickRates(t *testing.T) {
	const speed = 6.0
	for _, rate := range []int{5, 10, 20, 29, 31, 60, 144, 250} {
		protocol := func() *netcode.Protocol[hero, buttons] {
			p, err := netcode.NewProtocol(netcode.Config{TickRate: rate}, netcode.Game[hero, buttons]{
				Step: func(h hero, in buttons, _ netcode.Tick) hero {
					h.X += float32(in.X) * float32(speed/float64(rate))
					return h
				},
				Pose: poseHero, States: netcode.StructState[hero](), Inputs: netcode.StructInput[buttons](),
				Distance: func(a, b hero) float64 { return math.Abs(float64(a.X - b.X)) },
			})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		listener := loopback.Listen(loopback.Config{})
		engines := make([]*ecs.Engine, 3)
		for i := range engines {
			var err error
			if engines[i], err = ecs.New(ecs.Config{FixedRate: rate}); err != nil {
				t.Fatal(err)
			}
		}
		spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engines[0].World())
		server, err := netcode.NewServer(protocol(), netcode.ServerConfig[hero, buttons]{
			Listener: listener, Log: quiet(),
			Joined: func(p *netcode.Player[hero, buttons]) (hero, arche.Entity) {
				state := hero{X: -100, Z: float32(p.Number())}
				l := components.NewLogical(poseHero(state))
				return state, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindHero})
			},
		})
		if err != nil {
			t.Fatalf("%d Hz: %v", rate, err)
		}
		engines[0].Install(server)
		var runs int8
		clients := make([]*netcode.Client[hero, buttons], 2)
		for i := range clients {
			clients[i], err = netcode.NewClient(protocol(), netcode.ClientConfig[hero, buttons]{
				Dial: func() (transport.Conn, error) { return listener.Dial(), nil }, Log: quiet(),
				Input: func(netcode.Tick) buttons { return buttons{X: runs} },
			})
			if err != nil {
				t.Fatal(err)
			}
			engines[1+i].Install(interpolation.New3D(), clients[i])
		}
		const frame = time.Second / 97
		run := func(d time.Duration, look func()) {
			for range d / frame {
				for _, e := range engines {
					e.Update(frame)
				}
				look()
			}
		}
		run(3*time.Second, func() {})
		runs = 1
		run(3*time.Second, func() {})
		// x of both players as each client shows them
		places := func() (at []float32) {
			for i, c := range clients {
				visuals := generic.NewMap1[components.Visual3D](engines[1+i].World())
				server.Players(func(p *netcode.Player[hero, buttons]) {
					_, r := spawn.Get(p.Entity)
					e := c.Replica(r.ID)
					if e.IsZero() {
						t.Fatalf("%d Hz: client %d does not see player %d", rate, i, p.Number())
					}
					at = append(at, visuals.Get(e).Get().Position[0])
				})
			}
			return at
		}
		begin, last, worst := places(), places(), 0.0
		if len(begin) != 4 {
			t.Fatalf("%d Hz: %d players in two pictures", rate, len(begin))
		}
		run(4*time.Second, func() {
			now := places()
			for k, x := range now {
				worst = max(worst, math.Abs(float64(x-last[k])-speed*frame.Seconds()))
			}
			last = now
		})
		if worst > 2.0/512 { // two quanta
			t.Errorf("%d Hz: a frame's way is %.4f m off", rate, worst)
		}
		for k := range last {
			if way := float64(last[k] - begin[k]); math.Abs(way-4*speed) > 0.1 {
				t.Errorf("%d Hz: %.3f m in 4 s at %v m/s", rate, way, speed)
			}
		}
		for _, c := range clients {
			if s := c.Stats(); s.Starved > 0 || s.Missed > 0 || s.Status != netcode.Playing {
				t.Errorf("%d Hz: %+v", rate, s)
			}
		}
		for _, e := range engines {
			e.Close()
		}
	}
}
