package websocket

import (
	"cmp"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// Config configures a dialed connection. The zero value means the defaults. Outside of browsers it
// has more fields, also for listeners.
type Config struct {
	// Fingerprint is for programs outside of browsers. A browser verifies the server itself.
	Fingerprint joinlink.Fingerprint
	// DialTimeout is how long a client tries; 0 means 10 s.
	DialTimeout time.Duration
	// SendQueue is the maximum number of datagrams of a connection that wait for the network. Send
	// returns ErrQueueFull for more. 0 means 64.
	SendQueue int
	// ReceiveQueue is the maximum number of datagrams of a connection that wait for Recv. A further
	// one displaces the oldest. 0 means 256.
	ReceiveQueue int
}

// withDefaults returns the configuration with its zeros filled in. It panics for impossible values,
// which are mistakes in the program.
func (c Config) withDefaults() Config {
	if c.SendQueue < 0 || c.ReceiveQueue < 0 || c.DialTimeout < 0 {
		panic("websocket: a negative bound in Config makes no sense: set it to at least 1, or leave it 0 for the default")
	}
	c.SendQueue = cmp.Or(c.SendQueue, 64)
	c.ReceiveQueue = cmp.Or(c.ReceiveQueue, 256)
	c.DialTimeout = cmp.Or(c.DialTimeout, 10*time.Second)
	return c
}
