//go:build !js

package issued

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/acme"
)

const name = "play.example.org"

// authority is a small ACME server (RFC 8555) that trusts every signature, and fetches the
// challenge from one address.
type authority struct {
	*httptest.Server
	challenges string

	mu      sync.Mutex
	proved  bool
	issued  []byte // PEM
	looked  string // the body at the challenge
	refuses bool
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Replay-Nonce", "nonce")
	var signed struct{ Payload string }
	_ = json.NewDecoder(r.Body).Decode(&signed)
	payload, _ := base64.RawURLEncoding.DecodeString(signed.Payload)
	reply := func(status int, value any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	state, challenge := "pending", "pending"
	if a.proved {
		state, challenge = "ready", "valid"
	}
	order := map[string]any{"status": state, "authorizations": []string{a.URL + "/authorization"}, "finalize": a.URL + "/finalize"}
	switch r.URL.Path {
	case "/directory":
		reply(200, map[string]string{"newNonce": a.URL + "/nonce", "newAccount": a.URL + "/account", "newOrder": a.URL + "/order", "revokeCert": a.URL + "/revoke", "keyChange": a.URL + "/key"})
	case "/nonce":
	case "/account":
		w.Header().Set("Location", a.URL+"/account/1")
		reply(201, map[string]string{"status": "valid"})
	case "/order", "/order/1":
		if a.refuses {
			reply(403, map[string]string{"type": "urn:ietf:params:acme:error:rejectedIdentifier", "detail": "not this name"})
			return
		}
		w.Header().Set("Location", a.URL+"/order/1")
		status := 200
		if r.URL.Path == "/order" {
			status = 201
		}
		reply(status, order)
	case "/authorization":
		reply(200, map[string]any{"status": map[bool]string{false: "pending", true: "valid"}[a.proved], "identifier": map[string]string{"type": "dns", "value": name},
			"challenges": []map[string]string{{"type": "http-01", "url": a.URL + "/challenge", "token": "token", "status": challenge}}})
	case "/challenge":
		request, _ := http.NewRequest("GET", "http://"+a.challenges+"/.well-known/acme-challenge/token", nil)
		request.Host = name
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			reply(500, map[string]string{"detail": err.Error()})
			return
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		a.looked = string(text)
		a.proved = answer.StatusCode == 200 && strings.HasPrefix(a.looked, "token.")
		reply(200, map[string]string{"type": "http-01", "url": a.URL + "/challenge", "token": "token", "status": "processing"})
	case "/finalize":
		var wanted struct{ CSR string }
		_ = json.Unmarshal(payload, &wanted)
		der, _ := base64.RawURLEncoding.DecodeString(wanted.CSR)
		request, err := x509.ParseCertificateRequest(der)
		if err != nil {
			reply(400, map[string]string{"detail": err.Error()})
			return
		}
		a.issued = issue(request)
		order["status"], order["certificate"] = "valid", a.URL+"/certificate"
		w.Header().Set("Location", a.URL+"/order/1")
		reply(200, order)
	case "/certificate":
		w.Header().Set("Content-Type", "application/pem-certificate-chain")
		_, _ = w.Write(a.issued)
	default:
		reply(404, map[string]string{"detail": r.URL.Path})
	}
}

// issue returns a certificate for a request.
func issue(request *x509.CertificateRequest) []byte {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(90 * 24 * time.Hour)}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: request.DNSNames, NotBefore: root.NotBefore, NotAfter: root.NotAfter}
	der, err := x509.CreateCertificate(rand.Reader, leaf, root, request.PublicKey, key)
	if err != nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// freePort returns an address at which nothing listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// log is a log that may be read while it is written.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *log) await(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		got := l.b.String()
		l.mu.Unlock()
		if strings.Contains(got, text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the log has no %q:\n%s", text, got)
		}
	}
}

// begin opens a certificate at an authority of the test.
func begin(t *testing.T, refuses bool) (security *tls.Config, l *log, state string, a *authority) {
	t.Helper()
	a = &authority{challenges: freePort(t), refuses: refuses}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	l, state = &log{}, t.TempDir()
	security, err := Open(Config{
		Name: name, State: state, Addr: "127.0.0.1:8443", Log: slog.New(slog.NewTextHandler(l, nil)),
		Challenges: a.challenges, Client: &acme.Client{DirectoryURL: a.URL + "/directory"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return security, l, state, a
}

// The first certificate is obtained without a client, by the challenge that the authority reads,
// and kept in the folder. A browser's handshake then gets it, and another name does not.
func TestCertificateIsObtained(t *testing.T) {
	security, l, state, a := begin(t, false)
	l.await(t, "there is a certificate")
	if kept, err := os.ReadDir(filepath.Join(state, "acme")); err != nil || len(kept) < 2 {
		t.Errorf("kept: %v, %v", kept, err)
	}
	a.Close() // it is not needed again
	shake := func(server string) error {
		client, end := net.Pipe()
		defer client.Close()
		go func() { _ = tls.Server(end, security).Handshake(); end.Close() }()
		c := tls.Client(client, &tls.Config{ServerName: server, InsecureSkipVerify: true})
		err := c.Handshake()
		if err == nil && c.ConnectionState().PeerCertificates[0].DNSNames[0] != name {
			err = fmt.Errorf("another certificate")
		}
		return err
	}
	if err := shake(name); err != nil {
		t.Error(err)
	}
	if err := shake("other.example.org"); err == nil {
		t.Error("another name gets a certificate")
	}
}

// The log says why there is no certificate.
func TestRefusalIsLogged(t *testing.T) {
	_, l, _, _ := begin(t, true)
	l.await(t, "not this name")
	l.await(t, "port 443 or 80 has to be reachable")
}

// A port for the challenges that is taken is an error that says what to do.
func TestPortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Open(Config{Name: name, State: t.TempDir(), Addr: ":8443", Challenges: l.Addr().String(), Log: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), "serve the page on :443") {
		t.Errorf("%v", err)
	}
}

// Strangers that hold connections to the port for the challenges open take only so many of this
// machine's, and leave the rest to the game.
func TestChallengesAreBounded(t *testing.T) {
	_, _, _, a := begin(t, true)
	dial := func() net.Conn {
		c, err := net.Dial("tcp", a.challenges)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	var silent []net.Conn
	for range maxChallenges {
		silent = append(silent, dial())
	}
	next := dial()
	if _, err := fmt.Fprintf(next, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 1)
	_ = next.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	if _, err := next.Read(answer); err == nil {
		t.Error("one connection more is answered")
	}
	for _, c := range silent {
		c.Close()
	}
	_ = next.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := next.Read(answer); err != nil {
		t.Errorf("after the others have gone: %v", err)
	}
}
