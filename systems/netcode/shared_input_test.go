package netcode_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A player's inputs reveal nothing to players that may not see it. In two matches a player aims
// differently whenever it is hidden from one of the others. The server sends that one the same
// bytes in the same ticks, and different ones to the player that sees it all the time. Parts that
// ShareInput leaves out are sent to no player.
func TestInputsAreSharedOnlyWithPlayersThatSeeThem(t *testing.T) {
	const far, leave = 12, 15 // the distances at which it appears and disappears
	play := func(byDistance bool, share func(stick) stick, aim func(netcode.Tick) float32, always bool) (sent [3]bytes.Buffer, aims int) {
		tap := &tapped{Listener: loopback.Listen(loopback.Config{})}
		listener := tap.Listener.(*loopback.Listener)
		engine, err := ecs.New(ecs.Config{FixedRate: tickRate})
		if err != nil {
			t.Fatal(err)
		}
		var joined []*netcode.Player[walker, stick]
		spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
		steps := 0
		config := netcode.ServerConfig[walker, stick]{
			Listener: tap, Random: rand.NewChaCha8([32]byte{1}), Log: quiet(),
			Joined: func(p *netcode.Player[walker, stick]) (walker, arche.Entity) {
				joined = append(joined, p)
				// one that is to see nothing, the one to be seen, one that always sees it
				at := walker{X: []float32{0, 3, 6}[len(joined)-1]}
				l := components.NewLogical(components.At3D(at.X, 0, at.Z))
				return at, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindRun})
			},
		}
		var server *netcode.Server[walker, stick]
		hidden := func() bool { return server.Tick()/90%2 == 1 }
		if byDistance {
			config.Interest = netcode.Interest{Radius: far, Leave: leave}
		} else {
			config.Relevant = func(p *netcode.Player[walker, stick], e arche.Entity) bool {
				return p != joined[0] || len(joined) < 2 || e != joined[1].Entity || !hidden()
			}
		}
		if server, err = netcode.NewServer(walkers(t, stickCodec{}, &steps, share), config); err != nil {
			t.Fatal(err)
		}
		engine.Install(server)
		l := components.NewLogical(components.At3D(2, 0, 3))
		balls := generic.NewMap3[components.Transform3D, netcode.Replicated, ball](engine.World())
		balls.NewWith(&l, &netcode.Replicated{Archetype: kindCrate}, &ball{2, 3})
		tap.sent = func(conn int, datagram []byte) {
			fmt.Fprintf(&sent[conn], "%d %x\n", server.Tick(), datagram)
		}
		var engines []*ecs.Engine
		for i := range sent {
			var client *netcode.Client[walker, stick]
			client, err := netcode.NewClient(walkers(t, stickCodec{}, &steps, share), netcode.ClientConfig[walker, stick]{
				Dial: func() (transport.Conn, error) { return listener.Dial(), nil }, Log: quiet(),
				Input: func(at netcode.Tick) (in stick) {
					in = stick{Z: 0.1 * (1 - 2*float32(at/40%2))} // up and down
					if i == 0 {
						return in
					}
					x := float32(0)
					if byDistance { // the two leave together, and return
						if x = 1; at/300%2 == 1 {
							x = -1
						}
						in.X = x
					}
					if i == 1 {
						s, _ := client.State()
						if secret := at/90%2 == 1; always || !byDistance && secret && (at+1)/90%2 == 1 || byDistance && s.X > leave+1 {
							in.Aim = aim(at)
							aims++
						}
					}
					return in
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			e, err := ecs.New(ecs.Config{FixedRate: tickRate})
			if err != nil {
				t.Fatal(err)
			}
			e.Install(interpolation.New3D(), client)
			engines = append(engines, e)
			for n := range 30 { // one after the other, so that each has its own number
				engine.Update(time.Second / tickRate)
				for _, e := range engines {
					e.Update(time.Second / tickRate)
				}
				if n == 29 && len(joined) != i+1 {
					t.Fatalf("%d have joined, want %d", len(joined), i+1)
				}
			}
		}
		for range 20 * tickRate {
			engine.Update(time.Second / tickRate)
			for _, e := range engines {
				e.Update(time.Second / tickRate)
			}
		}
		if missed := joined[1].InputStats(); missed.Repeated+missed.Idle > 0 {
			t.Fatalf("inputs were missed: %+v; the player does not do what the test describes", missed)
		}
		return sent, aims
	}
	none := func(netcode.Tick) float32 { return 0 }
	some := func(at netcode.Tick) float32 { return 1 + float32(at%7) }
	stripped := func(in stick) stick { return stick{X: in.X, Z: in.Z} }
	for _, test := range []struct {
		name       string
		byDistance bool
		share      func(stick) stick
		always     bool // it aims all the time
		seen       bool // by the player that sees it
	}{
		{"hidden by the filter", false, nil, false, true},
		{"out of sight", true, nil, false, true},
		{"left out by Share", false, stripped, true, false},
	} {
		a, n := play(test.byDistance, test.share, none, test.always)
		b, _ := play(test.byDistance, test.share, some, test.always)
		if n < 200 {
			t.Errorf("%s: the player aimed for %d steps only", test.name, n)
		}
		for i, name := range []string{"a player that may not see it", "itself", "a player that sees it"} {
			if a[i].Len() < 50_000 {
				t.Fatalf("%s: %d bytes to %s are too few to compare", test.name, a[i].Len(), name)
			}
			switch same := bytes.Equal(a[i].Bytes(), b[i].Bytes()); {
			case i == 0 && !same:
				t.Errorf("%s: the player's input is on the wire to %s: %s", test.name, name, differ(a[i].Bytes(), b[i].Bytes()))
			case i == 2 && same == test.seen:
				t.Errorf("%s: the same bytes to %s: %v", test.name, name, same)
			}
		}
	}
}

// differ describes the first difference between two logs.
func differ(a, b []byte) string {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return fmt.Sprintf("packet %d of %d and %d:\n%s\n%s", i, len(x), len(y), x[i], y[i])
		}
	}
	return fmt.Sprintf("%d packets and %d", len(x), len(y))
}
