package play

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// lobby is where a server's clients come in: several ways, one listener.
type lobby struct {
	ways  []transport.Listener
	links []joinlink.Link
	token string
	own   *loopback.Listener // nil: nobody plays in this process
}

// open listens wherever the flags say.
func (s *serving) open(log *slog.Logger, own bool) (l *lobby, err error) {
	l = &lobby{}
	defer func() {
		if err != nil {
			l.Close(transport.Reason{Code: transport.Failed})
		}
	}()
	if s.state != "" {
		if err := os.MkdirAll(s.state, 0o700); err != nil {
			return l, badf("-state: %w", err)
		}
	}
	if l.token, err = s.secret(); err != nil {
		return l, err
	}
	if s.listen != "" {
		config := dtls.Config{Log: log}
		if s.state != "" {
			if config.Certificate, err = dtls.LoadOrCreateCertificate(filepath.Join(s.state, "certificate.pem"), nil); err != nil {
				return l, fmt.Errorf("the certificate in -state %s: %w", s.state, err)
			}
		}
		way, err := dtls.Listen(s.listen, config)
		if err != nil {
			return l, fmt.Errorf("-listen %s: %w", s.listen, err)
		}
		l.ways = append(l.ways, way)
		link, err := s.link(way.Addr(), joinlink.Link{Transport: joinlink.DTLS, Fingerprint: way.Fingerprint(), Token: l.token})
		if err != nil {
			return l, err
		}
		l.links = append(l.links, link)
	}
	if s.webSocket != "" {
		way, link, err := s.openWebSocket(log, l.token)
		if err != nil {
			return l, err
		}
		l.ways = append(l.ways, way)
		l.links = append(l.links, link)
	}
	if own {
		l.own = loopback.Listen(loopback.Config{})
		l.ways = append(l.ways, l.own)
	}
	if len(l.ways) == 0 {
		return l, badf("-listen: a server needs an address to listen on, such as 127.0.0.1:7777")
	}
	return l, nil
}

// link completes a join link by the address that a listener got.
func (s *serving) link(addr string, link joinlink.Link) (joinlink.Link, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return link, err
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	if s.public != "" {
		host = s.public
	}
	if _, err := fmt.Sscan(port, &link.Port); err != nil {
		return link, err
	}
	link.Host = host
	if err := link.Validate(); err != nil {
		return link, badf("-public: %w", err)
	}
	return link, nil
}

// secret returns the token: the one in the folder of -state, or a new one.
func (s *serving) secret() (string, error) {
	name := filepath.Join(s.state, "token")
	if s.state != "" {
		text, err := os.ReadFile(name)
		if token := strings.TrimSpace(string(text)); err == nil {
			if len(token) < 16 {
				return "", fmt.Errorf("the token in %s is too short to be secret; delete the file, and a new one is made", name)
			}
			return token, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	var random [18]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	token := base64.RawURLEncoding.EncodeToString(random[:])
	if s.state == "" {
		return token, nil
	}
	// Whole or not at all, and nobody else's to read.
	if err := os.WriteFile(name+".new", []byte(token+"\n"), 0o600); err != nil {
		return "", err
	}
	return token, os.Rename(name+".new", name)
}

// admit lets in who has the token.
func (l *lobby) admit(token []byte) error {
	if subtle.ConstantTimeCompare(token, []byte(l.token)) != 1 {
		return errors.New("the join link is not good any more; ask for a new one")
	}
	return nil
}

// Poll implements [transport.Listener].
func (l *lobby) Poll(now time.Duration) {
	for _, w := range l.ways {
		w.Poll(now)
	}
}

// Accept implements [transport.Listener].
func (l *lobby) Accept() (transport.Conn, bool) {
	for _, w := range l.ways {
		if c, ok := w.Accept(); ok {
			return c, true
		}
	}
	return nil, false
}

// Addr implements [transport.Listener].
func (l *lobby) Addr() string {
	var all []string
	for _, w := range l.ways {
		all = append(all, w.Addr())
	}
	return strings.Join(all, ", ")
}

// Close implements [transport.Listener].
func (l *lobby) Close(reason transport.Reason) {
	for _, w := range l.ways {
		w.Close(reason)
	}
}

// Stats implements [transport.Listener].
func (l *lobby) Stats() (sum transport.ListenerStats) {
	for _, w := range l.ways {
		s := w.Stats()
		sum.Accepted += s.Accepted
		sum.Refused += s.Refused
		sum.Failed += s.Failed
		sum.Pending += s.Pending
	}
	return sum
}

// dialer returns how to reach the server of a link.
func dialer(link joinlink.Link) (func() (transport.Conn, error), error) {
	switch link.Transport {
	case joinlink.DTLS:
		return func() (transport.Conn, error) { return dtls.Dial(link.Address(), link.Fingerprint, dtls.Config{}), nil }, nil
	default:
		return dialWebSocket(link)
	}
}
