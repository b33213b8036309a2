package netcode_test

import (
	"fmt"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Orders, chat and abilities are messages: they arrive once and in order, even if packets are lost.
func ExampleClient_Send() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))

	protocol, listener := exampleProtocol(), loopback.Listen(loopback.Config{})
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	server, err := netcode.NewServer(protocol, netcode.ServerConfig[hero, buttons]{
		Listener: listener,
		// a spectator
		Joined: func(*netcode.Player[hero, buttons]) (hero, arche.Entity) { return hero{}, arche.Entity{} },
		Message: func(p *netcode.Player[hero, buttons], data []byte, _ bool) {
			fmt.Printf("player %d orders: %s\n", p.Number(), data)
		},
	})
	if err != nil {
		panic(err)
	}
	engine.Install(server)
	world, client := exampleClient(protocol,
		func() (transport.Conn, error) { return listener.Dial(), nil }, func(netcode.Tick) buttons { return buttons{} })
	for step := range 2 * 60 {
		if step == 60 {
			for _, order := range []string{"build a house", "build a road"} {
				if err := client.Send([]byte(order)); err != nil {
					fmt.Println(err)
				}
			}
		}
		engine.Update(time.Second / 60)
		world.Update(time.Second / 60)
	}
	// Output:
	// player 1 orders: build a house
	// player 1 orders: build a road
}

// chatLine is a line of a chat. The server sets From: a client could take another player's name.
type chatLine struct {
	From netcode.Text
	Line string `max:"200"`
}

// A chat with names. Both ends make the same kinds of messages, in the same order.
func ExampleNewMessage() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))

	protocol, listener := exampleProtocol(), loopback.Listen(loopback.Config{})
	chat := netcode.NewMessage[chatLine](protocol, "chat")

	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	names := map[uint16]netcode.Text{} // by the players' numbers
	var server *netcode.Server[hero, buttons]
	server, err = netcode.NewServer(protocol, netcode.ServerConfig[hero, buttons]{
		Listener: listener,
		Joined: func(p *netcode.Player[hero, buttons]) (hero, arche.Entity) {
			names[p.Number()] = netcode.MakeText(string(p.Token())) // here the token is a name
			return hero{}, arche.Entity{}
		},
		Message: func(p *netcode.Player[hero, buttons], data []byte, _ bool) {
			if line, ok := chat.Read(data); ok { // otherwise it is of another kind, or malformed
				line.From = names[p.Number()]
				server.Broadcast(chat.Pack(line))
			}
		},
	})
	if err != nil {
		panic(err)
	}
	engine.Install(server)

	world, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	client, err := netcode.NewClient(protocol, netcode.ClientConfig[hero, buttons]{
		Dial:  func() (transport.Conn, error) { return listener.Dial(), nil },
		Token: []byte("Zoë\x1b[2J"), // a name with a control character
		Input: func(netcode.Tick) buttons { return buttons{} },
		Message: func(data []byte, _ bool) {
			if line, ok := chat.Read(data); ok {
				fmt.Printf("%v: %s\n", line.From, line.Line)
			}
		},
	})
	if err != nil {
		panic(err)
	}
	world.Install(interpolation.New3D(), client)
	for step := range 2 * 60 {
		if step == 60 {
			if err := client.Send(chat.Pack(chatLine{Line: "hello"})); err != nil {
				fmt.Println(err)
			}
			fmt.Println(client.Send([]byte("raw bytes")) != nil)
		}
		engine.Update(time.Second / 60)
		world.Update(time.Second / 60)
	}
	// Output:
	// true
	// Zoë[2J: hello
}

// A Text holds up to 31 bytes of UTF-8 without a pointer, so it may stand in a component. A name is
// not drawn in the scene, so it takes effect when it arrives.
func ExampleMakeText() {
	type name struct{ Text netcode.Text }
	protocol := exampleProtocol()
	netcode.ReplicateComponent(protocol, "name", netcode.StructComponent[name](), netcode.Immediate())

	long := netcode.MakeText("Wolfeschlegelsteinhausenbergerdörff")
	fmt.Println(long, len(long.String()))
	fmt.Println(netcode.MakeText("two\nlines") == netcode.MakeText("twolines"))
	// Output:
	// Wolfeschlegelsteinhausenbergerd 31
	// true
}
