package dtls_test

import (
	"crypto/ed25519"
	"crypto/tls"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
)

// A server that restarts with its certificate is the same server for players that have its link.
func TestCertificateSurvivesARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "certificate.pem")
	first, err := dtls.LoadOrCreateCertificate(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, error %v, want one that only its owner reads", info.Mode(), err)
	}
	again, err := dtls.LoadOrCreateCertificate(path, nil)
	if err != nil || dtls.FingerprintOf(again) != dtls.FingerprintOf(first) {
		t.Errorf("the fingerprint changed from %v to %v, error %v", dtls.FingerprintOf(first), dtls.FingerprintOf(again), err)
	}
	link := dtls.FingerprintOf(first)
	for range 2 {
		l := listen(t, open(dtls.Config{Certificate: again}))
		if l.Fingerprint() != link {
			t.Errorf("the listener's fingerprint is %v, want %v", l.Fingerprint(), link)
		}
		client, server := join(t, l, l.Addr(), dtls.Config{})
		exchange(t, client, server)
		l.Close(transport.Reason{})
		<-l.Done()
	}
	if other, _ := dtls.GenerateCertificate(nil); dtls.FingerprintOf(other) == link {
		t.Error("two certificates are the same")
	}
}

func TestCertificateErrors(t *testing.T) {
	dir := t.TempDir()
	good, err := dtls.GenerateCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "bad.pem")
	if err := os.WriteFile(path, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A file that exists and cannot be read is an operator's mistake, not a reason to make a new
	// certificate and break all links.
	if _, err := dtls.LoadOrCreateCertificate(path, nil); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged file: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "no certificate" {
		t.Error("the damaged file was overwritten")
	}
	if _, err := dtls.LoadCertificate(filepath.Join(dir, "missing")); err == nil {
		t.Error("a missing file was read")
	}
	if err := dtls.SaveCertificate(filepath.Join(dir, "no", "such", "folder"), good); err == nil {
		t.Error("saved into a folder that does not exist")
	}
	_, key, _ := ed25519.GenerateKey(nil)
	for name, c := range map[string]tls.Certificate{"empty": {}, "without a key": {Certificate: good.Certificate}, "of another kind": {Certificate: good.Certificate, PrivateKey: key}} {
		if err := dtls.SaveCertificate(path, c); err == nil {
			t.Errorf("one %s was saved", name)
		}
		if name == "empty" {
			continue // an empty certificate makes Listen generate one
		}
		if _, err := dtls.Listen("127.0.0.1:0", dtls.Config{Certificate: c}); err == nil || !strings.Contains(err.Error(), "GenerateCertificate") {
			t.Errorf("Listen with one %s: %v", name, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	defer func() {
		if recover() == nil {
			t.Error("FingerprintOf nothing did not panic")
		}
	}()
	dtls.FingerprintOf(tls.Certificate{})
}
