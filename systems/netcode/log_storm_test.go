package netcode_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A client joins and leaves, or is refused, many times a second. The log still reports all others:
// a player that has played for a while, one that is kicked, new players and refusals of other
// networks, and within a minute every new player that stays. It grows by a bounded number of lines
// a minute.
func TestLogStormsHideNoOtherPlayer(t *testing.T) {
	const stranger, other = "203.0.113.%d:1000", "198.51.100.1:7"
	for _, storm := range []struct {
		name, addr string
		refused    bool
	}{
		{"joins of one address", stranger, false},
		{"refusals of one address", stranger, true},
		{"joins of this machine", "127.0.0.1:%d", false},
		{"refusals of this machine", "127.0.0.1:%d", true},
	} {
		var log bytes.Buffer
		addr, refuse := other, false
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Listener = elsewhere{c.Listener, &addr}
			c.Log = slog.New(slog.NewTextHandler(&log, nil))
			c.Authenticate = func(c netcode.JoinRequest) error {
				if refuse && !c.Resumes {
					return errors.New("not you")
				}
				return nil
			}
		})
		attempts := 0
		tryForAWhile := func(d time.Duration) {
			old := addr
			refuse = storm.refused
			for end := m.now + d; m.now < end; attempts++ {
				addr = fmt.Sprintf(storm.addr, attempts%250)
				tryToJoin(m)
			}
			addr, refuse = old, false
		}
		said := func(what string, want int, words ...string) {
			t.Helper()
			n := 0
		lines:
			for _, line := range strings.Split(log.String(), "\n") {
				for _, word := range words {
					if !strings.Contains(line, word) {
						continue lines
					}
				}
				n++
			}
			if n != want {
				t.Errorf("%s: of %s the log has %d lines, want %d", storm.name, what, n, want)
			}
		}
		old := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Timeout = time.Second })
		m.run(time.Second, nil)
		m.mustPlay()
		number := fmt.Sprintf("player=%d ", m.of(old).Number())
		tryForAWhile(62 * time.Second)
		log.Reset()
		tryForAWhile(10 * time.Second)

		path := old.Path
		if err := old.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
			t.Fatal(err)
		}
		tryForAWhile(11 * time.Second)
		said("a player that is lost", 1, `"tandem: lost"`, number)
		old.Path = path
		tryForAWhile(5 * time.Second)
		addr = "192.0.2.1:7"
		m.join(perfect(), nil)
		m.run(time.Second, nil)
		m.mustPlay()
		said("a player that is back", 1, `"tandem: resumed"`, number)
		said("a newcomer from elsewhere", 1, `"tandem: joined"`, addr)
		refuse = true
		tryToJoin(m)
		refuse = false
		said("a refusal elsewhere", 1, `"tandem: refused"`, addr)

		addr = fmt.Sprintf(storm.addr, 1)
		stays := m.join(perfect(), nil)
		m.run(time.Second, nil)
		m.mustPlay()
		tryForAWhile(61 * time.Second)
		said("a new player that stays", 1, `"tandem: joined"`, fmt.Sprintf("player=%d ", m.of(stays).Number()))
		kicked := m.join(perfect(), nil)
		m.run(time.Second, nil)
		m.mustPlay()
		number = fmt.Sprintf("player=%d ", m.of(kicked).Number())
		m.of(kicked).Kick("by the operator")
		tryForAWhile(time.Second)
		said("a kick", 1, `"tandem: left"`, number, "by the operator")

		written := strings.Count(log.String(), "\n")
		if most := 3 * (200 + 20); attempts < 1000 || written > most {
			t.Errorf("%s: %d attempts wrote %d lines, want at most %d", storm.name, attempts, written, most)
		}
		t.Logf("%s: %d attempts, %d lines", storm.name, attempts, written)
	}
}
