package netcode_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// FuzzVisit sends datagrams to a client that plays: from its server and from the one that it
// visits.
func FuzzVisit(f *testing.F) {
	words := spoken(f, "server")
	move := append(append([]byte{0x4d}, ticket(1)...), "there"...)
	for _, w := range words {
		f.Add(move, words[0], w)
		f.Add(w, move, words[1])
	}
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		if max(len(a), len(b), len(c)) > transport.MaxMTU {
			return
		}
		e, err := ecs.New(ecs.Config{FixedRate: 60})
		if err != nil {
			t.Fatal(err)
		}
		here := &script{words: append(append([][]byte{}, words[:3]...), move, a, words[len(words)-1], a), state: transport.Open}
		client, err := netcode.NewClient(wireProtocol(t), netcode.ClientConfig[wirePlayer, wireInput]{
			Log: quiet(), Input: func(netcode.Tick) wireInput { return wireInput{X: 1} },
			Dial: func() (transport.Conn, error) { return here, nil },
			DialAt: func(string) (transport.Conn, error) {
				return &script{words: [][]byte{words[0], b, c, words[1], words[2], b}, state: transport.Open}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		e.Install(interpolation.New3D(), quietHierarchy(false), client)
		for range 20 {
			e.Update(time.Second / 60)
		}
		if client.Stats().Snapshots < 2 && here.state == transport.Open {
			t.Fatalf("the client did not come in: %+v", client.Stats())
		}
		e.Close()
	})
}

// A server that names another address with every packet makes its clients dial once a second.
func TestMovesWithoutEnd(t *testing.T) {
	b := newBorder(t, true, "north", "south")
	b.join("north", nil)
	b.run(2*time.Second, nil)
	before := len(b.dials)
	n := 0
	b.run(10*time.Second, func() {
		n++
		if err := b.player.Move(fmt.Sprintf("place%d", n), ticket(byte(n))); err != nil {
			t.Fatal(err)
		}
	})
	if dials := len(b.dials) - before; dials > 11 {
		t.Errorf("%d dials in 10 s, want at most 11", dials)
	}
	b.playsOn("north", "after moves to nowhere")
}
