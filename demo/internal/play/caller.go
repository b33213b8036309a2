package play

import (
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// caller makes a client's connections to the server of a link.
type caller struct {
	link joinlink.Link
	made []transport.Conn // that may not have left the network yet
}

// dial begins a connection.
func (c *caller) dial() (transport.Conn, error) {
	var conn transport.Conn
	if c.link.Transport == joinlink.DTLS {
		conn = dtls.Dial(c.link.Address(), c.link.Fingerprint, dtls.Config{})
	} else {
		conn = websocket.Dial(c.link.URL(), websocket.Config{Fingerprint: c.link.Fingerprint})
	}
	c.made = append(slices.DeleteFunc(c.made, func(c transport.Conn) bool { return c.State() == transport.Closed }), conn)
	return conn, nil
}

// stream reports whether the connection is one in order, in which a loss holds up what follows.
func (c *caller) stream() bool { return c.link.Transport != joinlink.DTLS }

// settle waits until closed connections have said their goodbyes.
func (c *caller) settle() {
	await(slices.DeleteFunc(c.made, func(c transport.Conn) bool { return c.State() != transport.Closed }))
}
