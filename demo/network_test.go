package main_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a running demo whose output is gathered.
type process struct {
	t   *testing.T
	cmd *exec.Cmd

	mu   sync.Mutex
	text strings.Builder
	done chan struct{} // closed when it has ended
}

// start runs the program, built without cgo.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return launch(t, exec.Command(built(t, true), args...))
}

// launch runs a command until it ends, or the test does.
func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, done: make(chan struct{})}
	read, write := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = write, write
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		lines := bufio.NewScanner(read)
		for lines.Scan() {
			p.mu.Lock()
			p.text.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
		}
	}()
	go func() {
		_ = p.cmd.Wait()
		write.Close()
		close(p.done)
	}()
	t.Cleanup(func() { // and it writes no more into the test's folders when these go
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// await waits until the output says something n times. It is a limit for the hung, not a measure:
// it does not matter how fast the machine is.
func (p *process) await(text string, n int) string {
	p.t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if out := p.output(); strings.Count(out, text) >= n {
			return out
		}
	}
	p.t.Fatalf("%v never said %q %d times:\n%s", p.cmd.Args[1:], text, n, p.output())
	return ""
}

// end waits for the exit and returns its code.
func (p *process) end() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		p.t.Fatalf("%v does not end:\n%s", p.cmd.Args[1:], p.output())
	}
	return p.cmd.ProcessState.ExitCode()
}

// link returns the join link for encrypted UDP that a server has printed.
func (p *process) link() string {
	p.t.Helper()
	return p.linkOf("tandem")
}

// linkOf returns the join link of a scheme that a server has printed.
func (p *process) linkOf(scheme string) string {
	p.t.Helper()
	for _, line := range strings.Split(p.await("msg=serving", 1), "\n") {
		if strings.HasPrefix(line, scheme+"://") {
			return line
		}
	}
	p.t.Fatalf("no join link of %s:\n%s", scheme, p.output())
	return ""
}

// served returns the host and port at which a server answers -metrics.
func (p *process) served() string {
	p.t.Helper()
	_, address, _ := strings.Cut(p.await("url=http://", 1), "url=http://")
	address, _, _ = strings.Cut(address, "/")
	return address
}

// freePort returns a UDP address of this machine on which no program listens.
func freePort(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.LocalAddr().String()
}

// A server and a client of the real program, built without cgo, over encrypted UDP.
func TestServerAndClient(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds of real time")
	}
	if runtime.GOOS == "windows" {
		t.Skip("has no SIGTERM")
	}
	dir := t.TempDir()
	server := start(t, "server", "-listen", "127.0.0.1:0", "-metrics", "127.0.0.1:0", "-max-players", "1", "-drain", "1m")
	link := server.link()
	table := filepath.Join(dir, "c.csv")
	client := start(t, "client", "-connect", link, "-headless", "-seconds", "600", "-latency", "40ms", "-jitter", "4ms", "-loss", "0.05", "-trace", table)
	client.await("playing", 1)

	refused := start(t, "client", "-connect", link, "-headless", "-seconds", "600")
	refused.await("the server is full", 1)
	_ = refused.cmd.Process.Signal(syscall.SIGTERM)
	if code := refused.end(); code != 0 {
		t.Errorf("a client that was interrupted while it waited: exit code %d\n%s", code, refused.output())
	}
	wrong := start(t, "client", "-connect", link+"x", "-headless", "-seconds", "600")
	if code := wrong.end(); code != 1 || !strings.Contains(wrong.output(), "ask for a new one") {
		t.Errorf("a wrong token: exit code %d\n%s", code, wrong.output())
	}

	address := server.served()
	says(t, "http://"+address+"/healthz", "ok")
	says(t, "http://"+address+"/debug/vars", `"players": 1,`)
	says(t, "http://"+address+"/metrics", "\ntandem_players 1\n")
	_ = server.cmd.Process.Signal(syscall.SIGTERM)
	server.await("msg=draining", 1)
	says(t, "http://"+address+"/healthz", "draining")
	_ = client.cmd.Process.Signal(syscall.SIGTERM)
	if code := client.end(); code != 0 {
		t.Errorf("the client ends with exit code %d\n%s", code, client.output())
	}
	// Nobody is left, so the server waits no longer.
	if code := server.end(); code != 0 {
		t.Errorf("the server ends with exit code %d\n%s", code, server.output())
	}
	if out := server.output(); !strings.Contains(out, "msg=done") || !strings.Contains(out, "tandem: joined") {
		t.Errorf("the server's log:\n%s", out)
	}
	if rows, err := os.ReadFile(table); err != nil || !strings.Contains(string(rows), ",me,") || !strings.Contains(string(rows), ",platform-1,") {
		t.Errorf("the trace has no rows of the player and the platforms: %v", err)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// says waits until a page has a text in it.
func says(t *testing.T, url, want string) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		got := get(t, url)
		if strings.Contains(got, want) {
			return
		}
		if time.Since(begin) > time.Minute {
			t.Fatalf("%s never said %q:\n%s", url, want, got)
		}
	}
}

// A server is killed and started again: links stay good, and the client says what happens and comes
// back.
func TestServerRestarts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds of real time")
	}
	state, address := filepath.Join(t.TempDir(), "state"), freePort(t)
	first := start(t, "server", "-listen", address, "-state", state)
	link := first.link()
	client := start(t, "client", "-connect", link, "-headless", "-seconds", "600")
	client.await("playing", 1)
	_ = first.cmd.Process.Kill()
	first.end()
	client.await("connection lost", 1)
	second := start(t, "server", "-listen", address, "-state", state)
	if again := second.link(); again != link {
		t.Errorf("the link was %s and is %s", link, again)
	}
	client.await("playing", 2)
	second.await("tandem: joined", 1)
	_ = client.cmd.Process.Kill()
	client.end()
	for _, name := range []string{"token", "certificate.pem"} {
		info, err := os.Stat(filepath.Join(state, name))
		if err != nil {
			t.Error(err)
		} else if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %v", name, info.Mode())
		}
	}
}

// A server that drains for long ends at once when it is interrupted again, but not by the same
// signal sent twice.
func TestImpatientOperator(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("without signals")
	}
	if testing.Short() {
		t.Skip("runs for seconds of real time")
	}
	server := start(t, "server", "-listen", "127.0.0.1:0", "-drain", "1m")
	client := start(t, "client", "-connect", server.link(), "-headless", "-seconds", "600")
	client.await("playing", 1)
	server.await("tandem: joined", 1)
	for range 2 {
		_ = server.cmd.Process.Signal(syscall.SIGTERM)
	}
	server.await("msg=draining", 1)
	for ended := false; !ended; {
		_ = server.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-server.done:
			ended = true
		case <-time.After(100 * time.Millisecond):
		}
	}
	if code := server.end(); code != -1 || strings.Contains(server.output(), "msg=done") {
		t.Errorf("it ends with %d, want by the signal:\n%s", code, server.output())
	}
}

func TestNetworkedExitCodes(t *testing.T) {
	program := built(t, true)
	state := func(token string) string {
		dir := filepath.Join(t.TempDir(), "state")
		file := filepath.Join(dir, "token")
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(file, []byte(token), 0o644), os.Chmod(dir, 0o755), os.Chmod(file, 0o644)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	warning := "others on this machine can read a secret"
	if runtime.GOOS == "windows" { // Windows has no such modes
		warning = ""
	}
	taken, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	// two folders: one that is not there, one that stays empty
	none, fresh := filepath.Join(t.TempDir(), "none"), t.TempDir()
	for _, test := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{[]string{"server", "-h"}, 0, "-max-players", ""},
		{[]string{"client", "-h"}, 0, "-latency", ""},
		{[]string{"host", "-h"}, 0, "-listen", ""},
		{[]string{"duel", "-h"}, 0, "-record", ""},
		{[]string{"bots", "-h"}, 0, "-n ", ""},
		{[]string{"server", "-nonsense"}, 2, "", "there is no flag -nonsense"},
		{[]string{"server", "-hz", "5"}, 2, "", "-hz 5: the fixed rate"},
		{[]string{"server", "-send-hz", "90"}, 2, "", "-send-hz 90: snapshots"},
		{[]string{"server", "-hz", "10", "-send-hz", "20"}, 2, "", "-send-hz 20: snapshots per second are 5 to the fixed rate of 10"},
		{[]string{"server", "-listen", "127.0.0.1:0", "-hz", "10", "-seconds", "0.1"}, 0, "tandem://", "hz=10 send-hz=10"},
		{[]string{"server", "-max-players", "0"}, 2, "", "-max-players 0:"},
		{[]string{"server", "-per-address", "-2"}, 2, "", "-per-address -2:"},
		{[]string{"server", "-workers", "-1"}, 2, "", "-workers -1: it takes 1 to 256, or 0 for all processors"},
		{[]string{"server", "-workers", "257"}, 2, "", "-workers 257:"},
		{[]string{"server", "-workers", "two"}, 2, "", `-workers "two":`},
		{[]string{"host", "-headless", "-listen", "", "-workers", "257"}, 2, "", "-workers 257:"},
		{[]string{"duel", "-workers", "2"}, 2, "", "there is no flag -workers"},
		{[]string{"server", "-listen", "127.0.0.1:0", "-workers", "256", "-seconds", "0.1"}, 0, "tandem://", "workers=256"},
		{[]string{"server", "-listen", "127.0.0.1:0", "-workers", "0", "-seconds", "0.1"}, 0, "tandem://", "workers=" + strconv.Itoa(min(runtime.GOMAXPROCS(0), 256))},
		{[]string{"server", "-crates", "1000"}, 2, "", "-crates 1000:"},
		{[]string{"server", "-round", "5s"}, 2, "", "-round 5s: it takes 10s to 1h"},
		{[]string{"server", "-listen", ""}, 2, "", "-listen: a server needs an address"},
		{[]string{"server", "-listen", "127.0.0.1:1234567"}, 2, "", "-listen 127.0.0.1:1234567:"},
		{[]string{"server", "-listen", "here", "-state", filepath.Join(fresh, "state")}, 2, "", "-listen here: it takes HOST:PORT"},
		{[]string{"server", "-listen", "256.0.0.1:7777", "-state", filepath.Join(fresh, "state")}, 2, "", "-listen 256.0.0.1:7777: it takes HOST:PORT"},
		{[]string{"server", "-listen", taken.LocalAddr().String()}, 2, "", "choose another port"},
		// an address for documentation, no machine's
		{[]string{"server", "-listen", "192.0.2.1:7777"}, 2, "", "-listen 192.0.2.1:7777:"},
		{[]string{"host", "-headless", "-listen", "here", "-trace", filepath.Join(fresh, "a.csv"), "-screenshot", filepath.Join(fresh, "a.png")}, 2, "", "-listen here:"},
		{[]string{"host", "-headless", "-listen", taken.LocalAddr().String(), "-trace", filepath.Join(fresh, "a.csv"), "-record", filepath.Join(fresh, "a.gif")}, 2, "", "choose another port"},
		{[]string{"server", "-listen", "127.0.0.1:0", "-guests", filepath.Join(none, "g.json")}, 2, "", "-guests"},
		{[]string{"server", "-drain", "-1s"}, 2, "", "-drain -1s:"},
		{[]string{"server", "-seconds", "-1"}, 2, "", "-seconds -1:"},
		{[]string{"server", "-seconds", "NaN"}, 2, "", "-seconds NaN:"},
		{[]string{"server", "-listen", "127.0.0.1:0", "-state", state("short")}, 1, "", "too short to be secret"},
		{[]string{"server", "-listen", "127.0.0.1:0", "-state", state("correct horse battery staple")}, 1, "", "cannot stand in a link"},
		{[]string{"server", "-listen", "127.0.0.1:0", "-state", state(strings.Repeat("x", 257))}, 1, "", "cannot stand in a link"},
		{[]string{"server", "-listen", "127.0.0.1:0", "-seconds", "0.1", "-state", state(strings.Repeat("x", 256))}, 0, "tandem://", warning},
		{[]string{"server", "-websocket", "here"}, 2, "", `-websocket "here": it takes HOST:PORT`},
		{[]string{"server", "-websocket", "127.0.0.1:1234567"}, 2, "", "-websocket 127.0.0.1:1234567:"},
		{[]string{"server", "-websocket", "127.0.0.1:0", "-origin", "https://play.example.org"}, 2, "", "no https://"},
		{[]string{"server", "-origin", "play.example.org"}, 2, "", "-origin: it is for WebSocket"},
		{[]string{"server", "-tls"}, 2, "", "-tls: it is for WebSocket"},
		{[]string{"server", "-websocket", "127.0.0.1:0", "-tls-cert", "a.pem"}, 2, "", "a certificate needs its key"},
		{[]string{"server", "-websocket", "127.0.0.1:0", "-tls-cert", "none.pem", "-tls-key", "none.pem"}, 2, "", "-tls-cert none.pem, -tls-key none.pem: open none.pem"},
		{[]string{"server", "-websocket", "127.0.0.1:0", "-tls", "-proxy", "wss://play.example.org/"}, 2, "", "-proxy: the proxy does TLS"},
		{[]string{"server", "-websocket", "127.0.0.1:0", "-proxy", "play.example.org"}, 2, "", `-proxy "play.example.org": it takes the address`},
		{[]string{"server", "-websocket", "127.0.0.1:0", "-path", "arena"}, 2, "", "-path: joinlink:"},
		{[]string{"server", "now"}, 2, "", `"now" is not a flag`},
		{[]string{"client"}, 2, "", "-connect: give the join link"},
		{[]string{"client", "-connect", "tandem://here"}, 2, "", "-connect: joinlink:"},
		{[]string{"client", "-connect", "tandem+ws://127.0.0.1:1/", "-loss", "2"}, 2, "", "-loss 2: it is a share of 0 to 0.9"},
		{[]string{"client", "-headless", "-seconds", "0.3", "-connect", "tandem+ws://127.0.0.1:1/"}, 1, " 0 snapshots", "not joined in 0.3 s"},
		{[]string{"bots", "-n", "2", "-seconds", "0.3", "-connect", "tandem+ws://127.0.0.1:1/"}, 1, "0 of 2 play", "none of the bots has joined"},
		{[]string{"duel", "-latency", "3s"}, 2, "", "-latency 3s:"},
		{[]string{"duel", "-line", "nowhere"}, 2, "", "-line \"nowhere\": choose one of download"},
		{[]string{"duel", "-jitter", "-1ms"}, 2, "", "-jitter -1ms:"},
		{[]string{"duel", "-jitter", "0.1"}, 2, "", `-jitter "0.1": it takes the time by which round trips vary`},
		{[]string{"duel", "-link-jitter", "0.1"}, 2, "", "there is no flag -link-jitter any more: use -jitter"},
		{[]string{"duel", "-overlay=much"}, 2, "", `-overlay "much": it takes true, captions or false`},
		{[]string{"duel", "-frames", "3", "-seconds", "1"}, 2, "", "-frames and -seconds contradict each other"},
		{[]string{"duel", "-skip", "1"}, 2, "", "-skip: there is nothing to record"},
		{[]string{"duel", "-headless", "-frames", "3", "-trace", "-"}, 0, "frame,real_ns,", "client 2: 3 frames"},
		{[]string{"duel", "-kind", "magic"}, 2, "", `-kind "magic": choose one of`},
		{[]string{"duel", "-size", "9x9"}, 2, "", `-size "9x9":`},
		{[]string{"duel", "-record", "a.txt"}, 2, "", `-record "a.txt": the file's name ends in .gif`},
		{[]string{"duel", "-headless", "-trace", filepath.Join(none, "a.csv")}, 2, "", "-trace:"},
		{[]string{"duel", "-headless", "-screenshot", filepath.Join(none, "a.png"), "-trace", filepath.Join(fresh, "a.csv")}, 2, "", "-screenshot: record: cannot write"},
		{[]string{"duel", "-headless", "-record", filepath.Join(none, "a.gif"), "-screenshot", filepath.Join(fresh, "a.png")}, 2, "", "-record: record: cannot write"},
		{[]string{"host", "-headless", "-listen", "127.0.0.1:0", "-state", filepath.Join(fresh, "state"), "-screenshot", filepath.Join(none, "a.png")}, 2, "", "-screenshot: record: cannot write"},
		{[]string{"client", "-headless", "-connect", "tandem+ws://127.0.0.1:1/", "-screenshot", filepath.Join(none, "a.png")}, 2, "", "-screenshot: record: cannot write"},
		{[]string{"server", "-bank", "1s"}, 2, "", "-bank: it belongs to -on-arrival; add that flag"},
		{[]string{"server", "-on-arrival", "-bank", "3s"}, 2, "", "-bank 3s:"},
		{[]string{"duel", "-action-hz", "3"}, 2, "", "-action-hz 3: it takes 4 to the fixed rate of 60 input packets per second"},
		{[]string{"duel", "-action-hz", "61"}, 2, "", "-action-hz 61:"},
		{[]string{"duel", "-delay", "-1ms"}, 2, "", "-delay -1ms:"},
		{[]string{"bots", "-n", "0"}, 2, "", "-n 0: 1 to 256 bots"},
		{[]string{"duel", "-headless", "-seconds", "1", "-trace", filepath.Join(t.TempDir(), "a.csv")}, 0, "wrote ", "client 2: playing"},
	} {
		got := run(t, program, noDisplay(), test.args...)
		if got.code != test.code || !strings.Contains(got.stdout, test.stdout) || !strings.Contains(got.stderr, test.stderr) {
			t.Errorf("%v: exit code %d, want %d\nout: %s\nerr: %s", test.args, got.code, test.code, got.stdout, got.stderr)
		}
	}
	if left, err := os.ReadDir(fresh); err != nil || len(left) > 0 {
		t.Errorf("runs that ended at once have left %v %v", left, err)
	}
}
