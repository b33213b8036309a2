package packet_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// printer prints the events of an endpoint.
type printer struct{ name string }

func (p printer) Delivered(n packet.Number, age time.Duration) {
	fmt.Printf("%s: packet %d arrived, known after %v\n", p.name, n, age)
}
func (p printer) Lost(n packet.Number) { fmt.Printf("%s: packet %d is lost\n", p.name, n) }
func (p printer) Message(data []byte, reliable bool) {
	fmt.Printf("%s: message %q, reliable %v\n", p.name, data, reliable)
}

// Two ends without a network between them. One sends a message and a number, the other acknowledges
// them.
func ExampleEndpoint() {
	server, err := packet.NewEndpoint(packet.Config{MTU: 1150, Handler: printer{"server"}})
	if err != nil {
		panic(err)
	}
	client, err := packet.NewEndpoint(packet.Config{MTU: 1150, Handler: printer{"client"}})
	if err != nil {
		panic(err)
	}
	buf := make([]byte, 1150)

	if err := server.SendReliable([]byte("welcome")); err != nil {
		panic(err)
	}
	payload := server.Begin(buf, 0, 100)
	payload.Bits(1234, 32)
	datagram, err := server.End()
	if err != nil {
		panic(err)
	}
	fmt.Println(len(datagram), "bytes")

	in, err := client.Open(datagram)
	if err != nil {
		panic(err)
	}
	fmt.Println("payload", in.Payload.Bits(32))
	if err := client.Accept(in, 50*time.Millisecond); err != nil {
		panic(err)
	}

	client.Begin(buf, 50*time.Millisecond, 0)
	datagram, _ = client.End() // an empty payload always fits
	if in, err = server.Open(datagram); err != nil {
		panic(err)
	}
	if err := server.Accept(in, 100*time.Millisecond); err != nil {
		panic(err)
	}
	// Output:
	// 19 bytes
	// payload 1234
	// client: message "welcome", reliable true
	// server: packet 1 arrived, known after 100ms
}

// A writer and a reader must agree on the order and the width of the fields.
func ExampleWriter() {
	w := packet.NewWriter(make([]byte, 16))
	w.Bool(true)
	w.Bits(5, 3)
	w.SignedGolomb(-40, 4) // mostly small numbers
	w.Align()
	fmt.Printf("% x, error %v\n", w.Bytes(), w.Err())

	r := packet.NewReader(w.Bytes())
	fmt.Println(r.Bool(), r.Bits(3), r.SignedGolomb(4))
	r.Align()
	fmt.Println(r.Close())
	// Output:
	// cb 0f, error <nil>
	// true 5 -40
	// <nil>
}
