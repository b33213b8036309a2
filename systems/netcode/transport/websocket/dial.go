package websocket

import (
	"context"
	"net/url"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// Dial connects to a server at a ws:// or wss:// address. It does not wait: the connection is
// Connecting at first. It becomes Open, or Closed with a reason that names the remedy.
func Dial(address string, c Config) *Conn {
	c = c.withDefaults()
	overhead := overheadToServer
	if strings.HasPrefix(address, "wss:") {
		overhead += overheadTLS
	}
	owner, worker := mailbox.New(mailboxConfig(c, overhead, address), transport.Connecting)
	go dial(address, c, worker)
	return &Conn{owner}
}

// dial checks the address, connects, and carries the connection until it ends.
func dial(address string, c Config, w *mailbox.Worker) {
	defer w.Finish()
	if u, err := url.Parse(address); err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		w.End(transport.Reason{Code: transport.Failed, Text: "that is no WebSocket address: use the join link that the server printed"})
		return
	}
	ctx, cancel := context.WithTimeout(w.Context(), c.DialTimeout)
	defer cancel()
	connect(ctx, address, c, w)
}
