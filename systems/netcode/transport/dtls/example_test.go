package dtls_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
)

func Example() {
	// This is the server. A certificate from LoadOrCreateCertificate would keep the fingerprint
	// over restarts.
	listener, err := dtls.Listen("127.0.0.1:0", dtls.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// The client has address and fingerprint from the join link.
	client := dtls.Dial(listener.Addr(), listener.Fingerprint(), dtls.Config{})

	// A game calls these once per step. Nothing here waits. The pause stands for the rest of the
	// step.
	var server transport.Conn
	buf := make([]byte, dtls.MTU)
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

func ExampleDial() {
	// The link is from yesterday, and the server has another certificate by now.
	listener, err := dtls.Listen("127.0.0.1:0", dtls.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close(transport.Reason{})
	yesterday, err := dtls.GenerateCertificate(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	client := dtls.Dial(listener.Addr(), dtls.FingerprintOf(yesterday), dtls.Config{})
	for client.State() == transport.Connecting {
		client.Poll(0)
		time.Sleep(time.Millisecond)
	}
	fmt.Println(client.CloseReason())
	// Output: unauthorized: this is not the server that made the join link: ask for a new link
}
