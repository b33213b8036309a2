package host

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/atomicfile"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// These are the names of the files in the folder of Config.State.
const (
	tokenFile       = "token"
	certificateFile = "certificate.pem"
	accessFile      = "access.json"
)

// certificate returns the server's own certificate: the one in the folder of State, or a new one
// for the lifetime of this process.
func (s *settings) certificate() (tls.Certificate, error) {
	if s.State == "" {
		return dtls.GenerateCertificate(nil)
	}
	c, err := dtls.LoadOrCreateCertificate(filepath.Join(s.State, certificateFile), nil)
	if err != nil {
		err = fmt.Errorf("host: the certificate in %s: %w", s.State, err)
	}
	return c, err
}

// sharedToken returns the server's own token: the one in the folder of State, or a new one.
func (s *settings) sharedToken() (string, error) {
	name := filepath.Join(s.State, tokenFile)
	if s.State != "" {
		text, err := atomicfile.Read(name)
		if token := strings.TrimSpace(string(text)); err == nil {
			link := joinlink.Link{Transport: joinlink.WS, Host: "localhost", Port: 1, Path: "/", Token: token}
			switch {
			case len(token) < 16:
				return "", fmt.Errorf("host: the token in %s is too short to be secret; delete the file, and a new one is made", name)
			case len(token) > netcode.MaxToken || link.Validate() != nil:
				return "", fmt.Errorf("host: the token in %s cannot stand in a link, which takes 16 to %d letters, digits and -._~; delete the file, and a new one is made", name, netcode.MaxToken)
			}
			return token, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	token := newToken()
	if s.State == "" {
		return token, nil
	}
	if err := atomicfile.Write(name, []byte(token+"\n")); err != nil {
		return "", invalid("State", "", "%w: give a folder that you may write to", err)
	}
	return token, nil
}

func newToken() string {
	var random [18]byte
	_, _ = rand.Read(random[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// warn logs if the links do not work from other machines, and which secrets in the folder of State
// others on this machine can read. A file that was copied there has the mode of the copy.
func (s *settings) warn(log *slog.Logger) {
	if s.Public == "" && (everywhere(s.Listen) || s.proxy == nil && everywhere(s.WebSocket.Addr)) {
		log.Warn("every machine that reaches this one may join, but the link is good on this machine only: give the public host by which others find it")
	}
	if s.State == "" || runtime.GOOS == "windows" { // Windows has no such modes
		return
	}
	const others = 0o077
	if folder, err := os.Stat(s.State); err != nil || folder.Mode().Perm()&others == 0 {
		return
	}
	for _, name := range [...]string{tokenFile, certificateFile} {
		file := filepath.Join(s.State, name)
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&others != 0 {
			log.Warn("others on this machine can read a secret; take their rights away with chmod 600", "file", file, "mode", info.Mode().Perm())
		}
	}
}
