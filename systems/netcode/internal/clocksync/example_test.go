package clocksync_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
)

const ms = time.Millisecond

// A server whose time is an hour ahead answers pings over a path of 30 ms up and 50 ms down. The
// offset is off by half of the difference, since an exchange cannot show that difference.
func ExampleReference() {
	reference := clocksync.NewReference()
	for sent := time.Duration(0); sent < 10*time.Second; sent += 250 * ms {
		server := sent + 30*ms + time.Hour
		if _, err := reference.Add(clocksync.Sample{
			ClientSend:    sent,
			ServerReceive: server,
			ServerSend:    server + 2*ms,
			ClientReceive: sent + 82*ms,
		}); err != nil {
			panic(err)
		}
	}
	fmt.Println("round trip", reference.MinRTT())
	fmt.Println("server time", reference.At(10*time.Second))
	// Output:
	// round trip 80ms
	// server time 1h0m9.99s
}

// A whole client on a perfect link of 40 ms each way: the simulation runs ahead of the server by
// the way up, and by the needs of its frames, of three packets per input, and of rounding.
func ExampleClient() {
	grid := clocksync.Grid{} // 60 ticks a second
	client, meter := clocksync.NewClient(clocksync.Config{Grid: grid}), clocksync.NewAgeMeter(grid)
	engine, stretch := clocksync.EngineTime{}, 1.0
	for now := time.Duration(0); now < 5*time.Second; now += 10 * ms { // frames
		if client.PingDue(now) {
			at := now + 40*ms // the server's time line is ours in this example
			if _, err := client.Answered(clocksync.Sample{ClientSend: now, ServerReceive: at, ServerSend: at, ClientReceive: now + 80*ms}); err != nil {
				panic(err)
			}
		}
		// The engine consumes the frame's 10 ms, stretched, and runs the steps that are due.
		engine.Normal += time.Duration(float64(10*ms) * stretch)
		for engine.Fixed <= engine.Normal {
			t := client.Tick(engine.Tick)
			client.Sent(t, now)         // the input packet of tick t
			meter.Arrived(t, now+40*ms) // reaches the server
			engine.Tick++
			engine.Fixed = grid.Edge(int64(engine.Tick))
		}
		client.Reported(now, meter.Report()) // in a snapshot
		var jump clocksync.ClockJump
		if stretch, jump = client.Update(now, engine); jump.Cause != clocksync.NoJump {
			fmt.Println("jump:", jump.Cause)
		}
	}
	stats := client.Stats()
	fmt.Println("round trip", stats.RTT)
	fmt.Println("lead", stats.Lead.Round(5*ms)) // the way up, 40 ms, and 45 ms to be early
	fmt.Println("inputs arrive in time:", meter.Report().Age > 0)
	// Output:
	// jump: start
	// round trip 80ms
	// lead 85ms
	// inputs arrive in time: true
}

// The engine lost 500 ms to a stall. A jump of its mapping to server ticks makes up for them at
// once.
func ExampleSimulation() {
	grid := clocksync.Grid{} // 60 ticks a second
	simulation := clocksync.NewSimulation(grid)
	at := func(tick uint64) clocksync.EngineTime {
		return clocksync.EngineTime{Normal: grid.Edge(int64(tick)) - 1, Fixed: grid.Edge(int64(tick)), Tick: tick}
	}
	engine := at(60)
	simulation.Update(time.Second, engine, 10*time.Second, false)
	fmt.Println("engine step 60 simulates tick", simulation.Tick(60))

	engine = at(90)
	engine.Dropped = 500 * ms
	_, jump := simulation.Update(2*time.Second, engine, 11*time.Second, false)
	fmt.Println(jump.Cause, "by", jump.Ticks, "ticks")
	fmt.Println("engine step 90 simulates tick", simulation.Tick(90))
	// Output:
	// engine step 60 simulates tick 601
	// stall by 29 ticks
	// engine step 90 simulates tick 660
}
