package netcode

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// WriteHelloForTest writes the hello of a new client.
func (p *Protocol[S, I]) WriteHelloForTest(w *Writer) {
	h := hello{}
	h.write(w, p.schema)
}

// WriteHelloAsForTest writes the hello of a client that has a player's secret and token, and claims
// a number.
func (p *Protocol[S, I]) WriteHelloAsForTest(w *Writer, number uint16, who *Player[S, I]) {
	h := hello{resume: true, player: number, secret: who.secret, token: who.token}
	h.write(w, p.schema)
}

// ShownForTest reports whether a player may be shown an entity.
func (p *Player[S, I]) ShownForTest(id EntityID) bool { return p.encoder.Relevant(id) }

// ClaimForTest makes a player claim a view that is a number of ticks old, until its next packet
// claims something else. A negative number is the future.
func (p *Player[S, I]) ClaimForTest(ticks int64) {
	p.inputs.(*tickInputs[S, I]).views.age = ticks << viewBits
}

// DrawnAgeForTest returns how old the poses are that the client draws at a view of an age, given
// the age of its newest snapshot, in 1/16 ticks.
func (p *Player[S, I]) DrawnAgeForTest(age, newest int64) int64 { return p.drawnAge(age, newest) }

// RelevanceForTest decides for every player which entities it may be shown, and returns their
// number.
func (s *Server[S, I]) RelevanceForTest() (shown int) {
	for _, p := range s.players {
		if p != nil {
			s.lookUp(p)
			s.relevance(s.encoding.workers[0], p)
			for _, word := range p.near {
				for ; word != 0; word &= word - 1 {
					shown++
				}
			}
		}
	}
	return shown
}

// BruteForceForTest does the same by comparing every player with every entity.
func (s *Server[S, I]) BruteForceForTest() (shown int) {
	w := &s.interest
	for _, p := range s.players {
		if p == nil {
			continue
		}
		eye, _ := s.eyeOf(p)
		p.near, p.was = p.was, p.near
		clear(p.near)
		for slot := range w.subjects {
			u := &w.subjects[slot]
			if u.id == NoEntity {
				continue
			}
			limit := w.limit.Radius
			if p.was.has(int(u.root)) {
				limit = w.limit.Leave
			}
			if u.claim == int32(p.number) || u.claim == everybody || u.at.Sub(eye).Len() <= limit {
				p.near.set(slot)
				s.setPriority(p, u.id, u.owner, u.at.Sub(eye).Len())
				shown++
			} else if p.was.has(slot) {
				p.encoder.SetRelevance(u.id, 0)
			}
		}
	}
	return shown
}

// PlaceForTest updates the place of every entity, after moving it by a step along x.
func (s *Server[S, I]) PlaceForTest(step float32) {
	for slot := range s.interest.subjects {
		u := &s.interest.subjects[slot]
		at := u.at
		at[0] += step
		s.interest.put(slot, slot, at)
	}
	s.interest.sort()
}

// WriteResumeForTest writes the hello of a player that returns.
func (p *Protocol[S, I]) WriteResumeForTest(w *Writer, number uint16, s [16]byte) {
	h := hello{resume: true, player: number, secret: s}
	h.write(w, p.schema)
}

// WritePlaceForTest writes the hello of a process that claims a place: the bytes of Client.Place.
func (p *Protocol[S, I]) WritePlaceForTest(w *Writer, place []byte) {
	var h hello
	h.claim(place)
	h.write(w, p.schema)
}

// ParseForTest reads the output of one of the plugins, up to a snapshot: the part behind a
// datagram's first byte or, in a session, behind its header. It returns how many bits it read, and
// the same content written again. A reference to an own state is written again as it was.
func (p *Protocol[S, I]) ParseForTest(kind byte, fromServer bool, payload []byte) (read int, anew []byte, bits int, err error) {
	r := NewReader(payload)
	w := NewWriter(make([]byte, 2*len(payload)+64))
	switch {
	case kind == kindHello:
		var h hello
		if err := h.read(&r, p.schema); err != nil {
			return 0, nil, 0, err
		}
		h.write(&w, p.schema)
	case kind == kindWelcome:
		var m welcome
		if err := m.read(&r, 60); err != nil {
			return 0, nil, 0, err
		}
		m.write(&w)
	case fromServer:
		has := r.Bool()
		w.Bool(has)
		if has {
			readPong(&r).write(&w)
		}
		told := r.Bool()
		w.Bool(told)
		if told {
			w.Bits(r.Bits(intervalBits), intervalBits)
		}
		prediction.ReadFeedback(&r).Write(&w)
		has = r.Bool()
		w.Bool(has)
		if has {
			named := r.Bool()
			w.Bool(named)
			if named {
				w.Bits(r.Bits(recallBits), recallBits)
			} else {
				readOwn(&r, p.ownCodec()).write(&w, p.ownCodec())
			}
		}
	default:
		has := r.Bool()
		w.Bool(has)
		if has {
			w.Bits(r.Bits(8), 8)
		}
		w.Bits(r.Bits(32), 32)
		w.Bits(r.Bits(viewBits), viewBits)
		has = r.Bool()
		w.Bool(has)
		if has {
			var in prediction.Inputs[I]
			if err := in.Read(&r, p.game.Inputs); err != nil {
				return 0, nil, 0, err
			}
			again := prediction.NewPending[I](prediction.MaxHistory)
			for i := in.Count - 1; i >= 0; i-- {
				again.Push(in.Newest.Add(-i), in.At(i))
			}
			again.Write(&w, p.game.Inputs, prediction.Redundancy{Bytes: len(payload) + 64})
		}
		if err := r.Close(); err != nil {
			return 0, nil, 0, err
		}
	}
	if err := r.Err(); err != nil {
		return 0, nil, 0, err
	}
	return 8*len(payload) - r.Remaining(), w.Bytes(), w.Len(), w.Err()
}

// HeldForTest returns how many delayed changes are kept, as counted and in the lists of all
// replicas, and for how many there is memory.
func (c *Client[S, I]) HeldForTest() (counted, listed, capacity int) {
	for i := range len(c.replicas) + len(c.delayedDespawns) {
		changes := c.replicaAt(i).changes
		listed += len(changes)
		capacity += cap(changes)
	}
	return c.delayed, listed, capacity
}

// SlotForTest returns the entity that has the slot of an ID.
func (c *Client[S, I]) SlotForTest(id EntityID) EntityID {
	c.reach(id.Slot())
	return c.replicas[id.Slot()].id
}

// HungForTest returns an error if the replicas' parents are wrong: each child must be below a
// parent that is shown, in its entity, and each parent must count its children.
func (c *Client[S, I]) HungForTest() error {
	count := map[*replica]int{}
	for i := range len(c.replicas) + len(c.delayedDespawns) {
		r := c.replicaAt(i)
		if r.id == NoEntity || r.attachedTo == NoEntity {
			continue
		}
		above := c.seen(r.attachedTo)
		if above == nil {
			return fmt.Errorf("%v is attached to %v, which is not shown", r.id, r.attachedTo)
		}
		if e := c.entities.parentOf(r.entity); e != above.entity {
			return fmt.Errorf("%v hangs below %v, and its entity below %v and not %v", r.id, r.attachedTo, e, above.entity)
		}
		count[above]++
	}
	for i := range len(c.replicas) + len(c.delayedDespawns) {
		if r := c.replicaAt(i); r.children != count[r] {
			return fmt.Errorf("%v has %d below it, and counts %d", r.id, count[r], r.children)
		}
	}
	return nil
}

// SchemaForTest returns the schema.
func (p *Protocol[S, I]) SchemaForTest() *snapshot.Schema { return p.schema }

// NewestForTest returns the time of the newest snapshot that has arrived.
func (c *Client[S, I]) NewestForTest() time.Duration { return c.grid.Edge(c.newest) }

// ComponentForTest returns the handle of a replicated component type.
func ComponentForTest[T comparable, S any, I comparable](p *Protocol[S, I]) snapshot.Component[T] {
	for _, m := range p.components {
		if m, ok := m.(replicatedComponent[T]); ok {
			return m.handle
		}
	}
	panic("the protocol does not replicate this component")
}

// DistanceForTest returns the protocol's Distance and its Tolerance.
func (p *Protocol[S, I]) DistanceForTest() (distance func(a, b S) float64, tolerance float64) {
	return p.game.Distance, p.game.Tolerance
}

// PredictedForTest returns how many ticks the client's prediction is ahead of the newest snapshot:
// the length of a replay.
func (c *Client[S, I]) PredictedForTest() int { return int(c.predictor.Tick()) - int(c.newest) }

// ClosedForTest returns the tick up to which the server's state has decided the own launches.
func (c *Client[S, I]) ClosedForTest() Tick { return c.launches.closed }

// SetShotForTest sets the record of a shot in a snapshot's world.
func SetShotForTest[P comparable, S any, I comparable](p *Protocol[S, I], w *snapshot.World, id EntityID, path P, tick, since Tick, n uint8, wide, plain bool) {
	for _, k := range p.shots {
		if k, ok := k.kind.(*shotKind[S, I, P]); ok {
			k.handle.Set(w, id, shotRecord[P]{path: path, tick: tick, since: since, n: n, wide: wide, plain: plain})
		}
	}
}

// WireForTest returns functions for what a client sends and for what it receives: they decode it a
// second time, and call each with every snapshot. They are for one session, whose packets have at
// most so many bytes.
func (p *Protocol[S, I]) WireForTest(mtu int, each func(snapshot.Snapshot, *snapshot.Decoder)) (sent, received func(datagram []byte) error) {
	var own ownReceived[S]
	d := snapshot.NewDecoder(p.schema)
	e, err := packet.NewEndpoint(packet.Config{MTU: mtu - 1, Handler: noHandler{}})
	if err != nil {
		panic(err)
	}
	buf := make([]byte, mtu)
	sent = func(datagram []byte) error {
		if datagram[0] != kindSession {
			return nil
		}
		e.Begin(buf, 0, 0)
		_, err := e.End()
		return err
	}
	return sent, func(datagram []byte) error {
		if datagram[0] != kindSession {
			return nil
		}
		pk, err := e.Open(datagram[1:])
		if err != nil {
			return nil // it is one that has come before
		}
		r := &pk.Payload
		if r.Bool() {
			readPong(r)
		}
		if r.Bool() {
			r.Bits(intervalBits)
		}
		prediction.ReadFeedback(r)
		hasState := r.Bool()
		var me ownState[S]
		if hasState {
			me = own.read(r, pk.Number, p.ownCodec())
		}
		for _, m := range p.matchStates {
			m.read(r)
		}
		if err := r.Err(); err != nil {
			return err
		}
		snap, err := d.Decode(r, pk.Number)
		if err != nil {
			return nil // the client has refused it, too
		}
		if hasState {
			own.keep(pk.Number, me)
		}
		each(snap, d)
		return e.Accept(pk, 0)
	}
}

// noHandler ignores what an endpoint reports.
type noHandler struct{}

func (noHandler) Delivered(packet.Number, time.Duration) {}
func (noHandler) Lost(packet.Number)                     {}
func (noHandler) Message([]byte, bool)                   {}

// SkipMatchStatesForTest reads the match states of a packet, and applies nothing.
func (p *Protocol[S, I]) SkipMatchStatesForTest(r *Reader) {
	for _, m := range p.matchStates {
		m.read(r)
	}
}

// ReadRowsForTest reads frames of inputs and of states, and returns the number of rows and the
// largest age.
func (p *Protocol[S, I]) ReadRowsForTest(whole, delta, states []byte) (rows int, age int64) {
	t := playerTrack[S, I]{protocol: p}
	for _, f := range []replay.Frame{{Kind: replay.Inputs, Data: whole}, {Kind: replay.Inputs, Data: delta}, {Kind: replay.States, Data: states}} {
		t.take(f)
		rows = max(rows, len(t.inputs.numbers)+len(t.states.numbers))
	}
	for _, v := range t.inputs.values {
		age = max(age, v.age)
	}
	return rows, age
}

// OpenLaunchesForTest closes the launches of a client that has drawn shots in the ticks 1 and 2 and
// has no record of them, as by states of the server, and returns the tick of the first one that is
// not decided.
func OpenLaunchesForTest(at []Tick, launched []uint8) Tick {
	k := shotsClient[int, int, int]{}
	for t := Tick(1); t < 3; t++ {
		k.own = append(k.own, &shot[int, int, int]{tick: t})
		k.recent[t] = launchesOf{t, 1}
	}
	for i := range at {
		k.close(at[i], launched[i])
	}
	return k.counts.open
}

// RecordWorldForTest records a world of the protocol's without a server: record adds its newest
// commit as the state at a tick.
func (p *Protocol[S, I]) RecordWorldForTest(to replay.Recorder) (w *snapshot.World, record func(at Tick) bool, err error) {
	w = snapshot.NewWorld(p.schema)
	r, err := p.beginRecording(to, replay.Server, w, false)
	return w, func(at Tick) bool { return r.add(at, at, true, nil) }, err
}

// AncestorsForTest returns the number of entities that the server knows as unreplicated ancestors
// of replicated ones.
func (s *Server[S, I]) AncestorsForTest() int { return len(s.ancestors.between) }
