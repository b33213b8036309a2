package websocket

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// MTU is the largest datagram in bytes: that of the other transports, although a stream could carry
// more.
const MTU = transport.MaxMTU

// maxMessage is the largest message that is read at all. One above MTU is dropped and counted, one
// above this ends the connection.
const maxMessage = 16 * MTU

// Rate is a long-term rate per second with a burst above it. The zero value means the default of
// the field that holds it.
type Rate = admission.Rate

// Config says how to listen or dial. The zero value means the defaults.
type Config struct {
	// Path is where [Listen] takes connections; elsewhere it answers 404. Empty means "/".
	Path string
	// TLS is how [Listen] encrypts, and how [Dial] checks a wss:// server; nil means without for
	// Listen, and by the system's authorities for Dial.
	TLS *tls.Config
	// Fingerprint is that of the certificate that a wss:// server has to show to [Dial], whoever
	// issued it; zero means that authorities decide.
	Fingerprint joinlink.Fingerprint
	// Header is sent along by [Dial], for a token that Authorize checks.
	Header http.Header

	// Origins are the hosts whose pages may connect besides the server's own, as patterns of
	// path.Match: "play.example.org", "*.example.org".
	Origins []string
	// Authorize is asked before a connection is made, in a goroutine of its own; an error refuses
	// the client, who is not told its text. Nil lets all in, and the token inside the channel
	// decides.
	Authorize func(*http.Request) error
	// BehindProxy takes the client's address from the last entry of X-Forwarded-For, which the
	// proxy in front of the server has written. Without such a proxy anybody could write there what
	// they like.
	BehindProxy bool

	// Upgrades bounds the connections that a server takes, for all together; 0 means 100 per
	// second, 200 at once.
	Upgrades Rate
	// NetworkUpgrades bounds them for each network (/24 of IPv4, /56 of IPv6); 0 means 10 per
	// second, 32 at once.
	NetworkUpgrades Rate
	// ClientFrames and ClientBytes bound how much of each connection a server reads. What is beyond
	// waits, and TCP slows the client down. A stranger (see [transport.Budgeted]) has a tenth. 0
	// means 2000 frames per second, 4000 at once, and 2 MB per second, 4 MB at once: a client's
	// packets at the highest rates several times over, and seconds of them.
	ClientFrames, ClientBytes Rate
	// MaxConns is the most connections of a server; 0 means 1024. [Listen] takes a quarter more of
	// TCP, for those that are being made.
	MaxConns int
	// Backlog is the most open connections that wait for Accept; the next is told that the server
	// is busy. 0 means 64.
	Backlog int

	// HandshakeTimeout is how long a client may take to say what it wants; 0 means 3 s. It is for
	// [Listen]; an http.Server has its own.
	HandshakeTimeout time.Duration
	// DialTimeout is how long a client tries; 0 means 10 s.
	DialTimeout time.Duration

	// SendQueue is the most datagrams of a connection that wait for the network; beyond it Send
	// returns ErrQueueFull. 0 means 64.
	SendQueue int
	// ReceiveQueue is the most datagrams of a connection that wait for Recv; beyond it the oldest
	// go. 0 means 256.
	ReceiveQueue int

	// Log is told, at level debug, who is turned away and why; nil means nobody is.
	Log *slog.Logger
}

// withDefaults returns the configuration with its zeros filled in. It panics for values that make
// no sense: a program writes them.
func (c Config) withDefaults() Config {
	admission.Check("websocket", c.Upgrades, c.NetworkUpgrades, c.ClientFrames, c.ClientBytes)
	if c.MaxConns < 0 || c.Backlog < 0 || c.SendQueue < 0 || c.ReceiveQueue < 0 || c.HandshakeTimeout < 0 || c.DialTimeout < 0 {
		panic("websocket: a negative bound in Config makes no sense: set it to at least 1, or leave it 0 for the default")
	}
	c.Path = cmp.Or(c.Path, "/")
	c.Upgrades = cmp.Or(c.Upgrades, Rate{PerSecond: 100, Burst: 200})
	c.NetworkUpgrades = cmp.Or(c.NetworkUpgrades, Rate{PerSecond: 10, Burst: 32})
	c.ClientFrames = cmp.Or(c.ClientFrames, Rate{PerSecond: 2000, Burst: 4000})
	c.ClientBytes = cmp.Or(c.ClientBytes, Rate{PerSecond: 2_000_000, Burst: 4_000_000})
	c.MaxConns = cmp.Or(c.MaxConns, 1024)
	c.Backlog = cmp.Or(c.Backlog, 64)
	c.SendQueue = cmp.Or(c.SendQueue, 64)
	c.ReceiveQueue = cmp.Or(c.ReceiveQueue, 256)
	c.HandshakeTimeout = cmp.Or(c.HandshakeTimeout, 3*time.Second)
	c.DialTimeout = cmp.Or(c.DialTimeout, 10*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
