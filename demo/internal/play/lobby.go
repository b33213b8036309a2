package play

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// lobby is where a server's clients come in: several ways, one listener.
type lobby struct {
	transport.Listener
	ways   []transport.Listener
	links  []joinlink.Link
	token  string
	guests *guests
	own    *loopback.Listener // nil: nobody plays in this process
}

// open listens wherever the flags say.
func (s *serving) open(log *slog.Logger, own bool) (l *lobby, err error) {
	l = &lobby{}
	defer func() {
		if err != nil {
			for _, w := range l.ways {
				w.Close(transport.Reason{Code: transport.Failed})
			}
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
	if l.guests, err = s.openGuests(log); err != nil {
		return l, err
	}
	var certificate tls.Certificate
	if s.listen != "" || s.webSocket.own {
		if certificate, err = s.ownCertificate(); err != nil {
			return l, err
		}
	}
	s.warn(log)
	if s.listen != "" {
		network, all := s.admission()
		way, err := dtls.Listen(s.listen, dtls.Config{Certificate: certificate, Log: log, NetworkHandshakes: network, Handshakes: all})
		if err != nil {
			return l, fmt.Errorf("-listen %s: %w", s.listen, err)
		}
		l.ways = append(l.ways, way)
		link, err := s.linkOf(way.Addr(), joinlink.Link{Transport: joinlink.DTLS, Fingerprint: way.Fingerprint(), Token: l.token})
		if err != nil {
			return l, err
		}
		l.links = append(l.links, link)
	}
	if s.webSocket.addr != "" {
		way, link, err := s.openWebSocket(log, l.token, certificate)
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
		return l, badf("-listen: a server needs an address to listen on, such as 127.0.0.1:7777, or one for -websocket")
	}
	l.Listener = transport.Merge(l.ways...)
	return l, nil
}

// admission is how many handshakes are taken per second from one network, and from all.
func (s *serving) admission() (network, all dtls.Rate) {
	if s.joins == 0 {
		return network, all
	}
	return dtls.Rate{PerSecond: s.joins, Burst: max(4, 32*s.joins/10)}, dtls.Rate{PerSecond: max(100, s.joins), Burst: max(200, 4*s.joins)}
}

// warn says what an operator should know: that his links lead others nowhere, and which secrets in the folder of -state others on this machine can read, since a file that was copied there has the mode
// of the copy.
func (s *serving) warn(log *slog.Logger) {
	if s.public == "" && (everywhere(s.listen) || s.webSocket.before == nil && everywhere(s.webSocket.addr)) {
		log.Warn("all who can reach this machine may join, but the link is good on this machine only: say by -public how others find it")
	}
	if s.state == "" || runtime.GOOS == "windows" { // which has no such modes
		return
	}
	const others = 0o077
	if folder, err := os.Stat(s.state); err != nil || folder.Mode().Perm()&others == 0 {
		return
	}
	for _, name := range [...]string{"token", "certificate.pem"} {
		file := filepath.Join(s.state, name)
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&others != 0 {
			log.Warn("others on this machine can read a secret; take their rights away with chmod 600", "file", file, "mode", info.Mode().Perm())
		}
	}
}

// everywhere reports whether an address to listen on is all of the machine's.
func everywhere(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err == nil && (host == "" || ip != nil && ip.IsUnspecified())
}

// leave closes the lobby and waits until everybody has been told why, but not for those who do not hear.
func (l *lobby) leave(reason transport.Reason) {
	l.Close(reason)
	await(l.ways)
}

// goodbye is how long a process waits, before it ends, for the last words of its connections to leave.
const goodbye = 2 * time.Second

// await waits until connections or listeners are gone from the network, as far as they tell.
func await[T any](all []T) {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	for _, one := range all {
		if it, ok := any(one).(interface{ Done() <-chan struct{} }); ok {
			select {
			case <-it.Done():
			case <-ctx.Done():
			}
		}
	}
}

// ownCertificate returns the server's own certificate: the one in the folder of -state, or one that is good until the end of this process.
func (s *serving) ownCertificate() (tls.Certificate, error) {
	if s.state == "" {
		return dtls.GenerateCertificate(nil)
	}
	c, err := dtls.LoadOrCreateCertificate(filepath.Join(s.state, "certificate.pem"), nil)
	if err != nil {
		err = fmt.Errorf("the certificate in -state %s: %w", s.state, err)
	}
	return c, err
}

// secret returns the token: the one in the folder of -state, or a new one.
func (s *serving) secret() (string, error) {
	name := filepath.Join(s.state, "token")
	if s.state != "" {
		text, err := readKept(name)
		if token := strings.TrimSpace(string(text)); err == nil {
			link := joinlink.Link{Transport: joinlink.WS, Host: "localhost", Port: 1, Path: "/", Token: token}
			switch {
			case len(token) < 16:
				return "", fmt.Errorf("the token in %s is too short to be secret; delete the file, and a new one is made", name)
			case len(token) > netcode.MaxToken || link.Validate() != nil:
				return "", fmt.Errorf("the token in %s cannot stand in a link, which takes 16 to %d letters, digits and -._~; delete the file, and a new one is made", name, netcode.MaxToken)
			}
			return token, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	token, err := newToken()
	if err != nil || s.state == "" {
		return token, err
	}
	return token, writeKept(name, []byte(token+"\n"))
}
