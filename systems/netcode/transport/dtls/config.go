package dtls

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
)

// MTU is the largest datagram in bytes. Encryption adds at most 46 bytes and the channel's tag one,
// which leaves room within 1200 bytes of UDP payload.
const MTU = 1150

// Rate is a long-term rate per second with a burst above it. The zero value means the default of
// the field that holds it.
type Rate = admission.Rate

// Config says how to listen or dial. The zero value means the defaults.
type Config struct {
	// Certificate is what a server shows, with its private key, which is an ECDSA one. Without one,
	// Listen makes a new one, and links to the server break when it restarts; see
	// [LoadOrCreateCertificate]. Clients show none.
	Certificate tls.Certificate

	// Handshakes bounds the handshakes that a server begins, for all together; 0 means 100 per
	// second, 200 at once. Each costs it about half a millisecond.
	Handshakes Rate
	// NetworkHandshakes bounds them for each network (/24 of IPv4, /56 of IPv6); 0 means 10 per
	// second, 32 at once.
	NetworkHandshakes Rate
	// Cookies bounds the cookies that a server sends to strangers, for all together; 0 means 2000
	// per second, 2000 at once.
	Cookies Rate
	// NetworkCookies bounds them for each network, so that nobody is flooded with cookies for
	// hellos that bear its address; 0 means 50 per second, 100 at once.
	NetworkCookies Rate

	// ClientDatagrams and ClientBytes bound how much of each connection a server looks at. What is
	// beyond is dropped before it is decrypted. A stranger (see [transport.Budgeted]) has a tenth.
	// 0 means 2000 datagrams per second, 4000 at once, and 2 MB per second, 4 MB at once: a
	// client's packets at the highest rates three times over, and seconds of them.
	ClientDatagrams, ClientBytes Rate

	// HalfOpen is the most handshakes that a server has under way; 0 means 256.
	HalfOpen int
	// MaxConns is the most connections of a server, those under way included; 0 means 1024.
	MaxConns int
	// Backlog is the most open connections that wait for Accept; the next is told that the server
	// is busy. 0 means 64.
	Backlog int

	// HandshakeTimeout ends a handshake that takes longer, on both ends; 0 means 3 s. A client
	// begins another one until DialTimeout.
	HandshakeTimeout time.Duration
	// DialTimeout is how long a client tries; 0 means 10 s.
	DialTimeout time.Duration

	// SendQueue is the most datagrams of a connection that wait for the network; beyond it Send
	// returns ErrQueueFull. 0 means 256.
	SendQueue int
	// ReceiveQueue is the most datagrams of a connection that wait for Recv; beyond it the oldest
	// go. 0 means 256.
	ReceiveQueue int

	// Log is told, at level debug, why handshakes fail; nil means nobody is.
	Log *slog.Logger
}

// withDefaults returns the configuration with its zeros filled in. It panics for values that make
// no sense: a program writes them.
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
