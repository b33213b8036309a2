//go:build !js

// Package pin verifies a server by the fingerprint of its certificate instead of an authority.
package pin

import (
	"crypto/tls"
	"errors"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// ErrOther is the error of a handshake with a server that shows another certificate.
var ErrOther = errors.New("the server shows another certificate than the expected one")

// Config returns a copy of the configuration, which may be nil, that accepts exactly the servers
// whose certificate has one of the fingerprints. No fingerprints: authorities decide, and the
// result is nil if the configuration is.
func Config(base *tls.Config, accepted ...joinlink.Fingerprint) *tls.Config {
	c := base.Clone()
	if len(accepted) == 0 {
		return c
	}
	if c == nil {
		c = &tls.Config{}
	}
	c.InsecureSkipVerify = true // of authorities and names: the pin replaces it
	c.VerifyConnection = func(s tls.ConnectionState) error {
		if !slices.Contains(accepted, joinlink.FingerprintOf(s.PeerCertificates[0].Raw)) {
			return ErrOther
		}
		return nil
	}
	return c
}
