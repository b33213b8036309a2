//go:build !js

package webtransport_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

func Example() {
	// The web server, on TCP, serves the page and the fingerprints of the certificates.
	certificates, err := webtransport.NewCertificates(time.Now)
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/webtransport", certificates)
	web := httptest.NewServer(mux)
	defer web.Close()

	// The game's server has the same port number, on UDP.
	listener, err := webtransport.Listen(web.Listener.Addr().String(), webtransport.Config{Certificates: certificates})
	if err != nil {
		fmt.Println(err)
		return
	}

	// A client tries WebTransport, and after three seconds WebSocket. In a browser this is the
	// same.
	client := transport.Fallback(3*time.Second,
		func() transport.Conn { return webtransport.Dial(web.URL+"/webtransport", webtransport.Config{}) },
		func() transport.Conn {
			return websocket.Dial("ws://"+web.Listener.Addr().String()+"/play", websocket.Config{})
		},
	)

	// A game calls these once per step. Nothing here waits. The pause stands for the rest of the
	// step.
	var server transport.Conn
	buf := make([]byte, transport.MaxMTU)
	start := time.Now()
	for answered := false; !answered && client.State() != transport.Closed; time.Sleep(time.Millisecond) {
		listener.Poll(time.Since(start))
		if c, ok := listener.Accept(); ok {
			server = c
		}
		if server != nil {
			server.Send([]byte("welcome"))
		}
		client.Poll(time.Since(start))
		if n, ok := client.Recv(buf); ok {
			fmt.Println(client.State(), string(buf[:n]))
			answered = true
		}
	}

	listener.Close(transport.Reason{Code: transport.Shutdown, Text: "good night"})
	<-listener.Done() // all clients have been sent the reason
	for client.State() != transport.Closed {
		client.Poll(time.Since(start))
		time.Sleep(time.Millisecond)
	}
	fmt.Println(client.State(), "-", client.CloseReason())
	// Output:
	// open welcome
	// closed - shutdown: good night
}
