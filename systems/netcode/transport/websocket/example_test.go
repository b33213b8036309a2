//go:build !js

package websocket_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

func Example() {
	// This is the server, without TLS: on one machine, or behind a proxy that does it.
	listener, err := websocket.Listen("127.0.0.1:0", websocket.Config{Path: "/arena", Origins: []string{"play.example.org"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := websocket.Dial(listener.Addr(), websocket.Config{})

	// A game calls these once per step. Nothing here waits. The pause stands for the rest of the
	// step.
	var server transport.Conn
	buf := make([]byte, websocket.MTU)
	for answered := false; !answered && client.State() != transport.Closed; time.Sleep(time.Millisecond) {
		listener.Poll(0)
		if c, ok := listener.Accept(); ok {
			server = c
			server.Send([]byte("welcome"))
		}
		client.Poll(0)
		if n, ok := client.Recv(buf); ok {
			fmt.Println(client.State(), string(buf[:n]))
			answered = true
		}
	}

	listener.Close(transport.Reason{Code: transport.Shutdown, Text: "good night"})
	<-listener.Done() // all clients have been sent the reason
	for client.State() != transport.Closed {
		client.Poll(0)
		time.Sleep(time.Millisecond)
	}
	fmt.Println(client.State(), "-", client.CloseReason())
	// Output:
	// open welcome
	// closed - shutdown: good night
}
