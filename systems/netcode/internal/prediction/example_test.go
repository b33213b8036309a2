package prediction_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// A client predicts. A server with a wall disagrees. The drawn position glides to the server's.
func ExamplePredictor() {
	client := prediction.NewPredictor(prediction.Config[body, control]{
		Step:      step,
		Distance:  distance,
		Tolerance: 0.001,
		Rules:     rules,
	})
	client.Start(0, body{})
	for t := range tick.Tick(10) {
		client.Advance(t, control{Move: 1})
	}
	fmt.Printf("predicted %.2f\n", client.State().X)

	// The server's state at tick 4 arrives. The server has a wall at 0.25.
	c := client.Reconcile(4, body{X: 0.25})
	fmt.Printf("corrected %v at depth %d: %.2f\n", c.Outcome == prediction.Corrected, c.Depth, c.After.X)

	var offset articles.ErrorOffset[float64, articles.Scalar]
	offset.Correct(c.Before.X, c.After.X)
	fmt.Printf("drawn %.2f", offset.Apply(c.After.X))
	offset.Advance(200 * time.Millisecond)
	fmt.Printf(", 200 ms later %.3f\n", offset.Apply(c.After.X))
	// Output:
	// predicted 1.00
	// corrected true at depth 6: 0.85
	// drawn 1.00, 200 ms later 0.925
}

// A packet of inputs is lost. The next packet contains them again, in time for all but the first.
func ExampleBuffer() {
	client := prediction.NewPending[control](0)
	server := prediction.NewBuffer(100, prediction.BufferConfig[control]{Rules: rules})
	var inputs prediction.Inputs[control]
	buf := make([]byte, 256)
	for t := tick.Tick(100); t < 104; t++ {
		client.Push(t, control{Move: 1, Press: 1 << (t - 100)})
		w := packet.NewWriter(buf)
		n := client.Write(&w, controls{}, prediction.Redundancy{})
		if t == 101 {
			fmt.Println("lost a packet")
		} else if server.Admit() {
			r := packet.NewReader(w.Bytes())
			if err := inputs.Read(&r, controls{}); err != nil {
				fmt.Println(err)
				return
			}
			server.Receive(&inputs, time.Duration(t)*time.Second/60)
			client.Acknowledge(server.Feedback().Ack)
			fmt.Printf("%d inputs in %d bytes\n", n, len(w.Bytes()))
		}
		in, source := server.Next()
		fmt.Printf("tick %d runs move %d, press %04b, missing: %v\n", t, in.Move, in.Press, source != prediction.Received)
	}
	// Output:
	// 1 inputs in 7 bytes
	// tick 100 runs move 1, press 0001, missing: false
	// lost a packet
	// tick 101 runs move 1, press 0000, missing: true
	// 2 inputs in 9 bytes
	// tick 102 runs move 1, press 0110, missing: false
	// 1 inputs in 7 bytes
	// tick 103 runs move 1, press 1000, missing: false
}

// On arrival, 10 s of silence give a credit of 100 ms, not of 10 s.
func ExampleArrivals() {
	server := prediction.NewArrivals(prediction.ArrivalConfig[control]{Rules: rules})
	run := func(now, networkTick time.Duration) (n int) {
		server.Advance(now, networkTick)
		for {
			if _, ok := server.Next(); !ok {
				return n
			}
			n++
		}
	}
	server.Put(0, control{Move: 1})
	fmt.Println(run(0, 50*time.Millisecond), "ran, the state is", server.Delta(50*time.Millisecond).Round(time.Millisecond), "old")

	for id := range tick.Tick(300) {
		server.Put(1+id, control{Move: 1})
	}
	fmt.Println(run(10*time.Second, 10*time.Second+50*time.Millisecond), "ran,", server.Stats().Dropped, "dropped")
	// Output:
	// 1 ran, the state is 33ms old
	// 6 ran, 294 dropped
}
