package clocksync_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

const ms = time.Millisecond

// A server whose time is an hour ahead answers pings over a path of 30 ms up and 50 ms down. The
// offset is off by half of the difference, which is the most that an exchange can tell.
func ExampleReference() {
	reference, err := clocksync.NewReference(clocksync.ReferenceConfig{})
	if err != nil {
		panic(err)
	}
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
	stats := reference.RTT()
	fmt.Println("round trip", stats.Smoothed())
	fmt.Println("server time", reference.At(10*time.Second))
	// Output:
	// round trip 80ms
	// server time 1h0m9.99s
}

// A whole client on a perfect link of 40 ms each way: the simulation runs ahead of the server by
// the way up, and by what its frames, three packets per input, and rounding want.
func ExampleClient() {
	client, err := clocksync.NewClient(clocksync.Config{Rate: 60})
	if err != nil {
		panic(err)
	}
	grid, meter := client.Simulation().Grid(), mustMeter(60)
	engine := clocksync.EngineTime{}
	for now := time.Duration(0); now < 5*time.Second; now += 10 * ms { // frames
		if client.PingDue(now) {
			at := now + 40*ms // the server's time line is ours in this example
			if _, err := client.Answered(clocksync.Sample{ClientSend: now, ServerReceive: at, ServerSend: at, ClientReceive: now + 80*ms}); err != nil {
				panic(err)
			}
		}
		// The engine consumes the frame's 10 ms, stretched, and runs the steps that are due.
		engine.Normal += time.Duration(float64(10*ms) * client.Simulation().Stretch())
		for engine.Fixed <= engine.Normal {
			t := client.Tick(engine.Tick)
			client.Sent(t, now)         // the input packet of tick t
			meter.Arrived(t, now+40*ms) // reaches the server
			engine.Tick++
			engine.Fixed = grid.Edge(int64(engine.Tick))
		}
		client.Reported(now, meter.Report()) // in a snapshot
		if _, jump := client.Update(now, engine); jump.Cause != clocksync.NoJump {
			fmt.Println("jump:", jump.Cause)
		}
	}
	stats := client.Stats(5 * time.Second)
	fmt.Println("round trip", stats.RTT)
	fmt.Println("way up", stats.Way.Round(5*ms), "target age", stats.TargetAge.Round(5*ms))
	fmt.Println("inputs arrive in time:", meter.Report().Age > 0)
	// Output:
	// jump: start
	// round trip 80ms
	// way up 40ms target age 45ms
	// inputs arrive in time: true
}

func mustMeter(rate int) *clocksync.AgeMeter {
	meter, err := clocksync.NewAgeMeter(rate)
	if err != nil {
		panic(err)
	}
	return meter
}

// The network becomes 100 ms slower. The view falls back at 0.9 of real time, and never runs
// backwards.
func ExampleView() {
	view, err := clocksync.NewView(clocksync.ViewConfig{})
	if err != nil {
		panic(err)
	}
	delay := 100 * ms
	for now := time.Duration(0); now <= 2*time.Second; now += 20 * ms {
		reference := now + time.Hour
		view.Advance(now, reference, delay)
		if now%(400*ms) == 0 {
			fmt.Printf("%4v: lag %v, rate %.2f\n", now, view.Lag().Round(ms), view.Rate())
		}
		delay = 200 * ms
	}
	// Output:
	//   0s: lag 100ms, rate 1.00
	// 400ms: lag 140ms, rate 0.90
	// 800ms: lag 180ms, rate 0.91
	// 1.2s: lag 196ms, rate 0.98
	// 1.6s: lag 199ms, rate 1.00
	//   2s: lag 200ms, rate 1.00
}

// The engine lost 500 ms to a stall. Its mapping to server ticks makes up for them at once.
func ExampleSimulation() {
	simulation, err := clocksync.NewSimulation(clocksync.SimulationConfig{Rate: 60})
	if err != nil {
		panic(err)
	}
	grid := simulation.Grid()
	at := func(tick uint64) clocksync.EngineTime {
		return clocksync.EngineTime{Normal: grid.Edge(int64(tick)) - 1, Fixed: grid.Edge(int64(tick)), Tick: tick}
	}
	engine := at(60)
	simulation.Update(time.Second, engine, 10*time.Second)
	fmt.Println("engine step 60 simulates tick", simulation.Tick(60))

	engine = at(90)
	engine.Dropped = 500 * ms
	_, jump := simulation.Update(2*time.Second, engine, 11*time.Second)
	fmt.Println(jump.Cause, "from", jump.From, "to", jump.To)
	fmt.Println("engine step 90 simulates tick", simulation.Tick(90))
	// Output:
	// engine step 60 simulates tick 601
	// stall from 631 to 660
	// engine step 90 simulates tick 660
}

// The article's loop counts updates: one that is lost puts it off by 100 ms. The mended one reads
// the tick.
func ExampleTickPLL() {
	article := clocksync.NewPLL(0)
	mended, err := clocksync.NewTickPLL(clocksync.TickPLLConfig{Rate: 60})
	if err != nil {
		panic(err)
	}
	mended.Update(0, 0)
	for update := 1; update <= 50; update++ {
		if update == 20 {
			continue // lost
		}
		now := time.Duration(update) * 100 * ms
		article.OnServerUpdate(now)
		mended.Update(now, tick.Tick(6*update))
	}
	fmt.Println("the article labels the newest state", article.ServerDelta(0))
	fmt.Println("the mended loop's time is", mended.Now(5*time.Second))
	// Output:
	// the article labels the newest state 4.9s
	// the mended loop's time is 5s
}

// A clock that makes a thousand steps due makes eight of them run.
func ExampleStepper() {
	stepper, err := clocksync.NewStepper(60, 8)
	if err != nil {
		panic(err)
	}
	stepper.Advance(0)
	first, n, _ := stepper.Advance(100 * ms)
	fmt.Println(n, "steps from", first)
	first, n, jump := stepper.Advance(10 * time.Second)
	fmt.Println(n, "steps from", first, "then tick", jump.To)
	// Output:
	// 6 steps from 1
	// 8 steps from 7 then tick 601
}

// Racer's exchange: the offset is server minus client, and the client is told it.
func ExampleRequestAck() {
	request := clocksync.Request{Server: 1000 * ms}
	acknowledge := request.Answer(420 * ms) // by the client's clock
	var shared clocksync.RequestAck
	shared.Acknowledged(acknowledge, 1060*ms) // by the server's
	fmt.Println("ping", shared.Ping(), "offset", shared.Offset())
	// Output:
	// ping 60ms offset 610ms
}
