package netcode_test

import (
	"fmt"
	"log"
	"log/slog"
	"math"
	"math/rand/v2"
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

// A protocol with boxes that players push.
func exampleBodies() *netcode.Protocol[runner, input] {
	protocol, err := netcode.NewProtocol(netcode.Config{TickRate: 60}, netcode.Game[runner, input]{
		Step: stepRunner, Pose: poseRunner, States: runnerCodec{}, Inputs: inputCodec{}, Tolerance: 0.01,
		Distance: func(a, b runner) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
	})
	if err != nil {
		log.Fatal(err)
	}
	netcode.PredictBodies(protocol, "box", netcode.Bodies[runner, input, box]{
		Archetypes: []uint16{kindBox},
		Step:       stepBoxes, // func(g *netcode.BodyGroup[runner, input, box], t netcode.Tick)
		Pose:       poseBox,   // func(b box) components.Pose3D
		Codec:      boxCodec{},
		// func(b box, pose components.Pose3D) box: takes from the pose what need not be sent twice
		Restore:   restoreBox,
		Distance:  boxDistance,
		Tolerance: 0.01,
		Near:      8, // m
	})
	return protocol
}

// A player runs into a box. On the player's screen the box moves at once, long before the server's
// state of it arrives.
func ExamplePredictBodies() {
	listener := loopback.Listen(loopback.Config{})
	host, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		log.Fatal(err)
	}
	players := generic.NewMap2[components.Transform3D, netcode.Replicated](host.World())
	server, err := netcode.NewServer(exampleBodies(), netcode.ServerConfig[runner, input]{
		Listener: listener, Log: slog.New(slog.DiscardHandler), Random: rand.NewChaCha8([32]byte{1}),
		Joined: func(*netcode.Player[runner, input]) (runner, arche.Entity) {
			l := components.NewLogical(poseRunner(runner{}))
			return runner{}, players.NewWith(&l, &netcode.Replicated{Archetype: kindRun})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	host.Install(server)

	// A body has this component beside those of every replicated entity.
	bodies := generic.NewMap3[components.Transform3D, netcode.Replicated, box](host.World())
	b := box{X: 3}
	l := components.NewLogical(poseBox(b))
	bodies.NewWith(&l, &netcode.Replicated{Archetype: kindBox}, &b)

	running := input{}
	client, err := netcode.NewClient(exampleBodies(), netcode.ClientConfig[runner, input]{
		Dial:  func() (transport.Conn, error) { return listener.Dial(), nil },
		Input: func(netcode.Tick) input { return running },
		Log:   slog.New(slog.DiscardHandler),
	})
	if err != nil {
		log.Fatal(err)
	}
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(interpolation.New3D(), client)
	for frame := range 5 * 60 {
		if frame == 3*60 {
			running.X = 1
		}
		host.Update(time.Second / 60)
		engine.Update(time.Second / 60)
	}
	state, _ := client.State()
	stats := client.Stats()
	fmt.Println(stats.Predicted, "box predicted; the player has pushed it aside or ahead:", state.X > 3)
	fmt.Println("corrections:", stats.Corrections, "of the player,", stats.BodyCorrections, "of the box")
	// Output:
	// 1 box predicted; the player has pushed it aside or ahead: true
	// corrections: 0 of the player, 0 of the box
}
