package main_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// players waits until so many play on a server.
func (p *process) players(n string) {
	p.t.Helper()
	says(p.t, "http://"+p.served()+"/debug/vars", `"players": `+n+`,`)
}

// One server, two transports, each with a client and bots; both see all players, and both receive
// the end.
func TestBothTransportsAtOnce(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs for seconds of real time, and needs SIGTERM")
	}
	server := start(t, "server", "-listen", "127.0.0.1:0", "-websocket", "127.0.0.1:0", "-metrics", "127.0.0.1:0", "-max-players", "8", "-drain", "1s")
	var bots []*process
	for _, link := range []string{server.linkOf("tandem"), server.linkOf("tandem+ws")} {
		b := start(t, "bots", "-connect", link, "-n", "3", "-every", "100ms")
		b.await("3 of 3 play", 1)
		bots = append(bots, b)
	}
	dir := t.TempDir()
	traces := []string{filepath.Join(dir, "udp.csv"), filepath.Join(dir, "ws.csv")}
	udp := start(t, "client", "-connect", server.linkOf("tandem"), "-headless", "-seconds", "600", "-trace", traces[0])
	ws := start(t, "client", "-connect", server.linkOf("tandem+ws"), "-headless", "-seconds", "600", "-latency", "40ms", "-loss", "0.02", "-trace", traces[1])
	udp.await("playing", 1)
	ws.await("playing", 1)
	server.players("8")

	full := start(t, "client", "-connect", server.linkOf("tandem+ws"), "-headless", "-seconds", "600")
	full.await("the server is full", 1)
	_ = full.cmd.Process.Kill()
	full.end()
	wrong := start(t, "client", "-connect", server.linkOf("tandem+ws")+"x", "-headless", "-seconds", "600")
	if code := wrong.end(); code != 1 || !strings.Contains(wrong.output(), "ask for a new one") {
		t.Errorf("a wrong token: exit code %d\n%s", code, wrong.output())
	}

	// All the others are in the traces of both, also those that joined by the other transport.
	for _, path := range traces {
		for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			rows, _ := os.ReadFile(path)
			seen := 0
			for _, name := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
				if strings.Contains(string(rows), ",player-"+name+",") {
					seen++
				}
			}
			if seen == 7 {
				break
			}
			if time.Since(begin) > time.Minute {
				t.Fatalf("%s shows %d others, want 7", filepath.Base(path), seen)
			}
		}
	}
	_ = server.cmd.Process.Signal(syscall.SIGTERM)
	if code := server.end(); code != 0 {
		t.Errorf("the server ends with exit code %d\n%s", code, server.output())
	}
	for _, client := range append(bots, udp, ws) {
		client.await("the server is going down", 1)
		_ = client.cmd.Process.Kill()
		client.end()
	}
}

// A server with a certificate that an authority has issued, one with its own, and one behind a
// proxy: each is reached by the link that it prints.
func TestWebSocketWithTLS(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("runs for seconds of real time, and needs authorities from a file")
	}
	// The test server's certificate is valid for 127.0.0.1 and signed by itself. A client accepts
	// it if the certificate is among its authorities.
	front := httptest.NewUnstartedServer(nil)
	front.StartTLS()
	defer front.Close()
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	savePEM(t, certificate, "CERTIFICATE", front.TLS.Certificates[0].Certificate[0])
	savePEM(t, key, "PRIVATE KEY", pkcs8(t, front.TLS.Certificates[0]))

	play := func(t *testing.T, link string, trusting bool) *process {
		cmd := exec.Command(built(t, true), "client", "-connect", link, "-headless", "-seconds", "600")
		cmd.Env = noDisplay()
		if trusting {
			cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+certificate)
		}
		return launch(t, cmd)
	}
	t.Run("authority", func(t *testing.T) {
		server := start(t, "server", "-listen", "", "-websocket", "127.0.0.1:0", "-path", "/arena", "-tls-cert", certificate, "-tls-key", key)
		link := server.linkOf("tandem+wss")
		if !strings.Contains(link, "/arena#+") {
			t.Errorf("the link is %s, want one with the path and without a fingerprint", link)
		}
		play(t, link, true).await("playing", 1)
		play(t, link, false).await("no authority vouches for the server's certificate", 1)
		if strings.Contains(server.output(), "tandem://") {
			t.Errorf("there is no UDP, but a link for it:\n%s", server.output())
		}
	})
	t.Run("own", func(t *testing.T) {
		server := start(t, "server", "-listen", "", "-websocket", "127.0.0.1:0", "-tls", "-state", filepath.Join(dir, "state"))
		link := server.linkOf("tandem+wss")
		play(t, link, false).await("playing", 1)
		other := start(t, "server", "-listen", "", "-websocket", "127.0.0.1:0", "-tls").linkOf("tandem+wss")
		_, secrets, _ := strings.Cut(other, "#")
		address, _, _ := strings.Cut(link, "#")
		play(t, address+"#"+secrets, false).await("this is not the server that made the join link", 1)
	})
	t.Run("proxy", func(t *testing.T) {
		server := start(t, "server", "-listen", "", "-websocket", "127.0.0.1:0", "-proxy", "wss://"+front.Listener.Addr().String()+"/arena")
		_, inner, _ := strings.Cut(server.await("msg=serving", 1), "addr=ws://")
		inner, _, _ = strings.Cut(inner, "/")
		front.Config.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: inner})
			r.Out.Header.Set("X-Forwarded-For", "203.0.113.9")
			r.Out.Host = r.In.Host
		}}
		link := server.linkOf("tandem+wss")
		if want := "tandem+wss://" + front.Listener.Addr().String() + "/arena#+"; !strings.HasPrefix(link, want) {
			t.Errorf("the link is %s, want %s...", link, want)
		}
		play(t, link, true).await("playing", 1)
		server.await("addr=203.0.113.9", 1)
	})
}

// Pages of other sites are turned away, those of -origin are not.
func TestWebSocketOrigins(t *testing.T) {
	server := start(t, "server", "-listen", "", "-websocket", "127.0.0.1:0", "-origin", "play.example.org, *.example.net")
	address, _, _ := strings.Cut(strings.TrimPrefix(server.linkOf("tandem+ws"), "tandem+ws://"), "#")
	for origin, want := range map[string]int{
		"": http.StatusSwitchingProtocols, "https://play.example.org": http.StatusSwitchingProtocols, "https://a.example.net": http.StatusSwitchingProtocols,
		"https://example.org": http.StatusForbidden, "https://play.example.org.example.com": http.StatusForbidden,
	} {
		r, err := http.NewRequest("GET", "http://"+address, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": origin,
		} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("origin %q: status %d, want %d", origin, answer.StatusCode, want)
		}
	}
}

// A server with a WebSocket without TLS that is open to other machines logs a warning.
func TestWebSocketInTheClear(t *testing.T) {
	const warning = "everybody on the way can read"
	if out := start(t, "server", "-listen", "", "-websocket", "127.0.0.1:0").await("msg=serving", 1); strings.Contains(out, warning) {
		t.Errorf("on this machine alone:\n%s", out)
	}
	start(t, "server", "-listen", "", "-websocket", ":0").await(warning, 1)
}

func savePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err == nil {
		err = pem.Encode(f, &pem.Block{Type: kind, Bytes: der})
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func pkcs8(t *testing.T, c tls.Certificate) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return der
}
