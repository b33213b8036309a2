package main_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Players join by a link in a file, on the standard input or in the environment, and their command
// lines, which all users of the machine can read, do not show its token. Neither do the server's,
// nor its metrics, which without a host are this machine's alone.
func TestTokensStayOutOfCommandLines(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds of real time")
	}
	server := start(t, "server", "-listen", "127.0.0.1:0", "-metrics", ":0", "-crates", "0")
	link := server.link()
	_, token, _ := strings.Cut(link, "+")
	if host, _, err := net.SplitHostPort(server.served()); err != nil || host != "127.0.0.1" {
		t.Errorf("-metrics :0 listens at %s, %v", server.served(), err)
	}
	file := filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(file, []byte(link+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(input, variable string, args ...string) *process {
		cmd := exec.Command(built(t, true), args...)
		cmd.Stdin, cmd.Env = strings.NewReader(input), append(os.Environ(), variable)
		return launch(t, cmd)
	}
	all := []*process{server}
	for _, p := range []*process{
		run("", "", "client", "-headless", "-seconds", "600", "-connect", "@"+file),
		run(link+"\n", "", "client", "-headless", "-seconds", "600", "-connect", "-"),
		run("", "TANDEM_CONNECT="+link, "client", "-headless", "-seconds", "600"),
	} {
		p.await("playing", 1)
		all = append(all, p)
	}
	for _, p := range []*process{
		run(link, "", "bots", "-n", "1", "-seconds", "600", "-every", "100ms", "-connect", "-"),
		run("", "TANDEM_CONNECT="+link, "bots", "-n", "1", "-seconds", "600", "-every", "100ms"),
	} {
		p.await("1 of 1 play", 1)
		all = append(all, p)
	}
	if runtime.GOOS != "linux" {
		return
	}
	for _, p := range all {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.cmd.Process.Pid))
		if err != nil || len(token) < 16 || strings.Contains(string(line), token) {
			t.Errorf("%v: the command line is %q, %v", p.cmd.Args[1:], line, err)
		}
	}
}
