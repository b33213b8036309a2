package agones

import (
	"log/slog"
	"net/http"
	"time"
)

// DefaultAddr is the address at which a sidecar listens unless its fleet says another port.
const DefaultAddr = "127.0.0.1:9358"

// Config configures a [Sidecar]. The zero value suits a server in a fleet.
type Config struct {
	// Addr is host and port of the sidecar. Empty: 127.0.0.1 and the port in the environment
	// variable AGONES_SDK_HTTP_PORT, which Agones sets. Without both there is no Agones.
	Addr string

	// List is the list of the fleet that holds the players' keys. Empty: "players". A fleet that
	// does not define it gets no players, and the log says so once.
	List string

	// Watch, if it is set, is called with the server as Agones sees it: at the start, and after
	// each change. It is called on the engine's goroutine, in a fixed step. Of several changes
	// between two steps it gets the last.
	Watch func(GameServer)

	// Period is the time between two reports of health. It is also how long a failed request waits
	// before it is made again. Zero: 1 s. The fleet's health.periodSeconds must be longer.
	Period time.Duration

	Log       *slog.Logger      // nil: slog.Default()
	Transport http.RoundTripper // makes the requests; nil: a transport without a proxy
}
