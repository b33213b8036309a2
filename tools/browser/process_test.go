package browser

import (
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a running demo outside of the browser.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended

	mu   sync.Mutex
	said strings.Builder
}

// start runs the demo until the test ends.
func start(t testing.TB, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(suite.demo, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("%v:\n%s", args, p.output())
		}
	})
	return p
}

// serve runs a server with a page.
func serve(t testing.TB, args ...string) *process {
	t.Helper()
	args = append([]string{"server", "-web-dir", suite.web, "-listen", "127.0.0.1:0", "-metrics", "127.0.0.1:0"}, args...)
	p := start(t, args...)
	p.await("msg=serving")
	return p
}

// Write takes the output.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.Write(b)
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// await waits until the process has written a text.
func (p *process) await(text string) {
	p.t.Helper()
	for begin := time.Now(); !strings.Contains(p.output(), text); time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > patience {
			p.t.Fatalf("%v has not written %q:\n%s", p.cmd.Args[1:], text, p.output())
		}
	}
}

// link returns the host and the token of the link that a server has printed for a scheme.
func (p *process) link(scheme string) (address, token string) {
	p.t.Helper()
	for line := range strings.Lines(p.output()) {
		if link, ok := strings.CutPrefix(strings.TrimSpace(line), scheme+"://"); ok {
			address, rest, _ := strings.Cut(link, "/")
			_, token, _ := strings.Cut(rest, "#") // behind the page's query, if it needs one
			return address, token
		}
	}
	p.t.Fatalf("no link of %s:\n%s", scheme, p.output())
	return "", ""
}

// native returns the join link for programs.
func (p *process) native() string {
	p.t.Helper()
	for line := range strings.Lines(p.output()) {
		if strings.HasPrefix(line, "tandem://") {
			return strings.TrimSpace(line)
		}
	}
	p.t.Fatalf("no join link:\n%s", p.output())
	return ""
}

// players waits until so many play on a server.
func (p *process) players(n string) {
	p.t.Helper()
	p.await("url=http://")
	_, address, _ := strings.Cut(p.output(), "url=http://")
	address, _, _ = strings.Cut(address, "/")
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		text := ""
		if r, err := http.Get("http://" + address + "/metrics"); err == nil {
			all, _ := io.ReadAll(r.Body)
			r.Body.Close()
			text = string(all)
		}
		if strings.Contains(text, "\ntandem_players "+n+"\n") {
			return
		}
		if time.Since(begin) > patience {
			p.t.Fatalf("waited %v for %s players:\n%s", patience, n, text)
		}
	}
}

// stop interrupts the process, and waits for its end.
func (p *process) stop() {
	p.t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("%v does not end", p.cmd.Args[1:])
	}
}
