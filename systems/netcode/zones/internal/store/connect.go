package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Connect returns a connection to NATS with the settings that a zone needs. urls are the addresses
// of one or several servers, with commas between them. creds is a file with credentials or with the
// seed of an nkey; "" for none. Certificates are checked by the system's authorities, and
// SSL_CERT_FILE names others. Further options come last and win.
//
// It returns before the first server has answered, and it connects again for ever: Open waits. An
// error states that the file or an address cannot be read.
func Connect(urls, creds string, options ...nats.Option) (*nats.Conn, error) {
	all := []nats.Option{
		nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true),
		// All that matters comes back from calls and as events. By default NATS prints to stderr.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
		nats.IgnoreAuthErrorAbort(), // an operator may repair what NATS was configured with
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.Timeout(2 * time.Second),
		// A server that stands still is left after 4 to 6 s, well within the 12 s of a lease. By
		// default it takes minutes.
		nats.PingInterval(2 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.FlusherTimeout(2 * time.Second),
		// A message that cannot be sent fails at once: writes that come later than their answer is
		// awaited are of no use.
		nats.ReconnectBufSize(-1),
	}
	if creds != "" {
		text, err := os.ReadFile(creds)
		if err != nil {
			return nil, fmt.Errorf("store: the credentials for NATS: %w", err)
		}
		if bytes.Contains(text, []byte("BEGIN NATS USER JWT")) {
			all = append(all, nats.UserCredentials(creds))
		} else {
			nkey, err := nats.NkeyOptionFromSeed(creds)
			if err != nil {
				return nil, fmt.Errorf("store: %s has neither credentials nor the seed of an nkey: %w", creds, err)
			}
			all = append(all, nkey)
		}
	}
	nc, err := nats.Connect(urls, append(all, options...)...)
	if err != nil {
		return nil, fmt.Errorf("store: cannot connect to NATS at %s: %w", urls, err)
	}
	return nc, nil
}

const (
	attempt = 3 * time.Second        // how long one answer of NATS is awaited
	again   = 250 * time.Millisecond // the pause before the next attempt
)

// away reports whether an error says that NATS, or the leader of a bucket, is away for now.
func away(err error) bool {
	for _, e := range [...]error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected,
		nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting, nats.ErrNoServers, nats.ErrStaleConnection,
		jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled, nats.ErrSlowConsumer,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code == 503
}

// why returns the reason for which NATS does not answer. That a permission is missing comes apart
// from answers. A connection that tries for ever does not say why it fails, so another one tries
// once. Else the reason is err.
func (s *Store) why(err error) error {
	if last := s.nc.LastError(); errors.Is(last, nats.ErrPermissionViolation) {
		return last
	}
	if s.nc.IsConnected() || s.nc.IsClosed() {
		return err
	}
	o := s.nc.Opts
	o.RetryOnFailedConnect, o.Timeout, o.AllowReconnect = false, time.Second, false
	o.ConnectedCB, o.ClosedCB, o.DisconnectedCB, o.DisconnectedErrCB, o.ReconnectErrCB, o.AsyncErrorCB = nil, nil, nil, nil, nil, nil
	nc, failure := o.Connect()
	if failure == nil {
		nc.Close() // it is back just now
		return err
	}
	return failure
}

// try calls f until it succeeds or fails for another reason than that NATS is away. The error says
// why, for example that the credentials are refused.
func (s *Store) try(ctx context.Context, f func(context.Context) error) error {
	for {
		limited, cancel := context.WithTimeout(ctx, attempt)
		err := f(limited)
		cancel()
		if err == nil || ctx.Err() == nil && !away(err) {
			return err
		}
		if !sleep(ctx, again) {
			return fmt.Errorf("store: NATS does not answer: %w: %w", s.why(err), ctx.Err())
		}
	}
}
