package netcode_test

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A client keeps the last seconds in a ring. A second engine and client show them again while the
// match goes on.
func ExampleClient_Record() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // joins and leaves

	listener := loopback.Listen(loopback.Config{})
	engine, client := exampleClient(exampleProtocol(),
		func() (transport.Conn, error) { return listener.Dial(), nil },
		func(netcode.Tick) buttons { return buttons{X: 1} },
	)
	ring := replay.NewRing(10 * time.Second)
	var theatre *ecs.Engine
	var again *netcode.Client[hero, buttons]
	frames := 0
	running := func() bool { return frames < 8*60 }
	sinceLast := func() time.Duration {
		const frame = time.Second / 60
		engine.Update(frame)
		if theatre != nil {
			theatre.Update(frame)
		}
		switch frames++; frames {
		case 60: // it has joined
			if err := client.Record(ring); err != nil {
				panic(err)
			}
		case 6 * 60:
			theatre, again = lastSeconds(ring, client.Number())
		}
		return frame
	}
	exampleServer(exampleProtocol(), listener, running, sinceLast, func(time.Duration) {})
	status, _ := client.Status()
	fmt.Println("live:", status, "at", frames/60, "s")
	view := again.Replay()
	fmt.Printf("again: %.0f s before the end of the clip, which was at 6 s\n", (view.Length() - view.At()).Seconds())
	// Output:
	// live: playing at 8 s
	// again: 1 s before the end of the clip, which was at 6 s
}

// lastSeconds shows the last three seconds of a ring again, and follows a player.
func lastSeconds(ring *replay.Ring, player uint16) (*ecs.Engine, *netcode.Client[hero, buttons]) {
	tape, err := ring.Clip(3 * time.Second)
	if err != nil {
		panic(err) // nothing has been recorded yet
	}
	theatre, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	again, err := netcode.NewClient(exampleProtocol(), netcode.ClientConfig[hero, buttons]{Replay: tape})
	if err != nil {
		panic(err)
	}
	theatre.Install(interpolation.New3D(), again)
	again.Replay().Follow(player)
	again.Replay().Seek(tape.Length() - 3*time.Second)
	return theatre, again
}
