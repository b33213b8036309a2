package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/internal/programs"
	_ "github.com/tandem-ecs/tandem/systems/interpolation" // imports all that the client imports
	_ "github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// The client of 05-multiplayer plays on the dedicated server. Its operator sends the player home,
// invites, looks at the players, and ends the server. The links stay valid over a restart.
func TestProcesses(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	start := func(listen string) (server *programs.Process, link string) {
		server = programs.Start(t, ".", "-listen", listen, "-state", state, "-metrics", "127.0.0.1:0")
		if !server.Out.Scan() || !strings.HasPrefix(server.Out.Text(), "tandem://") {
			t.Fatalf("the server prints %q, not a link", server.Out.Text())
		}
		return server, server.Out.Text()
	}
	server, link := start("127.0.0.1:0")
	client := programs.Start(t, "../05-multiplayer", link)
	for client.Out.Scan() && strings.IndexByte(client.Out.Text(), '1') < 0 {
	}
	answer := func(command string) string {
		io.WriteString(server.In, command+"\n")
		server.Out.Scan()
		return server.Out.Text()
	}
	if got := answer("home 1"); got != "player 1 is at home" {
		t.Errorf("the command of the game prints %q", got)
	}
	for client.Out.Scan() && !strings.HasPrefix(client.Out.Text(), "1") {
	}
	if got := answer("invite 3"); !strings.HasPrefix(got, "tandem://") || got == link {
		t.Errorf("an invitation is %q", got)
	}
	if got := answer("players"); !strings.HasPrefix(got, "    1  127.0.0.1:") {
		t.Errorf("the first player is %q", got)
	}
	page, err := os.ReadFile("../../docs/10-run-a-server.md")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(server.In, "help\n")
	server.Out.Scan() // the number of players
	for range 9 {
		if server.Out.Scan(); !strings.Contains(string(page), "\n    "+server.Out.Text()+"\n") {
			t.Errorf("the page does not show the command %q", server.Out.Text())
		}
	}
	io.WriteString(server.In, "quit\n")
	for server.Out.Scan() {
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ends with %v\n%s", err, &server.Err)
	}
	if log := server.Err.String(); !strings.Contains(log, "metrics url=http://127.0.0.1:") {
		t.Errorf("the log does not say where the metrics are:\n%s", log)
	}
	if _, again := start(regexp.MustCompile(`//(.*)#`).FindStringSubmatch(link)[1]); again != link {
		t.Errorf("after a restart the link is %q, before %q", again, link)
	}
}
