package netcode_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// A client that claims a place of another server is sent there, as soon as it is known where that
// is. Meanwhile it waits, at most for HelloTimeout.
func TestElsewhere(t *testing.T) {
	for name, test := range map[string]struct {
		at     string
		asking time.Duration
		drain  bool
		joined int
		want   transport.Reason
	}{
		"there":          {at: "there", asking: time.Second, want: transport.Reason{Code: transport.Moved, Text: "there"}},
		"there at once":  {at: "there", want: transport.Reason{Code: transport.Moved, Text: "there"}},
		"while draining": {at: "there", drain: true, want: transport.Reason{Code: transport.Moved, Text: "there"}},
		"nowhere":        {asking: time.Second, joined: 1},
		"never known":    {asking: time.Hour, want: transport.Reason{Code: transport.Refused, Text: "it is not known yet where you play, try again in a few seconds"}},
	} {
		other := newMatch(t, nil)
		first := other.join(perfect(), nil)
		other.run(time.Second, nil)
		place, id := first.client.Place(), other.of(first).ResumeID()
		var m *match
		calls := 0
		var begun, ended time.Duration
		m = newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Elsewhere = func(r netcode.JoinRequest) (string, bool) {
				if calls++; calls == 1 {
					begun = m.now
				}
				if r.ResumeID != id || string(r.Token) != "token" || r.Resumes || r.Addr == "" {
					t.Errorf("%s: %+v", name, r)
				}
				if m.now-begun < test.asking {
					return "", true
				}
				return test.at, false
			}
		})
		if test.drain {
			m.server.Drain("closing time")
		}
		var reason transport.Reason
		a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
			c.Place, c.Token = place, []byte("token")
			c.Changed = func(_ netcode.Status, r transport.Reason) {
				if reason == (transport.Reason{}) {
					reason, ended = r, m.now
				}
			}
		})
		m.run(3500*time.Millisecond, nil)
		if reason != test.want || len(m.joined) != test.joined {
			t.Errorf("%s: the client's connection ended with %v, and %d joined", name, reason, len(m.joined))
		}
		took := ended - begun
		if want := min(test.asking, 3*time.Second); took < want-10*time.Millisecond || took > want+100*time.Millisecond {
			t.Errorf("%s: answered after %v", name, took)
		}
		if playing := a.client.Stats().Status == netcode.Playing; playing != (test.joined == 1) {
			t.Errorf("%s: playing: %v", name, playing)
		}
		if s := m.server.Stats(); (s.Redirected > 0) != (test.at != "") || (s.Refused > 0) != (test.want.Code == transport.Refused) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// New clients and players that return to their places here are nowhere else.
func TestElsewhereIsAskedOnlyForOtherPlaces(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.Elsewhere = func(netcode.JoinRequest) (string, bool) {
			t.Error("asked for nothing")
			return "", false
		}
	})
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	place := a.client.Place()
	m.kill(a)
	b := m.claim(perfect(), place)
	m.run(time.Second, nil)
	m.mustPlay()
	b.Conn.Close(transport.Reason{Code: transport.Failed})
	m.run(3*time.Second, nil)
	m.mustPlay()
}
