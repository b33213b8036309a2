package netcode_test

import (
	"slices"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// wire is what came to a client: all states of each entity, and those of ticks.
type wire struct {
	states map[netcode.EntityID]map[wireState]bool
	at     map[netcode.Tick]map[netcode.EntityID]wireState
}

type wireState struct {
	state  snapshot.State
	info   snapshot.Info
	health health
}

// tap notes what comes over a connection, by a second decoder.
func (x *wire) tap(t testing.TB, p *protocol, conn netcode.Conn) netcode.Conn {
	life := netcode.ComponentForTest[health](p)
	sent, received := p.WireForTest(conn.MTU(), func(s snapshot.Snapshot, d *snapshot.Decoder) {
		for i := range s.Changes {
			c := &s.Changes[i]
			if c.Op == snapshot.Removed {
				continue
			}
			points, _ := life.Get(d, c.ID)
			state := wireState{c.State, c.Info, points}
			if x.states[c.ID] == nil {
				x.states[c.ID] = map[wireState]bool{}
			}
			if x.at[s.Tick] == nil {
				x.at[s.Tick] = map[netcode.EntityID]wireState{}
			}
			if !c.Late {
				x.states[c.ID][state] = true
			}
			if c.Moved && !c.Late { // one that only repeats a pose is no sample
				x.at[s.Tick][c.ID] = state
			}
		}
	})
	return &readConn{conn, t, sent, received}
}

// readConn passes on what it sends and receives.
type readConn struct {
	netcode.Conn
	t              testing.TB
	sent, received func([]byte) error
}

func (c *readConn) Send(b []byte) error {
	if err := c.sent(b); err != nil {
		c.t.Error(err)
	}
	return c.Conn.Send(b)
}

func (c *readConn) Recv(b []byte) (n int, ok bool) {
	if n, ok = c.Conn.Recv(b); ok {
		if err := c.received(b[:n]); err != nil {
			c.t.Error(err)
		}
	}
	return n, ok
}

// replicated returns what a client's world has.
func replicated(w *arche.World) (ids []netcode.EntityID) {
	for q := generic.NewFilter1[netcode.Replicated]().Query(w); q.Next(); {
		ids = append(ids, q.Get().ID)
	}
	slices.Sort(ids)
	return ids
}

// On a bad line, with interest and secrets, a client's file holds nothing that was not on its wire:
// no entity, and no state that differs in a bit. At each tick for which a new pose was received,
// the playback is there, to a quantum.
func TestClientsRecordOnlyTheirWire(t *testing.T) {
	var m *match
	m, _ = eventfulMatch(t, 12, func(c *netcode.ServerConfig[runner, input]) {
		c.Interest = netcode.Interest{Radius: 20, Leave: 22}
		c.Relevant = func(_ *serverPlayer, e arche.Entity) bool { return m.id(e).Slot()%7 != 3 }
	})
	m.protocol, _ = doorProtocol(t, false, (*doorState).At)
	second, _ := doorProtocol(t, false, (*doorState).At)
	seen := wire{map[netcode.EntityID]map[wireState]bool{}, map[netcode.Tick]map[netcode.EntityID]wireState{}}
	a := m.join(seeds(12), func(c *netcode.ClientConfig[runner, input]) {
		dial := c.Dial
		c.Dial = func() (netcode.Conn, error) {
			conn, err := dial()
			if err != nil {
				return nil, err
			}
			return seen.tap(t, second, conn), nil
		}
	})
	m.run(4*time.Second, nil)
	m.mustPlay()
	tape, file := a.recorded(t)
	m.run(12*time.Second, nil)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}

	read := tape.open(t)
	if i := read.Info(); i.Kind != replay.Client {
		t.Errorf("it is of kind %q", i.Kind)
	}
	life := netcode.ComponentForTest[health](second)
	decoder, cursor := snapshot.NewDecoder(second.SchemaForTest()), read.Cursor()
	skip, _ := doorProtocol(t, false, (*doorState).At)
	states, late := 0, 0
	for f, ok := cursor.Next(); ok; f, ok = cursor.Next() {
		if f.Kind != replay.Snapshot {
			continue
		}
		r := packet.NewReader(f.Data)
		skip.SkipMatchStatesForTest(&r)
		s, err := decoder.Decode(&r, f.Number)
		if err != nil {
			t.Fatal(err)
		}
		if s.Tick != f.Tick {
			late++
		}
		for i := range s.Changes {
			c := &s.Changes[i]
			if c.Op == snapshot.Removed {
				continue
			}
			points, _ := life.Get(decoder, c.ID)
			if state := (wireState{c.State, c.Info, points}); !seen.states[c.ID][state] {
				t.Fatalf("tick %d: %v is %+v, which did not come over the wire", s.Tick, c.ID, state)
			}
			states++
		}
	}
	v := newViewer(t, read)
	compared, worst := 0, float32(0)
	for at := netcode.Tick(0); ; at = v.tick() {
		if v.step(); v.tick() == at {
			break
		}
		filter := generic.NewFilter2[components.Transform3D, netcode.Replicated]()
		for q := filter.Query(v.engine.World()); q.Next(); {
			l, rep := q.Get()
			if seen.states[rep.ID] == nil {
				t.Fatalf("tick %d: %v was not on the wire", v.tick(), rep.ID)
			}
			want, ok := seen.at[v.tick()][rep.ID]
			if !ok || rep.Archetype == kindLift || want.info.Parent != v.client.Parent(rep.ID) || v.tick().Sub(read.First()) < 1 {
				continue
			}
			d := l.Get().Position.Sub(want.state.Position).Len()
			if worst = max(worst, d); d > 1.0/256 {
				t.Fatalf("tick %d: %v of kind %d is %.4f m off what was received", v.tick(), rep.ID, rep.Archetype, d)
			}
			compared++
		}
	}
	if states < 1000 || compared < 1000 || late == 0 {
		t.Errorf("%d states, %d frames that came late, %d poses compared", states, late, compared)
	}
	t.Logf("%d states, %d frames that came late, %d poses compared, at most %.2f mm off, %d kB a minute", states, late, compared, 1000*worst, tape.Len()*5/1000)
}
