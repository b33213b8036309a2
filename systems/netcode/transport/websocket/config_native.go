//go:build !js

package websocket

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"net/http"
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
	// "/".
	Path string
	// Prefix is the path under which a proxy has this server, such as "/game", for [Listen].
	// Proxies take it off or pass it on, so requests below it count as those without it, for Path
	// and for Page. A page therefore has no folder of that name. Empty means none.
	Prefix string
	// TLS is how [Listen] encrypts, and how [Dial] verifies a wss:// server. Nil means without
	// encryption for Listen, and verification by the system's authorities for Dial.
	TLS *tls.Config
	// Fingerprint is the fingerprint of the certificate that [Dial] expects of a wss:// server,
	// whatever authority issued it. Zero means that authorities decide.
	Fingerprint joinlink.Fingerprint
	// Header is sent by [Dial] with the request, for a token that Authorize checks.
	Header http.Header

	// Page answers the requests to [Listen] that are not for a WebSocket, such as those for the
	// page that plays here. An answer takes at most two minutes, and requests with a body are
	// refused. At most a quarter of MaxConns is answered at a time, and at most 32 of one network.
	// Nil answers 404.
	Page http.Handler

	// Origins are the hosts whose pages may connect in addition to the server's own, as patterns of
	// path.Match: "play.example.org", "*.example.org".
	Origins []string
	// Authorize is called before a connection is made, in a goroutine of its own. An error refuses
	// the client, which does not receive its text. Nil accepts all clients, and the token inside
	// the channel decides.
	Authorize func(*http.Request) error
	// BehindProxy takes the client's address from the last element of X-Forwarded-For, or of
	// Forwarded (RFC 7239), which the proxy in front of the server has written. Without such a
	// proxy a client could write any address there. Addresses may have ports and brackets. A client
	// counts as the proxy itself if there is no header, or if its last element is "unknown" or a
	// name that begins with _. It is refused if the element cannot be read, or if both headers name
	// clients that differ: a proxy that writes one of them passes on the other.
	BehindProxy bool

	// Upgrades bounds the connections that a server accepts from all clients together; 0 means 100
	// per second, 200 at once.
	Upgrades Rate
	// NetworkUpgrades bounds the connections from each network (/24 of IPv4, /56 of IPv6); 0 means
	// 10 per second, 32 at once.
	NetworkUpgrades Rate
	// ClientFrames and ClientBytes bound how much of each connection a server reads. The rest
	// waits, and TCP slows the client down. An untrusted connection (see [transport.Budgeted]) has
	// a tenth. 0 means 2000 frames per second, 4000 at once, and 2 MB per second, 4 MB at once.
	// That is several times the packets of a client at the highest rates, and seconds of them at
	// once.
	ClientFrames, ClientBytes Rate
	// MaxConns is the maximum number of connections of a server; 0 means 1024. [Listen] accepts a
	// quarter more TCP connections, for those that are being made.
	MaxConns int
	// Backlog is the maximum number of open connections that wait for Accept. A further one is
	// closed with the reason that the server is busy. 0 means 64.
	Backlog int

	// HandshakeTimeout is how long a client may take to send its request; 0 means 3 s. It applies
	// to [Listen]; an http.Server has a limit of its own.
	HandshakeTimeout time.Duration
	// DialTimeout is how long a client tries; 0 means 10 s.
	DialTimeout time.Duration

	// SendQueue is the maximum number of datagrams of a connection that wait for the network. Send
	// returns ErrQueueFull for more. 0 means 64.
	SendQueue int
	// ReceiveQueue is the maximum number of datagrams of a connection that wait for Recv. A further
	// one displaces the oldest. 0 means 256.
	ReceiveQueue int

	// Log receives, at level debug, which clients are refused and why. At level warning it receives
	// what the operator can mend, once a minute for each cause: pages of other hosts, paths that
	// accept no connection, and a proxy that does not name its clients. Nil means none.
	Log *slog.Logger
}

// withDefaults returns the configuration with its zeros filled in. It panics for impossible values,
// which are mistakes in the program.
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
