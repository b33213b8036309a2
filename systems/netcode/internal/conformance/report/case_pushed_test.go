package report

import (
	"math"
	"math/rand/v2"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// pushed plays a client and a server. The server pushes the player sideways every two seconds. The
// function returns the share of the picture's offset that is left 0.7 s after a correction, the
// number of frames in which the offset grows without a correction, and the number of corrections
// beyond one for each push.
func pushed(seed uint64) []float64 {
	const (
		push, rounding = 0.5, 1e-5 // m
		begin, end     = 10 * tickRate, 70 * tickRate
	)
	var joined *testgame.Player
	listener := loopback.Listen(loopback.Config{})
	protocol := must(testgame.NewProtocol(tickRate, 8))
	server := must(testgame.Serve(protocol, testgame.ServerConfig{Listener: listener, Random: rand.NewChaCha8([32]byte{byte(seed)})},
		func(p *testgame.Player) testgame.State { joined = p; return testgame.State{} }))
	path := linksim.Path{Send: base.Up, Receive: base.Down}
	path.Receive.Seed, path.Send.Seed = 2*seed, 2*seed+1
	client := must(testgame.Join(protocol, testgame.ClientConfig{
		Dial:  func() (transport.Conn, error) { return linksim.Wrap(listener.Dial(), path) },
		Input: func(t netcode.Tick) testgame.Input { return testgame.Input{X: strafing(t).Move} },
	}, interpolation.New3D()))
	world := client.Engine.World()
	logicals, visuals := arche.ComponentID[components.Transform3D](world), arche.ComponentID[components.Visual3D](world)

	pushes, since, grew := 0, 0, 0
	var before, corrections uint64
	var first, last, left float64
	for k := range end {
		if k >= begin && k%(2*tickRate) == 0 && k < end-2*tickRate {
			joined.State.Z += push
			pushes++
		}
		server.Engine.Update(tickLength)
		client.Engine.Update(tickLength)
		if k < begin {
			before = client.Stats().Corrections
			corrections = before
			continue
		}
		own := client.Entity()
		logical := (*components.Transform3D)(world.Get(own, logicals)).Get().Position[2]
		size := math.Abs(float64((*components.Visual3D)(world.Get(own, visuals)).Get().Position[2] - logical))
		switch since++; {
		case client.Stats().Corrections != corrections:
			corrections, first, since = client.Stats().Corrections, size, 0
		case size > last+rounding:
			grew++
		case since == 0.7*tickRate && first > 0:
			left = max(left, size/first)
		}
		last = size
	}
	return []float64{left, float64(grew), float64(int(corrections-before) - pushes)}
}
