package dtls

import (
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/dtls/v3/pkg/protocol/handshake"
	"github.com/pion/logging"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

const (
	// flightSize bounds the handshake's datagrams. The library splits them by their size without
	// headers.
	flightSize = 1100
	// flightInterval is how long an end waits before it repeats its part of the handshake. It does
	// not grow, since the handshake must end within Config.HandshakeTimeout, 3 s by default.
	flightInterval = 250 * time.Millisecond
	// replayWindow is the number of records behind the newest within which a record is accepted,
	// once.
	replayWindow = 256
)

var errWrongCertificate = errors.New("dtls: the server shows another certificate than the one in the join link")

// common returns the options of both ends.
func common() []dtls.Option {
	return []dtls.Option{
		dtls.WithCipherSuites(dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, dtls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
		dtls.WithExtendedMasterSecret(dtls.RequireExtendedMasterSecret),
		dtls.WithFlightInterval(flightInterval),
		dtls.WithDisableRetransmitBackoff(true),
		dtls.WithMTU(flightSize),
		dtls.WithReplayProtectionWindow(replayWindow),
		// Attackers could fill a real log.
		dtls.WithLoggerFactory(&logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled}),
	}
}

// serverOptions returns the options for one client, whose records will have the id.
func serverOptions(certificate tls.Certificate, id connID) []dtls.ServerOption {
	options := []dtls.ServerOption{
		dtls.WithCertificates(certificate),
		dtls.WithInsecureSkipVerifyHello(true), // the front has verified the hello
		dtls.WithConnectionIDGenerator(func() []byte { return id[:] }),
	}
	for _, o := range common() {
		options = append(options, o)
	}
	return options
}

// clientOptions returns the options for a server with the certificate. prove puts the front's
// cookie into a hello.
func clientOptions(pin joinlink.Fingerprint, prove func(handshake.MessageClientHello) handshake.Message) []dtls.ClientOption {
	options := []dtls.ClientOption{
		// The check of authorities and names is skipped, since the pin replaces it. The library
		// still checks that the server holds the key.
		dtls.WithInsecureSkipVerify(true),
		dtls.WithVerifyPeerCertificate(func(chain [][]byte, _ [][]*x509.Certificate) error {
			if len(chain) > 0 {
				if got := joinlink.FingerprintOf(chain[0]); subtle.ConstantTimeCompare(got[:], pin[:]) == 1 {
					return nil
				}
			}
			return errWrongCertificate
		}),
		dtls.WithConnectionIDGenerator(dtls.OnlySendCIDGenerator()),
		dtls.WithClientHelloMessageHook(prove),
	}
	for _, o := range common() {
		options = append(options, o)
	}
	return options
}
