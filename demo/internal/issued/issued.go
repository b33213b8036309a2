//go:build !js

// Package issued obtains certificates for a DNS name from an authority, automatically (ACME, RFC
// 8555), and renews them while the server runs.
package issued

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/net/netutil"
)

// Config says which certificate is wanted, and where the authority finds this machine.
type Config struct {
	Name  string // the machine's DNS name
	State string // the folder that keeps account and certificates, in its folder acme
	Addr  string // the address that serves with the certificate
	Log   *slog.Logger

	// Challenges is the TCP address at which the authority looks if Addr does not have port 443.
	// Empty: port 80 of all addresses, the only one that authorities take.
	Challenges string
	// Client is the authority's. Nil: that of Let's Encrypt.
	Client *acme.Client
}

// maxChallenges is how many connections are accepted at a time at Config.Challenges.
const maxChallenges = 64

// Open returns how to encrypt with such certificates. It asks for the first one in the background,
// and logs the result. If Addr does not have port 443, it listens on Challenges until the program
// ends, and returns an error if it cannot.
func Open(c Config) (*tls.Config, error) {
	m := &autocert.Manager{
		Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(c.Name),
		Cache: autocert.DirCache(filepath.Join(c.State, "acme")), Client: c.Client,
	}
	if _, port, err := net.SplitHostPort(c.Addr); err != nil {
		return nil, err
	} else if port != "443" {
		l, err := net.Listen("tcp", cmp.Or(c.Challenges, ":80"))
		if err != nil {
			return nil, fmt.Errorf("an authority looks at port 443 or at port 80 of this machine: serve the page on :443, or free port 80 and allow this program to listen on it: %w", err)
		}
		server := &http.Server{
			Handler: m.HTTPHandler(http.NotFoundHandler()), MaxHeaderBytes: 8 << 10,
			ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
		}
		go func() { _ = server.Serve(netutil.LimitListener(l, maxChallenges)) }()
	}
	r := &reporter{config: c, get: m.GetCertificate}
	security := m.TLSConfig()
	security.GetCertificate = r.certificate
	security.MinVersion = tls.VersionTLS12
	go r.first()
	return security, nil
}

// reporter logs why there is no certificate, once for each reason in turn.
type reporter struct {
	config Config
	get    func(*tls.ClientHelloInfo) (*tls.Certificate, error)

	mu     sync.Mutex
	failed string
}

// first asks for a certificate as a browser would, so that the operator need not wait for one.
func (r *reporter) first() {
	c, err := r.certificate(&tls.ClientHelloInfo{
		ServerName: r.config.Name, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		SupportedCurves: []tls.CurveID{tls.CurveP256}, SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
	})
	if err == nil {
		r.config.Log.Info("there is a certificate", "name", r.config.Name, "until", c.Leaf.NotAfter)
	}
}

func (r *reporter) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c, err := r.get(hello)
	if hello.ServerName != r.config.Name || errors.Is(err, context.Canceled) {
		return c, err // strangers ask for all kinds of names
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.failed = ""
	case err.Error() != r.failed:
		r.failed = err.Error()
		r.config.Log.Warn("there is no certificate, so no browser can connect; the server asks again when one tries", "name", r.config.Name, "error", err,
			"remedy", "the name has to lead to this machine, and port 443 or 80 has to be reachable from everywhere")
	}
	return c, err
}
