//go:build !js

package host

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// nginxServers returns the servers of nginx that docs/hosting.md shows.
func nginxServers(t *testing.T) (servers []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "hosting.md"))
	if err != nil {
		t.Fatal(err)
	}
	for rest := string(text); ; {
		_, after, ok := strings.Cut(rest, "\n    server {\n")
		if !ok {
			return servers
		}
		server, after, ok := strings.Cut(after, "\n    }\n")
		if !ok {
			t.Fatal("a server of nginx in hosting.md has no end")
		}
		servers, rest = append(servers, "server {\n"+server+"\n}\n"), after
	}
}

// errorLog is what a program writes.
type errorLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *errorLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *errorLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// startNginx runs nginx with a server until the test ends. It takes over the socket, so that no
// other program can take the port.
func startNginx(t *testing.T, program, server string, socket *net.TCPListener) {
	t.Helper()
	dir := t.TempDir()
	var temporary strings.Builder // folders; the usual ones belong to the system's nginx
	built, err := exec.Command(program, "-V").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, built)
	}
	for _, of := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		if !strings.Contains(string(built), "--without-http_"+of+"_module") {
			fmt.Fprintf(&temporary, "\t%s_temp_path %s;\n", of, filepath.Join(dir, of))
		}
	}
	config := filepath.Join(dir, "nginx.conf")
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;\n" // the worker's, too: the test's folder is its own
	}
	text := user + "daemon off;\nworker_processes 1;\npid " + filepath.Join(dir, "pid") + ";\nerror_log stderr warn;\nevents { worker_connections 64; }\nhttp {\n\taccess_log off;\n" + temporary.String() + server + "}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := socket.File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out errorLog
	cmd := exec.Command(program, "-p", dir, "-c", config, "-e", "stderr")
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &out, &out, []*os.File{file}
	// The socket, as a running nginx hands it to its successor.
	cmd.Env = append(os.Environ(), "NGINX=3;")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	socket.Close() // if nginx ends, its clients notice it
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it ends its worker, too
		ended := cmd.Wait()
		if t.Failed() {
			t.Logf("nginx, %v:\n%s\n%s", ended, text, out.String())
		}
	})
}

// Behind a real nginx, at the root of a host and under a path, the page, its files and the match
// are found by the links that the server prints. The address of a player is the one that nginx
// writes, whatever the player sends. The configurations are those of docs/hosting.md, and ones that
// differ from them as operators' do.
func TestNginx(t *testing.T) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/nginx")
	}
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no nginx: tools/setup.sh proxy installs it")
	}
	servers := nginxServers(t)
	if len(servers) != 2 {
		t.Fatalf("hosting.md shows %d servers of nginx, want one at the root and one under a path", len(servers))
	}
	const pass, keep = "proxy_pass http://127.0.0.1:8080;", "proxy_set_header Host $http_host;"
	const older, newer = "X-Forwarded-For $proxy_add_x_forwarded_for;", `Forwarded "";`
	strip := strings.NewReplacer(pass, "proxy_pass http://127.0.0.1:8080/;")
	for name, test := range map[string]struct {
		path, server string
	}{
		"root":                             {"/", servers[0]},
		"root, Host kept":                  {"/", strings.Replace(servers[0], pass, pass+keep, 1)},
		"path passed on":                   {"/game/", servers[1]},
		"path passed on, Host kept":        {"/game/", strings.Replace(servers[1], pass, pass+keep, 1)},
		"path taken off":                   {"/game/", strip.Replace(servers[1])},
		"path without its slash":           {"/game", strings.Replace(servers[1], "location /game/", "location /game", 1)},
		"path of two parts taken off":      {"/a/b/", strings.Replace(strip.Replace(servers[1]), "location /game/", "location /a/b/", 1)},
		"address with a port":              {"/", strings.Replace(servers[0], older, "X-Forwarded-For $remote_addr:$remote_port;", 1)},
		"address with brackets and a port": {"/", strings.Replace(servers[0], older, `X-Forwarded-For "[::ffff:$remote_addr]:$remote_port";`, 1)},
		"Forwarded":                        {"/", strings.NewReplacer(older, `X-Forwarded-For "";`, newer, `Forwarded "for=\"$remote_addr:$remote_port\";proto=https";`).Replace(servers[0])},
		"both headers":                     {"/", strings.Replace(servers[0], newer, `Forwarded "for=$remote_addr";`, 1)},
	} {
		t.Run(name, func(t *testing.T) { behindNginx(t, program, test.path, test.server) })
	}
}

func behindNginx(t *testing.T, program, path, server string) {
	certificate, err := dtls.GenerateCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "certificate.pem")
	if err := dtls.SaveCertificate(file, certificate); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	front := socket.Addr().String()
	h := open(t, Config{WebSocket: WebSocket{Addr: "127.0.0.1:0", Proxy: "wss://" + front + path, Page: newPage(t, folder(t))}})
	serve(t, h, nil)
	replaced := strings.NewReplacer("listen 443 ssl", "listen "+front+" ssl", "fullchain.pem", file, "privkey.pem", file, "127.0.0.1:8080", webSocketAddr(h)).Replace(server)
	startNginx(t, program, replaced, socket.(*net.TCPListener))

	browser := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: time.Minute}
	defer browser.CloseIdleConnections()
	page, _, _ := strings.Cut(h.PageLink(), "#")
	for relative, want := range map[string]string{"": "<p>", "game.wasm": "program", "js/page.js": "script", "level/": "level"} {
		answer, err := browser.Get(page + relative)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || string(text) != want || answer.Header.Get("Cross-Origin-Opener-Policy") == "" {
			t.Errorf("%s is %d %q, %v, want %q", page+relative, answer.StatusCode, text, err, want)
		}
	}
	if without := strings.TrimSuffix(page, "/"); path != "/" {
		answer, err := browser.Get(without)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.Request.URL.String() != page || answer.StatusCode != http.StatusOK {
			t.Errorf("%s leads to %s, %d, want the page at %s", without, answer.Request.URL, answer.StatusCode, page)
		}
	}

	// A page's WebSocket is at the page's own address, a program's at the link's.
	link := h.Links()[0]
	own := http.Header{"Origin": {"https://" + front}, "X-Forwarded-For": {"198.51.100.1"}}
	for _, dial := range []struct {
		url    string
		header http.Header
		want   netcode.Status
	}{
		{"ws" + strings.TrimPrefix(page, "http"), own, netcode.Playing},
		{link.URL(), own, netcode.Playing},
		{link.URL(), http.Header{"Origin": {"https://evil.example.com"}}, netcode.Joining},
	} {
		c, err := testgame.Join(protocol(t), testgame.ClientConfig{
			Dial: func() (transport.Conn, error) {
				return websocket.Dial(dial.url, websocket.Config{Fingerprint: dtls.FingerprintOf(certificate), Header: dial.header}), nil
			},
			Input: func(netcode.Tick) testgame.Input { return testgame.Input{} },
			Token: []byte(h.Token()),
		}, interpolation.New3D())
		if err != nil {
			t.Fatal(err)
		}
		status, failed := netcode.Joining, h.listenerStats().Failed
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			h.Update(time.Second / rate)
			c.Engine.Update(time.Second / rate)
			if status, _ = c.Status(); status == netcode.Playing || status == netcode.Ended || h.listenerStats().Failed > failed {
				break
			}
		}
		if status != dial.want {
			t.Errorf("a page of %q at %s: the player is %v, want %v", dial.header["Origin"], dial.url, status, dial.want)
		}
		var players strings.Builder
		if err := h.Execute("players", &players); err != nil {
			t.Fatal(err)
		}
		if status == netcode.Playing && (!strings.Contains(players.String(), "127.0.0.1:") || strings.Contains(players.String(), "198.51.100.1")) {
			t.Errorf("want the address that nginx sees:\n%s", players.String())
		}
		c.Engine.Close()
		h.Update(time.Second / rate)
	}
}
