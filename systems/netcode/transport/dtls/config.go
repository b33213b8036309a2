package dtls

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
)

// MTU is the largest datagram in bytes. Encryption adds at most 46 bytes and the channel's tag one,
// so that it fits into 1200 bytes of UDP payload.
const MTU = 1150

// Rate is a long-term rate per second with a burst above it. The zero value means the default of
// the field that holds it.
type Rate = admission.Rate

// Config configures a listener or a dialed connection. The zero value means the defaults.
type Config struct {
	// Certificate is the server's certificate with its private key, an ECDSA key. Without one,
	// Listen makes a new certificate at each start, and links from before a restart are not valid;
	// see [LoadOrCreateCertificate]. Clients have none.
	Certificate tls.Certificate

	// Handshakes bounds the handshakes that a server begins with all clients together; 0 means 100
	// per second, 200 at once. Each takes about half a millisecond of CPU time.
	Handshakes Rate
	// NetworkHandshakes bounds the handshakes with each network (/24 of IPv4, /56 of IPv6); 0 means
	// 10 per second, 32 at once.
	NetworkHandshakes Rate
	// Cookies bounds the cookies that a server sends to all unknown senders together; 0 means 2000
	// per second, 2000 at once.
	Cookies Rate
	// NetworkCookies bounds the cookies to each network, so that hellos with a forged address do
	// not flood its owner; 0 means 50 per second, 100 at once.
	NetworkCookies Rate

	// ClientDatagrams and ClientBytes bound how much of each connection a server reads. Datagrams
	// beyond that are dropped before they are decrypted. An untrusted connection (see
	// [transport.Budgeted]) has a tenth. 0 means 2000 datagrams per second, 4000 at once, and 2 MB
	// per second, 4 MB at once. That is three times the packets of a client at the highest rates,
	// and seconds of them at once.
	ClientDatagrams, ClientBytes Rate

	// HalfOpen is the maximum number of handshakes under way on a server; 0 means 256.
	HalfOpen int
	// MaxConns is the maximum number of connections of a server, including handshakes under way; 0
	// means 1024.
	MaxConns int
	// Backlog is the maximum number of open connections that wait for Accept. A further one is
	// closed with the reason that the server is busy. 0 means 64.
	Backlog int

	// HandshakeTimeout is how long a handshake may take, on both ends; 0 means 3 s. A client begins
	// another one until DialTimeout.
	HandshakeTimeout time.Duration
	// DialTimeout is how long a client tries; 0 means 10 s.
	DialTimeout time.Duration

	// SendQueue is the maximum number of datagrams of a connection that wait for the network. Send
	// returns ErrQueueFull for more. 0 means 256.
	SendQueue int
	// ReceiveQueue is the maximum number of datagrams of a connection that wait for Recv. A further
	// one displaces the oldest. 0 means 256.
	ReceiveQueue int

	// Log receives the reasons for failed handshakes, at level debug; nil means none.
	Log *slog.Logger
}

// withDefaults returns the configuration with its zeros filled in. It panics for impossible values,
// which are mistakes in the program.
func (c Config) withDefaults() Config {
	admission.Check("dtls", c.Handshakes, c.NetworkHandshakes, c.Cookies, c.NetworkCookies, c.ClientDatagrams, c.ClientBytes)
	if c.HalfOpen < 0 || c.MaxConns < 0 || c.Backlog < 0 || c.SendQueue < 0 || c.ReceiveQueue < 0 || c.HandshakeTimeout < 0 || c.DialTimeout < 0 {
		panic("dtls: a negative bound in Config makes no sense: set it to at least 1, or leave it 0 for the default")
	}
	c.Handshakes = cmp.Or(c.Handshakes, Rate{PerSecond: 100, Burst: 200})
	c.NetworkHandshakes = cmp.Or(c.NetworkHandshakes, Rate{PerSecond: 10, Burst: 32})
	c.Cookies = cmp.Or(c.Cookies, Rate{PerSecond: 2000, Burst: 2000})
	c.NetworkCookies = cmp.Or(c.NetworkCookies, Rate{PerSecond: 50, Burst: 100})
	c.ClientDatagrams = cmp.Or(c.ClientDatagrams, Rate{PerSecond: 2000, Burst: 4000})
	c.ClientBytes = cmp.Or(c.ClientBytes, Rate{PerSecond: 2_000_000, Burst: 4_000_000})
	c.HalfOpen = cmp.Or(c.HalfOpen, 256)
	c.MaxConns = cmp.Or(c.MaxConns, 1024)
	c.Backlog = cmp.Or(c.Backlog, 64)
	c.SendQueue = cmp.Or(c.SendQueue, 256)
	c.ReceiveQueue = cmp.Or(c.ReceiveQueue, 256)
	c.HandshakeTimeout = cmp.Or(c.HandshakeTimeout, 3*time.Second)
	c.DialTimeout = cmp.Or(c.DialTimeout, 10*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
