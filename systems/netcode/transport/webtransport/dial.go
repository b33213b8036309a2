package webtransport

import (
	"context"
	"net/url"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// Dial connects to the server of an address such as https://play.example.org:8080/webtransport. It
// first reads the fingerprints of the server's certificates there over HTTP, then connects by
// WebTransport to the same host, port and path. An address that begins with http:// reads them
// without encryption, which is good for one machine only. Dial does not wait: the connection is
// Connecting at first. It becomes Open, or Closed with a reason that names the remedy.
func Dial(address string, c Config) *Conn {
	c = c.withDefaults()
	owner, worker := mailbox.New(mailboxConfig(c.SendQueue, c.ReceiveQueue, address), transport.Connecting)
	go func() {
		defer worker.Finish()
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			worker.End(transport.Reason{Code: transport.Failed, Text: "that is no WebTransport address: use the join link that the server printed"})
			return
		}
		ctx, cancel := context.WithTimeout(worker.Context(), c.DialTimeout)
		defer cancel()
		dial(ctx, u, c, worker)
	}()
	return &Conn{owner}
}

// portOf returns the port of a URL.
func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "http" {
		return "80"
	}
	return "443"
}
