// Package certreload loads renewed certificates from files while a server runs.
package certreload

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Certificate is a certificate of an authority in two files, which are replaced while the server
// runs, since such certificates are valid for weeks. It is safe for concurrent use.
type Certificate struct {
	certificate, key string // names of the files
	log              *slog.Logger
	now              func() time.Time

	mu      sync.Mutex
	current *tls.Certificate
	looked  time.Time
	failed  string // the last error that was logged
}

// Interval is the least time between two checks of the files.
const Interval = 10 * time.Second

// Open reads the two files (PEM) for the first time. The clock is that of the calendar.
func Open(certificate, key string, log *slog.Logger, now func() time.Time) (*Certificate, error) {
	c := &Certificate{certificate: certificate, key: key, log: log, now: now}
	return c, c.load()
}

func (c *Certificate) load() error {
	c.looked = c.now()
	pair, err := tls.LoadX509KeyPair(c.certificate, c.key)
	if err != nil {
		return err
	}
	c.failed = ""
	if c.current != nil {
		if slices.EqualFunc(pair.Certificate, c.current.Certificate, bytes.Equal) {
			return nil
		}
		c.log.Info("the WebSocket has a new certificate", "file", c.certificate)
	}
	c.current = &pair
	if pair.Leaf != nil && c.looked.After(pair.Leaf.NotAfter) {
		c.log.Warn("the certificate of the WebSocket has expired, and programs refuse it; renew it, and the server takes it without a restart", "file", c.certificate, "expired", pair.Leaf.NotAfter)
	}
	return nil
}

// Get is for tls.Config.GetCertificate. It returns the newest certificate that can be read. If new
// files cannot be used, perhaps because only one of them is there yet, it returns the old
// certificate.
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if since := c.now().Sub(c.looked); since < 0 || since >= Interval {
		if err := c.load(); err != nil && c.failed != err.Error() {
			c.failed = err.Error()
			c.log.Warn("the new certificate of the WebSocket cannot be read; the old one stays in use", "file", c.certificate, "error", err)
		}
	}
	return c.current, nil
}
