package transport_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// The owner of a Conn calls Poll once per step, then Recv until there is no more, then Send. None
// of them blocks.
func Example() {
	listener := loopback.Listen(loopback.Config{})
	client := listener.Dial()
	var server transport.Conn
	buf := make([]byte, transport.MaxMTU)
	for step := range 3 {
		now := time.Duration(step) * time.Second / 60
		listener.Poll(now)
		if c, ok := listener.Accept(); ok {
			server = c
		}
		client.Poll(now)
		server.Poll(now)
		for n, ok := server.Recv(buf); ok; n, ok = server.Recv(buf) {
			fmt.Printf("step %d: %q\n", step, buf[:n])
		}
		if step == 0 {
			fmt.Println(client.State(), client.Send([]byte("hello")))
		}
	}
	client.Close(transport.Reason{Code: transport.Left, Text: "good night"})
	fmt.Println(client.Send([]byte("one more thing")))
	server.Poll(time.Second)
	fmt.Println(server.CloseReason())
	// Output:
	// open <nil>
	// step 1: "hello"
	// transport: connection is closed: CloseReason() says why
	// left: good night
}

// A host plays by a loopback while others join over the network. The server has one listener for
// both.
func ExampleMerge() {
	here := loopback.Listen(loopback.Config{})
	elsewhere := loopback.Listen(loopback.Config{}) // in a game: dtls.Listen, websocket.Listen
	both := transport.Merge(here, elsewhere)

	here.Dial()
	elsewhere.Dial()
	both.Poll(0)
	for c, ok := both.Accept(); ok; c, ok = both.Accept() {
		fmt.Println(c.State())
	}
	fmt.Println(both.Stats().Accepted)
	// Output:
	// open
	// open
	// 2
}
