package netcode_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// cutLine is a line that carries nothing.
func cutLine() linksim.Path { return linksim.Symmetric(linksim.Condition{Loss: 1}) }

// cutOff cuts the present connection to a zone, and those to come.
func (b *border) cutOff(at string) {
	b.paths[at] = cutLine()
	b.conns[at].SetPath(cutLine())
}

// mend makes the connections to a zone that are dialed from now on carry datagrams.
func (b *border) mend(at string) { b.paths[at] = linksim.Path{} }

// playsOn fails the test unless the client plays, steers its player on the zone, and sees bodies.
func (b *border) playsOn(at string, what string) {
	b.t.Helper()
	s, r := b.client.Status()
	if s != netcode.Playing || b.owner.at != at {
		b.t.Errorf("%s: the client is %v (%v), its player at %s, want playing at %s", what, s, r, b.owner.at, at)
		return
	}
	before := b.player.State.X
	b.input = func(netcode.Tick) input { return input{X: 1} }
	b.run(time.Second, nil)
	state, _ := b.client.State()
	if moved := b.player.State.X - before; moved < 4 || moved > 8 {
		b.t.Errorf("%s: the player has moved %.2f m in a second, want 6", what, moved)
	}
	if ahead := state.X - b.player.State.X; ahead < -0.1 || ahead > 2 {
		b.t.Errorf("%s: the client has its player %.2f m ahead of the server", what, ahead)
	}
	b.input = func(netcode.Tick) input { return input{} }
	b.run(time.Second, nil)
	if n := len(b.ids()); n != borderBodies+2 {
		b.t.Errorf("%s: the client shows %d bodies, want %d", what, n, borderBodies+2)
	}
	if p := b.owner.server.Player(b.player.Number()); p != b.player || len(b.owner.ghosts) != 1 {
		b.t.Errorf("%s: another player is at %s", what, at)
	}
}

// Whatever is lost while a client visits or changes its server, it plays on where its player is.
func TestVisitsThatFail(t *testing.T) {
	const second = time.Second
	for name, play := range map[string]func(b *border){
		"nobody there": func(b *border) {
			b.refuse["south"] = true
			if b.visit("south", 5*second, nil) {
				t.Error("a visitor without a connection")
			}
			b.playsOn("north", "while nobody is there")
			delete(b.refuse, "south") // the ticket is sent again and again
			if !b.visit("south", 5*second, nil) {
				t.Error("no visitor after a failed dial")
			}
			b.handOver("south", 0, nil)
			b.run(second, nil)
			b.playsOn("south", "after a failed dial")
		},
		"refused": func(b *border) {
			if err := b.player.Move("south", ticket(99)); err != nil {
				t.Fatal(err)
			}
			b.run(4*second, nil)
			b.playsOn("north", "after a refused visit")
		},
		"taken back": func(b *border) {
			b.visit("south", 5*second, nil)
			id := b.player.ResumeID()
			_ = b.player.Move("", nil)
			b.run(second, nil)
			if _, present := b.zones["south"].server.Visitor(id); present {
				t.Error("a visit that was taken back")
			}
			b.playsOn("north", "after a visit that was taken back")
		},
		"the visited server falls silent": func(b *border) {
			b.visit("south", 5*second, nil)
			b.cutOff("south")
			b.run(8*second, nil)
			b.playsOn("north", "after a visit that broke off")
			b.mend("south")
			if !b.visit("south", 5*second, nil) {
				t.Error("no visitor with another ticket")
			}
			b.handOver("south", 0, nil)
			b.run(second, nil)
			b.playsOn("south", "with another ticket")
		},
		"the present server falls silent before": func(b *border) {
			b.visit("south", 5*second, nil)
			b.cutOff("north")
			b.run(3*second, nil)
			b.mend("north")
			b.run(10*second, nil)
			b.playsOn("north", "after an outage")
			b.handOver("south", 0, nil) // the visit has lasted
			b.run(second, nil)
			b.playsOn("south", "after an outage and a move")
			if n := b.client.Stats().Moves; n != 1 {
				t.Errorf("%d moves, want 1", n)
			}
		},
		"the present server falls silent as it gives the player away": func(b *border) {
			b.visit("south", 5*second, nil)
			b.cutOff("north")
			b.handOver("south", 0, nil)
			b.run(second, nil)
			b.playsOn("south", "without the old server")
			if s := b.client.Stats(); s.Moves != 1 || s.Reconnects != 0 {
				t.Errorf("%d moves and %d reconnects, want 1 and 0", s.Moves, s.Reconnects)
			}
		},
		"the new server falls silent as it gets the player": func(b *border) {
			b.visit("south", 5*second, nil)
			b.cutOff("south")
			b.handOver("south", 0, nil)
			b.run(second, nil)
			b.mend("south")
			b.run(5*second, nil)
			b.playsOn("south", "after the old server has sent it on")
		},
		"the new server falls silent just after": func(b *border) {
			b.visit("south", 5*second, nil)
			b.handOver("south", 0, nil)
			b.run(second/4, nil)
			b.cutOff("south")
			b.run(2*second, nil)
			b.mend("south")
			b.run(12*second, nil)
			b.playsOn("south", "after an outage of the new server")
		},
		"both fall silent": func(b *border) {
			b.visit("south", 5*second, nil)
			b.cutOff("south")
			b.cutOff("north")
			b.handOver("south", 0, nil)
			b.run(10*second, nil)
			b.mend("south")
			b.run(30*second, nil)
			b.playsOn("south", "after an outage of both")
		},
		"the player comes before its visitor": func(b *border) {
			south := b.zones["south"]
			south.server.Invite(ticket(77), b.player.ResumeID(), 5*second)
			if err := b.player.Move("south", ticket(77)); err != nil {
				t.Fatal(err)
			}
			b.run(borderFrame, nil) // it is sent
			b.handOver("south", 0, nil)
			b.run(second, nil)
			b.playsOn("south", "after a visit that came too late")
			if s := b.client.Stats(); s.Moves != 1 || s.Reconnects != 0 {
				t.Errorf("%d moves and %d reconnects, want 1 and 0", s.Moves, s.Reconnects)
			}
		},
		"never visited": func(b *border) {
			b.handOver("south", 0, nil) // as after a restart from a checkpoint
			b.run(5*second, nil)
			b.playsOn("south", "without a visit")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBorder(t, true, "north", "south")
			b.paths["north"] = linksim.Symmetric(linksim.Condition{Delay: 20 * time.Millisecond})
			b.paths["south"] = linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond})
			b.join("north", nil)
			b.run(3*second, nil)
			b.mustPlay()
			play(b)
		})
	}
}

// Every message that one end has accepted arrives once, on either side of the border, also on a bad
// line.
func TestMessagesAcrossABorder(t *testing.T) {
	b := newBorder(t, true, "north", "south")
	for _, z := range b.all {
		b.paths[z.at] = linksim.Symmetric(linksim.Condition{Delay: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.1})
	}
	b.join("north", nil)
	b.run(3*time.Second, nil)
	var toServer, toClient []string
	frames := 0
	each := func() {
		if frames++; frames%7 == 0 {
			if s := fmt.Sprintf("up %d", frames); b.client.Send([]byte(s)) == nil {
				toServer = append(toServer, s)
			}
			if s := fmt.Sprintf("down %d", frames); b.player.Send([]byte(s)) == nil {
				toClient = append(toClient, s)
			}
		}
	}
	for i := range 20 {
		at := []string{"south", "north"}[i%2]
		if !b.visit(at, 5*time.Second, each) {
			t.Fatalf("crossing %d: no visitor", i)
		}
		b.handOver(at, i%4, each)
		b.run(2500*time.Millisecond, each)
		b.mustPlay()
	}
	b.run(3*time.Second, nil)
	var up []string
	for _, z := range b.all {
		up = append(up, z.heard...)
	}
	for what, pair := range map[string][2][]string{"to the servers": {toServer, up}, "to the client": {toClient, b.heard}} {
		sent, heard := slices.Sorted(slices.Values(pair[0])), slices.Sorted(slices.Values(pair[1]))
		if !slices.Equal(sent, heard) {
			t.Errorf("%s: of %d messages %d have arrived", what, len(sent), len(heard))
		}
		if len(sent) < 500 {
			t.Errorf("%s: %d messages were accepted, want more", what, len(sent))
		}
	}
	if s := b.client.Stats(); s.Moves != 20 || s.Reconnects != 0 {
		t.Errorf("%d moves and %d reconnects, want 20 and 0", s.Moves, s.Reconnects)
	}
}

// A client that visits, or has moved, allocates nothing as it plays on, and neither do the servers.
func TestMovedClientsAllocateNothing(t *testing.T) {
	b := newBorder(t, true, "north", "south")
	b.join("north", nil)
	b.input = func(t netcode.Tick) input { return input{X: int8(1 - 2*(t/90%2))} }
	b.run(5*time.Second, nil)
	if !b.visit("south", 5*time.Second, nil) {
		t.Fatal("no visitor")
	}
	b.run(5*time.Second, nil)
	measure := func(what string) {
		t.Helper()
		if n := testing.AllocsPerRun(5, func() { b.run(time.Second, nil) }) / tickRate; n > 0.05 {
			t.Errorf("%s: %.2f allocations a tick", what, n)
		}
	}
	measure("visiting")
	b.handOver("south", 0, nil)
	b.run(5*time.Second, nil)
	measure("moved")
	if n := b.client.Stats().Moves; n != 1 {
		t.Errorf("%d moves, want 1", n)
	}
}
