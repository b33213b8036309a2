package play

import (
	"context"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// dialer makes a client's connections to the server of a link.
type dialer struct {
	link joinlink.Link
	made []transport.Conn // connections that may still send
}

// dial opens a connection.
func (d *dialer) dial() (transport.Conn, error) {
	var conn transport.Conn
	if d.link.Transport == joinlink.DTLS {
		conn = dtls.Dial(d.link.Address(), d.link.Fingerprint, dtls.Config{})
	} else {
		conn = websocket.Dial(d.link.URL(), websocket.Config{Fingerprint: d.link.Fingerprint})
	}
	d.made = append(slices.DeleteFunc(d.made, func(c transport.Conn) bool { return c.State() == transport.Closed }), conn)
	return conn, nil
}

// stream reports whether the transport is a stream, in which a loss delays later data.
func (d *dialer) stream() bool { return d.link.Transport != joinlink.DTLS }

// wait waits until the last datagrams of closed connections have left, at most 2 s.
func (d *dialer) wait() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, conn := range d.made {
		if c, ok := conn.(interface{ Done() <-chan struct{} }); ok && conn.State() == transport.Closed {
			select {
			case <-c.Done():
			case <-ctx.Done():
			}
		}
	}
}
