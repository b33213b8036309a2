package netcode_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Case 40 on the wire: a thousand entities on a plain, a tenth of them secret, some in trees, all
// moving a little. A player walks through. The server's datagrams to it name only entities that it
// may be shown in that tick, and the removal of entities that it was shown.
func TestIrrelevantEntitiesAreNeverSent(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine and much work: runs where the race detector does not")
	}
	const radius, leave = 20, 24
	const secret = 0x5EC2E7A9 // points of secret entities, to be searched for in the bytes
	hidden := map[arche.Entity]bool{}
	var m *match
	var all []arche.Entity
	tap := &tapped{}
	m = newMatchOf(t, newProtocol(t, netcode.Config{MaxEntities: 1100}), func(c *netcode.ServerConfig[runner, input]) {
		tap.Listener = c.Listener
		c.Listener = tap
		c.Interest = netcode.Interest{Radius: radius, Leave: leave}
		c.Relevant = func(_ *netcode.Player[runner, input], e arche.Entity) bool { return !hidden[e] }
	})
	w := m.engine.World()
	spawn := generic.NewMap3[components.Transform3D, netcode.Replicated, health](w)
	parents := generic.NewMap1[components.Parent](w)
	root := map[arche.Entity]arche.Entity{}
	for i := range 1000 {
		l := components.NewLogical(components.At3D(float32(i%100)*3-20, 0, float32(i/100)*3))
		h := health{int32(i)}
		if i%10 == 3 {
			h.Points = secret
		}
		e := spawn.NewWith(&l, &netcode.Replicated{Archetype: kindCrate}, &h)
		hidden[e] = i%10 == 3
		root[e] = e
		if above := i - 1; i%10 == 3 || i%10 == 4 || i%10 == 8 {
			// a secret child of a parent that is not secret, its child, and an open one
			parents.Assign(e, &components.Parent{Entity: all[above]})
			m.transform(e).Set(components.At3D(0, 1, 0))
			root[e] = root[all[above]]
		}
		all = append(all, e)
	}
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for i, e := range all {
			l := m.transform(e)
			pose := l.Get()
			pose.Position[1] = float32(math.Sin(m.engine.Time().StepEnd.Seconds()*3 + float64(i)))
			l.Set(pose)
			if i%10 == 3 && m.engine.Time().Tick%50 == 0 {
				l.Teleport(pose)
			}
		}
	}))
	bySlot := map[int]arche.Entity{} // no entity is removed
	idAt := func(slot int) netcode.EntityID {
		if len(bySlot) < len(all)+1 {
			for _, e := range append(slices.Clone(all), m.joined[0].Entity) {
				if id := m.id(e); id != netcode.NoEntity {
					bySlot[id.Slot()] = e
				}
			}
		}
		if e, ok := bySlot[slot]; ok {
			return m.id(e)
		}
		return netcode.NoEntity
	}
	may := func(id netcode.EntityID) error {
		if e := bySlot[id.Slot()]; !e.IsZero() && m.id(e) == id && e != m.joined[0].Entity {
			for up := e; ; up = parents.Get(up).Entity {
				if hidden[up] {
					return fmt.Errorf("%v, or what it hangs below, is secret", id)
				}
				if up == root[e] {
					break
				}
			}
			if d := m.transform(root[e]).Get().Position.Sub(poseRunner(m.joined[0].State).Position).Len(); d > leave {
				return fmt.Errorf("%v is %.1f m away", id, d)
			}
			return nil
		}
		if m.joined[0].Entity.IsZero() || id == m.id(m.joined[0].Entity) {
			return nil
		}
		return fmt.Errorf("%v is nobody", id)
	}
	packets, names, told := 0, 0, map[int]bool{}
	tap.sent = func(_ int, datagram []byte) {
		own, records, err := scan(datagram)
		if err != nil {
			t.Fatalf("packet %d of %d bytes: %v", packets, len(datagram), err)
		}
		packets++
		names += len(records)
		if own != netcode.NoEntity && own != m.id(m.joined[0].Entity) {
			t.Fatalf("the ID of the own entity is %v", own)
		}
		if bytesHave(datagram, secret) {
			t.Fatalf("at %v a packet carries a secret", m.now)
		}
		for _, r := range records {
			id := idAt(r.slot)
			switch {
			case r.removed && !told[r.slot]:
				t.Fatalf("at %v the client receives the removal of slot %d, of which it had received nothing", m.now, r.slot)
			case r.removed:
			default:
				told[r.slot] = true
				if err := may(id); err != nil {
					t.Fatalf("at %v: %v", m.now, err)
				}
				if r.generation != 0 && r.generation != int(id.Generation()) {
					t.Fatalf("slot %d is said to have its generation %d, not %v", r.slot, r.generation, id)
				}
			}
			if r.parent != netcode.NoEntity {
				if err := may(r.parent); err != nil {
					t.Fatalf("at %v, as the parent of %v: %v", m.now, id, err)
				}
			}
		}
	}
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Seed: 3}), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	// Without loss every near entity is named within two snapshots.
	slowest := netcode.Tick(0)
	since := map[arche.Entity]netcode.Tick{}
	a.input = func(netcode.Tick) input { return input{X: 1} }
	m.run(25*time.Second, func() {
		now := m.server.Tick()
		eye := poseRunner(m.joined[0].State).Position
		for _, e := range all {
			if at, ok := since[e]; ok {
				slowest = max(slowest, now-at)
			}
			switch near := m.transform(root[e]).Get().Position.Sub(eye).Len() <= radius; {
			case !near || may(m.id(e)) != nil || told[m.id(e).Slot()]:
				delete(since, e)
			case since[e] == 0:
				since[e] = now
			}
		}
	})
	if slowest > 2*tickRate/30 {
		t.Errorf("something was named %d ticks after it was near, want two snapshots at most", slowest)
	}
	if packets < 700 || names < 20000 || len(told) < 350 {
		t.Errorf("%d packets named %d entities, %d different ones: too few to mean anything", packets, names, len(told))
	}
	t.Logf("%d packets named %d entities, %d different ones; the slowest after %d ticks; the player is at %v", packets, names, len(told), slowest, m.joined[0].State)
}

// bytesHave reports whether 32 bits are in the bytes, at any bit.
func bytesHave(p []byte, want uint32) bool {
	for i := 0; i+5 <= len(p); i++ {
		window := uint64(binary.LittleEndian.Uint32(p[i:])) | uint64(p[i+4])<<32
		for shift := range 8 {
			if uint32(window>>shift) == want {
				return true
			}
		}
	}
	return false
}

// Secret entities change nothing on the wire, not even the length or the order of anything. With
// and without them the server sends the same bytes in the same ticks. The secret entities are made
// after the others, since slots are numbered in order. The documentation of security describes what
// numbers reveal.
func TestSecretEntitiesDoNotChangePackets(t *testing.T) {
	play := func(secrets bool) (sent bytes.Buffer) {
		hidden := map[arche.Entity]bool{}
		tap := &tapped{}
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			tap.Listener = c.Listener
			c.Listener = tap
			c.Interest = netcode.Interest{Radius: 60}
			c.Relevant = func(_ *netcode.Player[runner, input], e arche.Entity) bool { return !hidden[e] }
		})
		tap.sent = func(conn int, datagram []byte) {
			fmt.Fprintf(&sent, "%d %d %x\n", m.server.Tick(), conn, datagram)
		}
		w := m.engine.World()
		parents := generic.NewMap1[components.Parent](w)
		var open, closed []arche.Entity
		for i := range 200 {
			open = append(open, m.crate(kindCrate, components.At3D(float32(i%20), 0, float32(i/20))))
		}
		a := m.join(linksim.Symmetric(linksim.Condition{Delay: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05, Seed: 5}), nil)
		a.input = func(at netcode.Tick) input { return input{X: int8(at/40%3) - 1} }
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
			now := m.engine.Time().Tick
			for i, e := range open {
				if (uint64(i)+now/60)%3 == 0 {
					continue
				}
				l := m.transform(e)
				pose := l.Get()
				pose.Position[1] += 0.02
				l.Set(pose)
			}
			if !secrets || now < 30 {
				return
			}
			switch {
			case now%7 == 0 && len(closed) < 300: // secret spawns, some below shown ones
				e := m.crate(kindCrate, components.At3D(float32(now%30), 0, 1))
				hidden[e] = true
				if now%2 == 0 {
					parents.Assign(e, &components.Parent{Entity: open[now%200]})
				}
				closed = append(closed, e)
			case now%31 == 0 && len(closed) > 0: // and secret despawns
				w.RemoveEntity(closed[0])
				closed = closed[1:]
			}
			for _, e := range closed {
				m.transform(e).Teleport(components.At3D(float32(now%13), 1, 1))
			}
		}))
		m.run(12*time.Second, func() {
			if len(m.joined) > 0 {
				m.joined[0].Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
					for _, e := range closed {
						at(e)
					}
				})
			}
		})
		m.mustPlay()
		return sent
	}
	without, with := play(false), play(true)
	if without.Len() < 100_000 {
		t.Fatalf("only %d bytes to compare", without.Len())
	}
	a, b := bytes.Split(without.Bytes(), []byte("\n")), bytes.Split(with.Bytes(), []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			t.Fatalf("packet %d of %d differs:\n%s\n%s", i, len(a), a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d packets without secrets, %d with them", len(a), len(b))
	}
}
