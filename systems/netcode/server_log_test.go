package netcode_test

import (
	"bytes"
	"errors"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// tryToJoin connects, sends a hello, and closes the connection at the first answer. It returns
// whether that was a welcome.
func tryToJoin(m *match) (in bool) {
	conn := m.listener.Dial()
	conn.Poll(m.now)
	m.run(time.Second/60, nil)
	conn.Poll(m.now)
	var buf [transport.MaxMTU]byte
	buf[0] = 0x48
	w := netcode.NewWriter(buf[1:])
	m.protocol.WriteHelloForTest(&w)
	_ = conn.Send(buf[:1+len(w.Bytes())])
	m.run(time.Second/60, nil)
	conn.Poll(m.now)
	_, in = conn.Recv(buf[:])
	conn.Close(transport.Reason{Code: transport.Left})
	return in
}

// told counts lines, and adds up the numbers in lines that stand for others.
func told(log, line, more string) (lines, others int) {
	for _, text := range strings.Split(log, "\n") {
		if strings.Contains(text, line) {
			lines++
		}
		if m := regexp.MustCompile(more + `.*times=(\d+)`).FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1])
			others += n
		}
	}
	return lines, others
}

// A client that connects over and over for an hour, accepted or not, adds some lines a minute to
// the log and not one for each time. No attempt is left uncounted, and a later client has its own
// line again.
func TestReconnectingDoesNotFillTheLog(t *testing.T) {
	for _, admitted := range []bool{false, true} {
		var log bytes.Buffer
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Log = slog.New(slog.NewTextHandler(&log, nil))
			c.MaxPlayers = 4
			if !admitted {
				c.Authenticate = func(netcode.JoinRequest) error { return errors.New("not you") }
			}
		})
		const minutes = 5
		times := 0
		for m.now < minutes*time.Minute {
			for range 10 { // in a third of a second
				if tryToJoin(m) != admitted {
					t.Fatal("let in, or not")
				}
				times++
			}
			m.run(time.Second, nil)
		}
		few, line, more, each := 20, "tandem: refused", "tandem: more were refused", 1
		if admitted {
			few, line, more, each = 100, "tandem: (joined|left)", "tandem: more players came and went", 2
		}
		for m.server.Stats().Players > 0 {
			m.run(time.Second, nil)
		}
		m.run(time.Minute, nil)
		lines, others := 0, 0
		for _, line := range strings.Split(strings.Trim(strings.TrimPrefix(line, "tandem: "), "()"), "|") {
			n, _ := told(log.String(), `"tandem: `+line+`"`, more)
			lines += n
		}
		_, others = told(log.String(), line, more)
		if times < 1000 || lines+others != each*times {
			t.Errorf("admitted %v: of %d lines %d are written and %d counted", admitted, each*times, lines, others)
		}
		if most := few * (minutes + 1); lines > most || lines < most/2 {
			t.Errorf("admitted %v: %d lines are written in %d minutes, want about %d a minute", admitted, lines, minutes, few)
		}
		log.Reset()
		m.run(time.Hour, nil)
		tryToJoin(m)
		m.run(time.Second/10, nil)
		if want := map[bool]string{true: "tandem: joined", false: "tandem: refused"}[admitted]; !strings.Contains(log.String(), want) || strings.Contains(log.String(), "times") {
			t.Errorf("admitted %v: after a pause the log says %q", admitted, log.String())
		}
		log.Reset()
		for range 2 * few {
			tryToJoin(m)
		}
		m.engine.Close()
		if _, n := told(log.String(), line, more); n < few/2 {
			t.Errorf("admitted %v: at the end %d are counted", admitted, n)
		}
	}
}
