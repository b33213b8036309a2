package zones_test

import (
	"encoding/binary"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
)

// gives are the bytes of a message that gives an entity to another process: kind 1 is a commit,
// kind 4 a refusal.
func gives(kind byte, from, to custody.Process, n custody.Name, hop uint64, state []byte) []byte {
	b := []byte{1, 1, kind} // of custody, its version
	for _, p := range [2]custody.Process{from, to} {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.Zone)), uint64(p.Epoch))
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(n)), hop)
	// A stamp that was never used.
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(from.Epoch)), 1<<20)
	return append(binary.AppendUvarint(b, uint64(len(state))), state...)
}

// A zone that forges the messages of custody gets nothing that it does not have, and none of its
// own is believed twice.
func TestForgedCommits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quadrants())
	nw, ne, sw := w.begin("nw", 3), w.begin("ne", 0), w.begin("sw", 3)
	w.run(2*time.Second, nil)
	for _, p := range []*place{nw, ne, sw} { // so that they cross nothing
		p.EachOwnedForTest(func(_ custody.Name, e arche.Entity) { *p.wander.Get(e) = wander{Fuel: 1000} })
	}
	w.run(2*time.Second, nil)
	self, liar := custody.Process{Zone: 1, Epoch: 1}, custody.Process{Zone: 2, Epoch: 1}
	var mine, other custody.Name
	var body arche.Entity
	nw.EachOwnedForTest(func(n custody.Name, e arche.Entity) { mine, body = n, e })
	sw.EachOwnedForTest(func(n custody.Name, _ arche.Entity) {
		if g := nw.EntityForTest(n); !g.IsZero() {
			other = n
		}
	})
	if mine == 0 || other == 0 {
		t.Fatal("nw has no crate, or no ghost of one of sw")
	}
	has := ne.Stats().Owned
	state := nw.StateForTest(mine)
	before, owned := nw.bodies.Get(body).Get(), nw.Stats().Owned
	check := func(what string) {
		t.Helper()
		w.run(500*time.Millisecond, func() {
			for n, k := range w.owners() {
				if k != 1 {
					t.Fatalf("%s: %v has %d owners", what, n, k)
				}
			}
		})
		if s := nw.Stats(); s.Owned != owned || nw.bodies.Get(body).Get() != before {
			t.Errorf("%s: nw owns %d entities, want %d; its crate is at %v, want %v", what, s.Owned, owned, nw.bodies.Get(body).Get(), before)
		}
	}
	moved := append([]byte(nil), state...)
	moved[20] ^= 1
	for _, kind := range []byte{1, 4} {
		nw.Message(liar, gives(kind, liar, self, mine, 1000, moved))
		check("an entity that nw owns")
		nw.Message(liar, gives(kind, liar, self, other, 1000, moved))
		check("an entity that sw shows")
		malformed := nw.Stats().Malformed
		nw.Message(liar, gives(kind, custody.Process{Zone: 3, Epoch: 1}, self, other, 1000, moved))
		if nw.Stats().Malformed != malformed+1 {
			t.Error("a message of another sender was not refused")
		}
		check("a message of another sender")
		nw.Message(liar, gives(kind, liar, custody.Process{Zone: 3, Epoch: 1}, other, 1000, moved))
		check("a message for another zone")
		nw.Message(liar, gives(kind, liar, custody.Process{Zone: 1, Epoch: 9}, other, 1000, moved))
		check("a message for another process")
	}
	// A commit whose state is malformed goes back to its sender.
	nw.Message(liar, gives(1, liar, self, 1<<52|77, 5, []byte("no state")))
	check("a malformed state")
	// The same by a refusal, which has to be taken: nothing is left of it.
	entities := nw.bodiesInWorld()
	nw.Message(liar, gives(4, liar, self, 2<<52|1<<32|78, 5, []byte("no state")))
	nw.Message(liar, gives(4, liar, self, 2<<52|1<<32|79, 5, state[:len(state)-1]))
	check("a refusal with a malformed state")
	if now := nw.bodiesInWorld(); now != entities {
		t.Errorf("%d entities in the world of nw, before %d", now, entities)
	}
	if now := ne.Stats().Owned; now != has {
		t.Errorf("ne owns %d entities, before %d", now, has)
	}
}

// bodiesInWorld counts the entities of a world.
func (p *place) bodiesInWorld() int {
	q := p.engine.World().Query(arche.All(arche.ComponentID[components.Transform3D](p.engine.World())))
	defer q.Close()
	return q.Count()
}

// A process without the key of a zone, or of an old epoch, gets no link to it, and does not disturb
// the one that is there.
func TestStrangersGetNoLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quadrants())
	nw, se := w.begin("nw", 0), w.begin("se", 5)
	w.run(2*time.Second, nil)
	nw.vanish()
	w.run(time.Second, nil)
	nw = w.begin("nw", 0)
	w.run(2*time.Second, nil)
	key := se.KeyForTest()
	for _, c := range []struct {
		name  string
		epoch custody.Epoch
		key   [32]byte
	}{
		{"without the key", 2, [32]byte{1}},
		{"of an old epoch", 1, key},
		{"of an epoch that is not in the store", 3, key},
	} {
		h := &intruder{}
		l, err := link.New(link.Config{
			Self: custody.Process{Zone: 1, Epoch: c.epoch}, Key: [32]byte{7}, Protocol: se.ProtocolForTest(), Listener: loopback.Listen(loopback.Config{}),
			Dial: func(link.Peer) (transport.Conn, error) { return w.dial("link-se", linksim.Condition{}) }, Handler: h, Log: quiet(),
		})
		if err != nil {
			t.Fatal(err)
		}
		l.SetPeers([]link.Peer{{Process: custody.Process{Zone: 4, Epoch: 1}, Name: "se", Address: "link-se", Key: c.key}})
		w.run(5*time.Second, func() {
			l.Poll(w.now)
			_ = l.Send(4, gives(1, custody.Process{Zone: 1, Epoch: c.epoch}, custody.Process{Zone: 4, Epoch: 1}, 1<<52|77, 5, nil))
			l.Flush(w.now, w.now)
		})
		if h.opened {
			t.Errorf("a process %s has a link", c.name)
		}
		if s := se.Stats(); len(s.Links) != 1 || !s.Links[0].Open || s.Owned != 5 && nw.Stats().Owned+s.Owned != 5 || s.Malformed != 0 {
			t.Errorf("after a process %s: %+v", c.name, s)
		}
		l.Close(transport.Reason{Code: transport.Left})
	}
}

// intruder is the handler of a process that should get no link.
type intruder struct{ opened bool }

func (i *intruder) Opened(custody.Process)          { i.opened = true }
func (i *intruder) Closed(custody.Process)          {}
func (i *intruder) Message(custody.Process, []byte) { i.opened = true }
func (i *intruder) Snapshot(custody.Process, *netcode.Reader, packet.Number) error {
	return nil
}
func (i *intruder) Delivered(custody.Process, packet.Number)                            {}
func (i *intruder) Write(custody.Process, *netcode.Writer, packet.Number) (waiting int) { return 0 }
