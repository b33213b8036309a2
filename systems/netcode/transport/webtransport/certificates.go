//go:build !js

package webtransport

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net/http"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// Browsers accept a pinned certificate only if it is valid for at most 14 days. Each one is made
// one period before it is shown, and shown for one period. It is valid for half a day more on both
// sides, for clients whose clock is wrong.
const (
	period   = 6 * 24 * time.Hour
	validity = 2*period + 2*slack // 13 days
	slack    = 12 * time.Hour
)

// Certificates are a server's short-lived certificates: the one that it shows, and the next. A new
// one is made every six days, and each is valid for thirteen. Their fingerprints can be read over
// HTTP, so that a page which pins them never goes stale: it asks for them before each dial. A page
// that asked just before a rotation has the next one already. All methods are safe for concurrent
// use.
type Certificates struct {
	now func() time.Time

	mu            sync.Mutex
	current, next certificate
}

// certificate is one of them, with the time from which the server shows it.
type certificate struct {
	tls  *tls.Certificate
	pin  joinlink.Fingerprint
	from time.Time
}

// NewCertificates makes a server's certificates. The clock is that of the calendar; nil means
// time.Now.
func NewCertificates(now func() time.Time) (*Certificates, error) {
	if now == nil {
		now = time.Now
	}
	c := &Certificates{now: now}
	return c, c.rotate()
}

// Get is for tls.Config.GetCertificate. It returns the certificate to show now.
func (c *Certificates) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.rotate(); err != nil {
		return nil, err
	}
	return c.current.tls, nil
}

// Fingerprints returns the fingerprints of the certificate that is shown now, and of the next.
func (c *Certificates) Fingerprints() ([]joinlink.Fingerprint, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.rotate(); err != nil {
		return nil, err
	}
	return []joinlink.Fingerprint{c.current.pin, c.next.pin}, nil
}

// ServeHTTP implements http.Handler. It answers with the fingerprints, one a line, for [Dial].
// Mount it at Config.Path in the web server whose pages connect.
func (c *Certificates) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}
	pins, err := c.Fingerprints()
	if err != nil {
		http.Error(w, "no certificates", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	// they are no secret, and the game's page may be on another host
	h.Set("Access-Control-Allow-Origin", "*")
	_, _ = w.Write(appendPins(nil, pins))
}

// rotate makes the certificates that the time asks for. A clock that was set back, or a machine
// that slept for weeks, begins anew.
func (c *Certificates) rotate() (err error) {
	now := c.now()
	switch {
	case c.current.tls != nil && !now.Before(c.current.from.Add(-slack)) && now.Before(c.next.from):
		return nil
	case c.current.tls != nil && !now.Before(c.next.from) && now.Before(c.next.from.Add(period)):
		c.current = c.next
	default:
		if c.current, err = newCertificate(now, now); err != nil {
			return err
		}
	}
	c.next, err = newCertificate(now, c.current.from.Add(period))
	return err
}

// newCertificate returns a certificate that is made now and shown from then on, at most a period
// later.
func newCertificate(now, from time.Time) (certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate{}, fmt.Errorf("webtransport: cannot make a key: %w", err)
	}
	begin := from.Add(-period - slack)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "tandem"},
		NotBefore:    begin,
		NotAfter:     begin.Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return certificate{}, fmt.Errorf("webtransport: cannot make a certificate: %w", err)
	}
	return certificate{&tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, joinlink.FingerprintOf(der), from}, nil
}
