package netcodetest_test

import (
	"errors"
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A line is cut. The client dials again after its time-out and returns to its place. If its dials
// are cut off, too, it returns when Path is whole again.
func TestReconnect(t *testing.T) {
	for _, dead := range []bool{false, true} {
		m := newMatch(t)
		a := m.Join(line(50*time.Millisecond, 0.05), clientConfig{Input: standing, Timeout: time.Second})
		whole := a.Path
		m.Run(2*time.Second, nil)
		mustPlay(t, m)
		number, first := a.Number(), a.Conn
		if err := a.Conn.SetPath(cut); err != nil {
			t.Fatal(err)
		}
		if dead {
			a.Path = cut
		}
		m.Run(3*time.Second, nil)
		if s := m.Server.Stats(); (s.Resumed == 0) != dead {
			t.Errorf("after a cut, with dials that are cut off: %v, %d players have returned", dead, s.Resumed)
		}
		a.Path = whole
		m.Run(20*time.Second, nil)
		mustPlay(t, m)
		if a.Number() != number || a.Conn == first || a.Stats().Reconnects != 1 || m.Server.Stats().Resumed != 1 {
			t.Errorf("player %d returned as %d after %d reconnects", number, a.Number(), a.Stats().Reconnects)
		}
	}
}

// A Dial of the test's own may fail before it calls that of the client.
func TestOwnDial(t *testing.T) {
	m := newMatch(t)
	var a *client
	tries := 0
	a = m.Join(linksim.Path{}, clientConfig{Input: standing, Retry: 100 * time.Millisecond, Dial: func() (netcode.Conn, error) {
		if tries++; tries < 4 {
			return nil, errors.New("no network")
		}
		return a.Dial()
	}})
	m.Run(time.Second, nil)
	mustPlay(t, m)
	if tries != 4 || a.Conn == nil {
		t.Errorf("%d tries, want 4", tries)
	}
}

// A frozen client draws nothing, and its player stands on the server once its inputs have run out.
// The others play on. It then goes on. A client's own frames are as far apart as it wants.
func TestFreezeAndFrame(t *testing.T) {
	m := newMatch(t)
	run := func(netcode.Tick) keys { return keys{X: 1} }
	frames := [2]int{}
	a, b := m.Join(linksim.Path{}, clientConfig{Input: run}), m.Join(linksim.Path{}, clientConfig{Input: run})
	for i, c := range m.Clients {
		c.Engine.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) { frames[i]++ }))
	}
	b.Frame = time.Second / 30
	m.Run(2*time.Second, nil)
	mustPlay(t, m)
	if frames[0] != 241 || frames[1] != 60 {
		t.Errorf("%v frames in two seconds, want 241 and 60", frames)
	}
	at := func(c *client) float32 { return m.Server.Player(c.Number()).State.X }
	frames = [2]int{}
	a.Freeze(3 * time.Second)
	m.Run(time.Second, nil)
	x, other := at(a), at(b)
	m.Run(2*time.Second-2*time.Second/120, nil)
	if frames[0] != 0 || at(a) != x || math.Abs(float64(at(b)-other)-12) > 0.5 {
		t.Errorf("while it was frozen a client drew %d frames and ran %.1f m, the other one %.1f m", frames[0], at(a)-x, at(b)-other)
	}
	m.Run(2*time.Second, nil)
	x = at(a)
	m.Run(time.Second, nil)
	mustPlay(t, m)
	if moved := at(a) - x; moved < 5.5 || moved > 6.5 {
		t.Errorf("after it was frozen it runs %.2f m in a second, want 6", moved)
	}
	a.Freeze(time.Hour)
	m.Run(time.Second, nil)
	a.Freeze(0)
	frames = [2]int{}
	m.Run(time.Second, nil)
	if frames[0] != 121 {
		t.Errorf("after Freeze(0) it drew %d frames in a second", frames[0])
	}
}
