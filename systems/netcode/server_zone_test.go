package netcode_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A server whose ticks begin late serves clients as one that begins at 0: nobody is corrected.
func TestFirstTick(t *testing.T) {
	for _, first := range []netcode.Tick{0, 59, 1<<31 - 600, 1<<31 - 1, 1<<31 + 7, 1<<32 - 600, 1<<32 - 1} {
		for _, mode := range inputModes {
			m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.FirstTick, c.InputMode = first, mode })
			if at := m.server.Tick(); at != first {
				t.Fatalf("before its first step a server from tick %d on is at tick %d", first, at)
			}
			path := linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Jitter: 5 * time.Millisecond, Seed: 1})
			a := m.join(path, nil)
			m.run(4*time.Second, nil)
			m.mustPlay()
			before := a.client.Stats().Corrections
			a.input = func(at netcode.Tick) input { return input{X: int8(at/20%3) - 1} }
			m.run(8*time.Second, nil)
			m.mustPlay()
			at := first + netcode.Tick(m.now*tickRate/time.Second)
			if now := m.server.Tick(); now.Sub(at) < 0 || now.Sub(at) > 1 {
				t.Errorf("from tick %d on, after %v, the server is at tick %d", first, m.now, now)
			}
			if s := a.client.Stats(); s.Corrections > before || s.RTT > 130*time.Millisecond || s.Replicas != 1 {
				t.Errorf("from tick %d on: %+v", first, s)
			}
			if own, _ := a.client.State(); math.Abs(float64(own.X-m.of(a).State.X)) > 2 {
				t.Errorf("from tick %d on the client's player is at %v, the server's at %v", first, own, m.of(a).State)
			}
		}
	}
}

func TestFirstTickOfARunningEnginePanics(t *testing.T) {
	config := netcode.ServerConfig[runner, input]{FirstTick: 7, Listener: loopback.Listen(loopback.Config{}), Log: quiet(),
		Joined: func(*netcode.Player[runner, input]) (runner, arche.Entity) { return runner{}, arche.Entity{} }}
	server, err := netcode.NewServer(newProtocol(t, netcode.Config{}), config)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	e.Update(0)
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "FirstTick") {
			t.Errorf("a running engine: %s", text)
		}
	}()
	e.Install(server)
}

// The numbers of new players come in turn, and only from the server's own.
func TestNumbersOfAServer(t *testing.T) {
	taken := map[uint16]bool{102: true}
	var joined []uint16
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.MaxPlayers, c.FirstNumber, c.LastNumber = 3, 100, 104
		c.NumberTaken = func(n uint16) bool { return taken[n] }
		c.Joined = func(p *netcode.Player[runner, input]) (runner, arche.Entity) {
			joined = append(joined, p.Number())
			return runner{}, arche.Entity{}
		}
	})
	bot := func() (*netcode.Player[runner, input], error) {
		return m.server.AddBot(func(*netcode.Player[runner, input], netcode.Tick) input { return input{} })
	}
	for range 7 {
		p, err := bot()
		if err != nil {
			t.Fatal(err)
		}
		p.Kick("the next one")
		m.run(time.Second/30, nil)
	}
	if got, want := fmt.Sprint(joined), "[100 101 103 104 100 101 103]"; got != want {
		t.Errorf("numbers %v, want %v", got, want)
	}
	for n := range uint16(5) {
		taken[100+n] = true
	}
	if p, err := bot(); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("a bot without a number: %v, %v", p, err)
	}
	c := m.join(perfect(), nil)
	m.run(time.Second, nil)
	if c.client.Stats().Status == netcode.Playing {
		t.Error("a client plays without a number")
	}
}

func TestNumbersAndTicksAreChecked(t *testing.T) {
	change := map[string]func(c *netcode.ServerConfig[runner, input]){
		"the numbers 0 to 100":       func(c *netcode.ServerConfig[runner, input]) { c.LastNumber = 100 },
		"the numbers 5 to 4":         func(c *netcode.ServerConfig[runner, input]) { c.FirstNumber, c.LastNumber = 5, 4 },
		"numbers 5 to 67 for 64":     func(c *netcode.ServerConfig[runner, input]) { c.FirstNumber, c.LastNumber = 5, 67 },
		"numbers 65000 to 0 for 64 ": func(c *netcode.ServerConfig[runner, input]) { c.FirstNumber = 65000 },
	}
	for want, f := range change {
		config := netcode.ServerConfig[runner, input]{Listener: loopback.Listen(loopback.Config{}), Joined: func(*netcode.Player[runner, input]) (runner, arche.Entity) { return runner{}, arche.Entity{} }}
		f(&config)
		if _, err := netcode.NewServer(newProtocol(t, netcode.Config{}), config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// A server that is steered reaches the common clock, by at most 0.2 %, and stays there. Its clients
// follow without a correction.
func TestSteer(t *testing.T) {
	for _, ahead := range []time.Duration{10 * time.Millisecond, -10 * time.Millisecond, 300 * time.Microsecond, 0} {
		m := newMatch(t, nil)
		path := linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond, Seed: 1})
		a := m.join(path, nil)
		a.input = func(at netcode.Tick) input { return input{X: int8(at/20%3) - 1} }
		m.run(4*time.Second, nil)
		m.mustPlay()
		away := func() time.Duration { return m.engine.Time().Normal - m.now }
		begin := away()
		m.server.Steer(ahead)
		for last := away(); m.now < 10*time.Second; last = away() {
			m.run(time.Second/120, nil)
			if by := (away() - last).Abs(); by > 2*time.Second/120/1000+time.Microsecond {
				t.Fatalf("%v off: a frame was stretched by %v", ahead, by)
			}
		}
		if left := (ahead - (away() - begin)).Abs(); left > time.Millisecond {
			t.Errorf("%v off, and after 6 s still %v", ahead, left)
		}
		m.run(30*time.Second, nil)
		if left := (ahead - (away() - begin)).Abs(); left > 5*time.Microsecond || m.engine.Time().Stretch != 1 {
			t.Errorf("%v off, and at last %v, stretched by %v", ahead, left, m.engine.Time().Stretch)
		}
		m.mustPlay()
		if s := a.client.Stats(); s.Corrections > 0 {
			t.Errorf("%v off: %d corrections", ahead, s.Corrections)
		}
	}
}

// Each call of Steer replaces the one before, as a measurement does.
func TestSteerByMeasurements(t *testing.T) {
	m := newMatch(t, nil)
	// The common clock runs faster by 50 ppm, and is measured each second with an error.
	common := func() time.Duration { return m.now + m.now/20_000 + 7*time.Millisecond }
	for i := range 60 {
		wrong := time.Duration(i%3-1) * 200 * time.Microsecond
		m.server.Steer(common() - m.engine.Time().Normal + wrong)
		m.run(time.Second, nil)
		if left := (common() - m.engine.Time().Normal).Abs(); i > 10 && left > 500*time.Microsecond {
			t.Errorf("after %d s the clocks differ by %v", i, left)
		}
	}
}
