package main_test

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// operated is a server with an operator at its console.
type operated struct {
	*process
	in io.Writer
}

func operate(t *testing.T, args ...string) *operated {
	t.Helper()
	cmd := exec.Command(built(t, true), args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	return &operated{launch(t, cmd), in}
}

// say types a line and waits for an answer that has not been given before.
func (o *operated) say(line, answer string) string {
	o.t.Helper()
	n := strings.Count(o.output(), answer)
	fmt.Fprintln(o.in, line)
	return o.await(answer, n+1)
}

// The operator of a server lists, kicks, invites and bans by lines on its standard input; bans and
// used-up invitations outlive a restart.
func TestOperator(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds of real time")
	}
	state := filepath.Join(t.TempDir(), "state")
	address := freePort(t)
	server := operate(t, "server", "-listen", address, "-state", state, "-crates", "0")
	link := server.link()
	one := start(t, "client", "-connect", link, "-headless", "-seconds", "600")
	one.await("playing", 1)
	server.say("players", "1 players")
	if out := server.output(); !strings.Contains(out, "127.0.0.1:") || !strings.Contains(out, "shared") {
		t.Errorf("the list of players is\n%s", out)
	}
	server.say("kick 9", "there is no player \"9\"")
	server.say("dance", "there is no command \"dance\"")
	server.say("ban nobody", "there is no player \"nobody\"")
	server.say("invite 0", "1 to 1000000")
	server.say("help", "lift a ban")
	server.say("kick 1 too loud", "kicked 1")
	if code := one.end(); code != 1 || !strings.Contains(one.output(), "too loud") {
		t.Errorf("a kicked player ends with %d:\n%s", code, one.output())
	}
	// An invitation for one is good once.
	out := server.say("invite 1 1h", fmt.Sprintf("tandem://%s#", address))
	var own string
	for _, text := range strings.Split(out, "\n") {
		if strings.HasPrefix(text, "tandem://") {
			own = text // the newest
		}
	}
	if own == link {
		t.Fatal("the invitation is the server's own link")
	}
	two := start(t, "client", "-connect", own, "-headless", "-seconds", "600")
	two.await("playing", 1)
	again := start(t, "client", "-connect", own, "-headless", "-seconds", "600")
	if code := again.end(); code != 1 || !strings.Contains(again.output(), "used up") {
		t.Errorf("a used-up invitation ends with %d:\n%s", code, again.output())
	}
	// The player that used it can come back after the server was killed.
	_ = server.cmd.Process.Kill()
	<-server.done
	server = operate(t, "server", "-listen", address, "-state", state, "-crates", "0")
	two.await("playing", 2)
	again = start(t, "client", "-connect", own, "-headless", "-seconds", "600")
	if code := again.end(); code != 1 || !strings.Contains(again.output(), "used up") {
		t.Errorf("beside the player that came back, another with the invitation ends with %d:\n%s", code, again.output())
	}
	server.say("ban 1 aims too well", "ban 1: token ")
	if code := two.end(); code != 1 || !strings.Contains(two.output(), "aims too well") {
		t.Errorf("a banned player ends with %d:\n%s", code, two.output())
	}
	fmt.Fprintln(server.in, "quit")
	if code := server.end(); code != 0 {
		t.Errorf("quit ends the server with %d", code)
	}

	server = operate(t, "server", "-listen", address, "-state", state, "-crates", "0")
	if again := server.link(); again != link {
		t.Fatalf("the link was %s and is %s", link, again)
	}
	banned := start(t, "client", "-connect", own, "-headless", "-seconds", "600")
	if code := banned.end(); code != 1 || !strings.Contains(banned.output(), "you are banned from this server: aims too well") {
		t.Errorf("after a restart, a banned player ends with %d:\n%s", code, banned.output())
	}
	server.say("bans", "1 bans")
	server.say("unban 2", "there is no ban \"2\"")
	server.say("unban 1", "lifted ban 1")
	used := start(t, "client", "-connect", own, "-headless", "-seconds", "600")
	if code := used.end(); code != 1 || !strings.Contains(used.output(), "used up") {
		t.Errorf("after a restart, the used-up invitation ends with %d:\n%s", code, used.output())
	}
	// A player without an own token is banned by address; an address and a network can be banned
	// for themselves.
	for i, test := range []struct{ line, says string }{
		{"ban 1 no token", "ban 2: 127.0.0.1/32"}, {"banip 2", "ban 3: 127.0.0.1/32"}, {"banip 127.0.0.0/8", "ban 4: 127.0.0.0/8"}, {"ban 127.0.0.0/8", "ban 5: 127.0.0.0/8"},
	} {
		free := start(t, "client", "-connect", link, "-headless", "-seconds", "600")
		free.await("playing", 1)
		server.say(test.line, test.says)
		if code := free.end(); code != 1 || !strings.Contains(free.output(), "banned") {
			t.Errorf("after %s, a banned player ends with %d:\n%s", test.line, code, free.output())
		}
		server.say(fmt.Sprintf("unban %d", i+2), fmt.Sprintf("lifted ban %d", i+2))
	}
	if !strings.Contains(server.output(), "nobody joins from there any more") {
		t.Errorf("the operator is not told that an address was banned for want of a token:\n%s", server.output())
	}
	server.say("banip 99", "there is no player \"99\"")
}
