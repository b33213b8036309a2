//go:build !js

package webtransport

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// Rate is a long-term rate per second with a burst above it. The zero value means the default of
// the field that holds it.
type Rate = admission.Rate

// Config configures a listener or a dialed connection. The zero value means the defaults.
type Config struct {
	// Path is the path on which [Listen] accepts connections. On others it answers 404. Empty means
	// "/webtransport".
	Path string
	// Certificates are what a listener shows. Nil means new ones at each start, which nobody can
	// ask for: set it, and mount it at Path in the web server.
	Certificates *Certificates
	// Origins are the hosts whose pages may connect in addition to the server's own, as patterns of
	// path.Match: "play.example.org", "*.example.org".
	Origins []string

	// TLS is how [Dial] verifies the web server that it asks for the certificates; nil means by the
	// system's authorities.
	TLS *tls.Config
	// Fingerprint is the fingerprint of that web server's certificate, whatever authority issued
	// it. Zero means that authorities decide.
	Fingerprint joinlink.Fingerprint
	// Pins are the fingerprints of the certificates that [Dial] accepts. Nil means that it asks the
	// web server for them.
	Pins []joinlink.Fingerprint

	// Handshakes bounds the handshakes that a server begins with all clients together; 0 means 100
	// per second, 200 at once. Each takes about a millisecond of CPU time.
	Handshakes Rate
	// NetworkHandshakes bounds the handshakes with each network (/24 of IPv4, /56 of IPv6); 0 means
	// 10 per second, 32 at once.
	NetworkHandshakes Rate
	// Unverified bounds the handshakes that a server begins with senders that have not yet proved
	// that they can be reached at their address. Beyond it a sender has to do so first, which takes
	// a round trip. 0 means 10 per second, 32 at once.
	Unverified Rate
	// Strangers bounds the packets that a server reads from all senders without a connection
	// together; 0 means 4000 per second, 4000 at once.
	Strangers Rate
	// NetworkStrangers bounds the packets from the strangers of each network; 0 means 200 per
	// second, 400 at once.
	NetworkStrangers Rate

	// ClientPackets and ClientBytes bound how much of each connection a server reads. Packets
	// beyond that are dropped before they are decrypted. An untrusted connection (see
	// [transport.Budgeted]) has a tenth. 0 means 2000 packets per second, 4000 at once, and 2 MB
	// per second, 4 MB at once. That is three times the packets of a client at the highest rates,
	// and seconds of them at once.
	ClientPackets, ClientBytes Rate

	// HalfOpen is the maximum number of handshakes under way on a server; 0 means 256.
	HalfOpen int
	// MaxConns is the maximum number of connections of a server, including handshakes under way; 0
	// means 1024.
	MaxConns int
	// Backlog is the maximum number of open connections that wait for Accept. A further one is
	// closed with the reason that the server is busy. 0 means 64.
	Backlog int

	// HandshakeTimeout is how long a client may take until its connection is open, on the server; 0
	// means 3 s.
	HandshakeTimeout time.Duration
	// DialTimeout is how long a client tries; 0 means 10 s.
	DialTimeout time.Duration

	// SendQueue is the maximum number of datagrams of a connection that wait for the network. A
	// further one displaces the oldest. 0 means 32.
	SendQueue int
	// ReceiveQueue is the maximum number of datagrams of a connection that wait for Recv. A further
	// one displaces the oldest. 0 means 256.
	ReceiveQueue int

	// Log receives, at level debug, which clients are refused and why, and at level warning, once a
	// minute, that a page of another host was refused. Nil means none.
	Log *slog.Logger
}

// withDefaults returns the configuration with its zeros filled in. It panics for impossible values,
// which are mistakes in the program.
func (c Config) withDefaults() Config {
	admission.Check("webtransport", c.Handshakes, c.NetworkHandshakes, c.Unverified, c.Strangers, c.NetworkStrangers, c.ClientPackets, c.ClientBytes)
	if c.HalfOpen < 0 || c.MaxConns < 0 || c.Backlog < 0 || c.SendQueue < 0 || c.ReceiveQueue < 0 || c.HandshakeTimeout < 0 || c.DialTimeout < 0 {
		panic("webtransport: a negative bound in Config makes no sense: set it to at least 1, or leave it 0 for the default")
	}
	c.Path = cmp.Or(c.Path, "/webtransport")
	c.Handshakes = cmp.Or(c.Handshakes, Rate{PerSecond: 100, Burst: 200})
	c.NetworkHandshakes = cmp.Or(c.NetworkHandshakes, Rate{PerSecond: 10, Burst: 32})
	c.Unverified = cmp.Or(c.Unverified, Rate{PerSecond: 10, Burst: 32})
	c.Strangers = cmp.Or(c.Strangers, Rate{PerSecond: 4000, Burst: 4000})
	c.NetworkStrangers = cmp.Or(c.NetworkStrangers, Rate{PerSecond: 200, Burst: 400})
	c.ClientPackets = cmp.Or(c.ClientPackets, Rate{PerSecond: 2000, Burst: 4000})
	c.ClientBytes = cmp.Or(c.ClientBytes, Rate{PerSecond: 2_000_000, Burst: 4_000_000})
	c.HalfOpen = cmp.Or(c.HalfOpen, 256)
	c.MaxConns = cmp.Or(c.MaxConns, 1024)
	c.Backlog = cmp.Or(c.Backlog, 64)
	c.SendQueue = cmp.Or(c.SendQueue, 32)
	c.ReceiveQueue = cmp.Or(c.ReceiveQueue, 256)
	c.HandshakeTimeout = cmp.Or(c.HandshakeTimeout, 3*time.Second)
	c.DialTimeout = cmp.Or(c.DialTimeout, 10*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
