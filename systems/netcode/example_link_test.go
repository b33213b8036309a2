//go:build !js

package netcode_test

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// dialLink makes a connection from a link that the client was given.
func dialLink(link joinlink.Link) (transport.Conn, error) {
	if link.Transport == joinlink.DTLS {
		return dtls.Dial(link.Address(), link.Fingerprint, dtls.Config{}), nil
	}
	return websocket.Dial(link.URL(), websocket.Config{Fingerprint: link.Fingerprint}), nil
}

// Over a network: the server prints a join link. A client with the link may join, by encrypted UDP
// here.
func Example_joinLink() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))

	// or LoadOrCreateCertificate: then links stay valid over a restart
	certificate, err := dtls.GenerateCertificate(nil)
	if err != nil {
		log.Fatal(err)
	}
	// ":7777" for all clients that can reach this machine
	listener, err := dtls.Listen("127.0.0.1:0", dtls.Config{Certificate: certificate})
	if err != nil {
		log.Fatal(err)
	}
	token := rand.Text()
	link := listener.Link("", token) // "play.example.org" is the address for others
	server, err := netcode.NewServer(exampleProtocol(), netcode.ServerConfig[hero, buttons]{
		Listener: listener,
		Authenticate: func(c netcode.JoinRequest) error {
			if subtle.ConstantTimeCompare(c.Token, []byte(token)) == 0 {
				return errors.New("ask for a new link") // a text that the client receives
			}
			return nil
		},
		// a spectator
		Joined: func(*netcode.Player[hero, buttons]) (hero, arche.Entity) { return hero{}, arche.Entity{} },
	})
	if err != nil {
		log.Fatal(err)
	}
	play := func(text string) (netcode.Status, transport.Reason) {
		// in another process, with the printed line
		link, err := joinlink.Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		client, err := netcode.NewClient(exampleProtocol(), netcode.ClientConfig[hero, buttons]{
			Dial:  func() (transport.Conn, error) { return dialLink(link) },
			Token: []byte(link.Token),
			Input: func(netcode.Tick) buttons { return buttons{} },
		})
		if err != nil {
			log.Fatal(err)
		}
		world := MustEngine(client, interpolation.New3D())
		defer world.Close() // leaves
		for {
			if status, reason := client.Status(); status != netcode.Joining {
				return status, reason
			}
			time.Sleep(time.Second / 60)
			world.Update(time.Second / 60)
		}
	}

	engine := MustEngine(server)
	over := make(chan struct{})
	go func() { // the server's process
		defer close(over)
		for server.Stats().Joined < 1 || server.Stats().Left < 1 || server.Stats().Refused < 1 {
			time.Sleep(time.Second / 60)
			engine.Update(time.Second / 60)
		}
		engine.Close()    // which closes the listener
		<-listener.Done() // every client is notified
	}()
	fmt.Println(play(link.String()))
	fmt.Println(play(listener.Link("", "a-guess").String()))
	<-over
	// Output:
	// playing open
	// ended unauthorized: ask for a new link
}
