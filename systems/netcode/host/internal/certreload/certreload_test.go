package certreload

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
)

// Certificates of authorities are renewed every few weeks, and a server runs for longer. It uses
// the new certificate as soon as both files are there, and the old one until then.
func TestCertificateIsRenewed(t *testing.T) {
	dir := t.TempDir()
	name, key := filepath.Join(dir, "fullchain.pem"), filepath.Join(dir, "privkey.pem")
	var prints []string
	issue := func(files ...string) {
		t.Helper()
		c, err := dtls.GenerateCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		whole := filepath.Join(dir, "whole.pem")
		if err := dtls.SaveCertificate(whole, c); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		prints = append(prints, dtls.FingerprintOf(c).String())
		for _, file := range files {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			at := time.Unix(1_900_000_000+int64(len(prints)), 0)
			if err := os.Chtimes(file, at, at); err != nil { // file systems may count whole seconds
				t.Fatal(err)
			}
		}
	}
	issue(name, key)
	var log bytes.Buffer
	now := time.Date(2030, 5, 1, 0, 0, 0, 0, time.UTC)
	r, err := Open(name, key, slog.New(slog.NewTextHandler(&log, nil)), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	shown := func(want int, what string) {
		t.Helper()
		c, err := r.Get(nil)
		if err != nil || dtls.FingerprintOf(*c).String() != prints[want] {
			t.Errorf("%s: certificate %d is not shown: %v\n%s", what, want, err, log.String())
		}
	}
	shown(0, "at first")
	issue(name, key)
	now = now.Add(Interval - 1)
	shown(0, "before it is looked again")
	now = now.Add(1)
	shown(1, "renewed")
	issue(name)
	now = now.Add(Interval)
	shown(1, "without its key")
	now = now.Add(Interval)
	shown(1, "still without its key")
	if n := strings.Count(log.String(), "cannot be read"); n != 1 {
		t.Errorf("said %d times that it cannot be read:\n%s", n, log.String())
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	now = now.Add(Interval)
	shown(1, "without a key")
	issue(name, key)
	now = now.Add(Interval)
	shown(3, "with its key")
	now = now.Add(-24 * time.Hour) // the host's clock is set back
	issue(name, key)
	shown(4, "with the clock set back")
	if n := strings.Count(log.String(), "expired"); n != 0 {
		t.Errorf("said to have expired:\n%s", log.String())
	}
	now = time.Date(9999, 12, 31, 23, 59, 59, 1, time.UTC)
	if _, err := Open(name, key, r.log, r.now); err != nil || !strings.Contains(log.String(), "has expired") {
		t.Errorf("an old certificate: %v\n%s", err, log.String())
	}
	if _, err := Open(name, filepath.Join(dir, "none.pem"), r.log, r.now); err == nil {
		t.Error("no error without a key")
	}
}
