package main

import (
	"fmt"
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A line with a round trip of 200 ms and 15 % loss.
var bad = linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond, Loss: 0.15})

// A player walks and stops. Both ends then agree, and the client was never corrected.
func TestEndsAgree(t *testing.T) {
	m := netcodetest.New(t, netcodetest.Config[hero, keys]{Protocol: newProtocol, Server: serve})
	held := keys{X: 1}
	a := m.Join(bad, netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return held }})
	m.Run(3*time.Second, nil) // the player joins and walks
	held = keys{}
	m.Run(time.Second, nil) // it stops
	here, playing := a.State()
	if !playing || here != m.Server.Player(a.Number()).State {
		t.Error("both ends are apart")
	}
	if here.X < 20 || a.Stats().Corrections > 0 {
		t.Errorf("the player is at %.1f m after %d corrections", here.X, a.Stats().Corrections)
	}
}

// No plugin of a client was forgotten.
func TestPlugins(t *testing.T) {
	m := netcodetest.New(t, netcodetest.Config[hero, keys]{Protocol: newProtocol, Server: serve})
	a := m.Join(linksim.Path{}, netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return keys{} }})
	m.Run(time.Second, nil)
	for _, mistake := range ecs.Check(a.Engine.World()) {
		t.Error(mistake)
	}
}

// An outage of two seconds: the player stands still meanwhile, and comes back with one correction.
func TestOutage(t *testing.T) {
	m := netcodetest.New(t, netcodetest.Config[hero, keys]{Protocol: newProtocol, Server: serve})
	a := m.Join(bad, netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return keys{X: 1} }})
	m.Run(3*time.Second, nil)
	if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
		t.Fatal(err)
	}
	m.Run(2*time.Second, nil)
	if silence := a.Stats().Silence; silence < 1800*time.Millisecond {
		t.Errorf("in an outage of two seconds the silence is %v", silence)
	}
	if err := a.Conn.SetPath(bad); err != nil {
		t.Fatal(err)
	}
	m.Run(2*time.Second, nil)
	if status, reason := a.Status(); status != netcode.Playing || a.Stats().Corrections != 1 {
		t.Errorf("after the outage the client is %v (%v), with %d corrections", status, reason, a.Stats().Corrections)
	}
}

// On a player's screen the other one moves evenly: by 6 m/s in every frame, at most 1 cm off.
func TestOthersMoveEvenly(t *testing.T) {
	for seed := range uint64(5) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			m := netcodetest.New(t, netcodetest.Config[hero, keys]{Protocol: newProtocol, Server: serve, Seed: seed})
			walks := m.Join(bad, netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return keys{X: 1} }})
			m.Run(2*time.Second, nil)
			looks := m.Join(bad, netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return keys{} }})
			m.Run(2*time.Second, nil)
			last := other(looks.Engine.World(), walks.Number())
			m.Run(time.Second, func() {
				x := other(looks.Engine.World(), walks.Number())
				if off := math.Abs(float64(x-last) - 6.0/120); off > 0.01 {
					t.Errorf("at %v: the other player moves %.3f m in a frame", m.Now, x-last)
				}
				last = x
			})
		})
	}
}

// other returns where a client draws the player with a number.
func other(w *arche.World, number uint16) (x float32) {
	for query := generic.NewFilter2[components.Visual3D, netcode.Replicated]().Query(w); query.Next(); {
		if visual, replicated := query.Get(); replicated.Owner == number {
			x = visual.Get().Position[0]
		}
	}
	return x
}
