package host

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/access"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
)

// A ban of a player whose token others have from the same invitation removes all of them, and no
// other player. None of them comes back with that token.
func TestBanRemovesAllWithTheToken(t *testing.T) {
	v := serve(t, open(t, Config{}), nil)
	for _, token := range []string{"for five", "for another"} {
		if err := v.host.access.Add([]byte(token), access.Invitation{Uses: 5}); err != nil {
			t.Fatal(err)
		}
	}
	five := []*testgame.Client{v.join("for five"), v.join("for five"), v.join("for five")}
	others := []*testgame.Client{v.join("for another"), v.join(v.host.Token())}
	if n := v.server.Stats().Players; n != 5 {
		t.Fatalf("%d play", n)
	}
	if err := v.host.Execute("ban 2 aims too well", io.Discard); err != nil {
		t.Fatal(err)
	}
	v.run(3 * time.Second)
	for i, c := range five {
		if status, reason := c.Status(); status != netcode.Ended || !strings.Contains(reason.Text, "aims too well") {
			t.Errorf("holder %d of the token is %v: %v", i, status, reason)
		}
	}
	for i, c := range others {
		if status, reason := c.Status(); status != netcode.Playing {
			t.Errorf("player %d with another token is %v: %v", i, status, reason)
		}
	}
	if status, reason := v.join("for five").Status(); status != netcode.Ended || !strings.Contains(reason.Text, "banned") {
		t.Errorf("a new one with the token is %v: %v", status, reason)
	}
}

// A game's own commands work beside the host's, and help lists both.
func TestOwnCommands(t *testing.T) {
	full := errors.New("the map is full")
	v := serve(t, open(t, Config{Commands: []Command{{Usage: "map NAME", Help: "go on elsewhere", Run: func(args string, out io.Writer) error {
		if args == "" {
			return full
		}
		_, err := io.WriteString(out, "now at "+args)
		return err
	}}}}), nil)
	for line, want := range map[string]string{"map  the lake ": "now at the lake", "help": "map NAME                      go on elsewhere\n", "players": "0 players\n"} {
		var out strings.Builder
		if err := v.host.Execute(line, &out); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, %q", line, err, out.String())
		}
	}
	if _, err := v.server.AddBot(func(*testgame.Player, netcode.Tick) testgame.Input { return testgame.Input{} }); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := v.host.Execute("players", &out); err != nil || !strings.Contains(out.String(), "1  bot ") || !strings.Contains(out.String(), "none") {
		t.Errorf("the bot is listed as %q, %v", out.String(), err)
	}
	if err := v.host.Execute("ban 1", io.Discard); err == nil || !strings.Contains(err.Error(), "kick removes it") {
		t.Errorf("a ban of the bot: %v", err)
	}
	if err := v.host.Execute("map", io.Discard); err != full {
		t.Errorf("the command's error is %v", err)
	}
	if err := v.host.Execute("maps", io.Discard); err == nil || !strings.Contains(err.Error(), "help lists them") {
		t.Errorf("of what is no command: %v", err)
	}
}
