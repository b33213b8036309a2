package webtransport

import (
	"cmp"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// Config configures a dialed connection. The zero value means the defaults. Outside of browsers it
// has more fields, also for listeners.
type Config struct {
	// Fingerprint is for programs outside of browsers. A browser verifies the web server itself.
	Fingerprint joinlink.Fingerprint
	// Pins are the fingerprints of the certificates that [Dial] accepts. Nil means that it asks the
	// web server for them.
	Pins []joinlink.Fingerprint
	// DialTimeout is how long a client tries; 0 means 10 s.
	DialTimeout time.Duration
	// SendQueue is the maximum number of datagrams that wait for the network. A further one
	// displaces the oldest. 0 means 32.
	SendQueue int
	// ReceiveQueue is the maximum number of datagrams that wait for Recv. A further one displaces
	// the oldest. 0 means 256.
	ReceiveQueue int
}

// withDefaults returns the configuration with its zeros filled in. It panics for impossible values,
// which are mistakes in the program.
func (c Config) withDefaults() Config {
	if c.SendQueue < 0 || c.ReceiveQueue < 0 || c.DialTimeout < 0 {
		panic("webtransport: a negative bound in Config makes no sense: set it to at least 1, or leave it 0 for the default")
	}
	c.SendQueue = cmp.Or(c.SendQueue, 32)
	c.ReceiveQueue = cmp.Or(c.ReceiveQueue, 256)
	c.DialTimeout = cmp.Or(c.DialTimeout, 10*time.Second)
	return c
}
