package netcode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// A replay feeds the scene from a recording. There is no connection, no delay and no prediction:
// the step that ends at tick k shows the match at tick k.

const (
	// readAhead is how many ticks beyond the one that is shown are read. A body that moves off is
	// then drawn from where it stood, as on a client with a good line.
	readAhead = 3
	// warmUp is how many ticks before the target of a seek samples begin.
	warmUp = 8
	// lateAhead and lateWarm are the same, in parts of a second, for what a client has recorded:
	// its snapshots are rarer, and some are late or lost.
	lateAhead, lateWarm = 4, 2
)

// Replay is the playback of a recording on a client that has [ClientConfig].Replay. Its methods are
// for the engine's goroutine.
//
// The engine's clock is free: its SetScale and Step are slow motion, pause and single steps.
type Replay struct {
	// Jumped, if it is set, is called in the step that shows the target of a seek. The game then
	// drops effects that belong to another moment.
	Jumped func()

	tape    *replay.Tape
	frames  frameReader
	step    func() error // requests one of the engine, for seeks in a pause
	paused  func() bool
	target  Tick
	seeking bool
	shown   Tick
	index   int64 // of the tick shown, unwrapped
	players []byte
	follow  uint16
	eyes    bool                    // it draws as that player saw it
	floor   Tick                    // nothing is known of before it
	kept    map[EntityID]keptEntity // of before a seek, by their names
	// how many ticks are read beyond the one that is shown, and before the target of a seek
	ahead, warm int
	whole       Tick // the newest tick of which nothing is missing; valid with complete
	complete    bool
}

// keptEntity is an entity that stays when a seek finds its replica again.
type keptEntity struct {
	entity    arche.Entity
	archetype uint16
}

// checkHello checks a recording against the protocol.
func checkHello[S any, I comparable](p *Protocol[S, I], tape *replay.Tape) error {
	info := tape.Info()
	r := packet.NewReader(info.Hello)
	err := p.schema.CheckHello(&r)
	switch here := p.TickRate(); {
	case err != nil && !errors.Is(err, snapshot.ErrMismatch):
		err = fmt.Errorf("%w: its description of the protocol is damaged", replay.ErrFormat)
	case info.Rate != here: // all times of the tape would be wrong
		err = fmt.Errorf("%w: %d ticks a second there, %d here: play it with the build that recorded it, or with a Config.TickRate of %[2]d",
			snapshot.ErrMismatch, info.Rate, here)
	}
	if err != nil {
		return fmt.Errorf("netcode: the recording of %q, version %q: %w", info.Game, info.Version, err)
	}
	return nil
}

// openReplay returns the playback of a recording.
func openReplay[S any, I comparable](p *Protocol[S, I], tape *replay.Tape) (*Replay, error) {
	if err := checkHello(p, tape); err != nil {
		return nil, err
	}
	ahead, warm := readAhead, warmUp
	if tape.Info().Kind == replay.Client {
		ahead, warm = max(p.TickRate()/lateAhead, readAhead), max(p.TickRate()/lateWarm, warmUp)
	}
	return &Replay{
		tape: tape, frames: frameReader{cursor: tape.Cursor()}, target: tape.First(), seeking: true, kept: map[EntityID]keptEntity{}, ahead: ahead, warm: warm,
	}, nil
}

// Seek goes to a time since the begin of the recording, at the next step. While the engine is
// paused that step runs in the next Update. Of several seeks in a frame the last counts. Times
// outside of the recording count as its begin or end.
func (r *Replay) Seek(at time.Duration) {
	r.jump(r.tape.Tick(at))
}

// At returns the time that is shown when the present step ends, since the begin of the recording.
// Where a seek waits, it is its target.
func (r *Replay) At() time.Duration {
	if r.seeking {
		return r.tape.At(r.target)
	}
	return r.tape.At(r.shown)
}

// Length returns the length of the recording. At its end the picture stands.
func (r *Replay) Length() time.Duration { return r.tape.Length() }

// Tape returns the recording, with its marks and gaps.
func (r *Replay) Tape() *replay.Tape { return r.tape }

// Follow makes [Client.Number], [Client.Entity], [Client.Input] and [Client.State] those of a
// player. Zero follows none.
func (r *Replay) Follow(player uint16) { r.look(player, false) }

// FollowEyes is Follow, and draws the match as that player saw it: the player itself, its shots and
// what its client predicted at the tick shown, everything else as much earlier as it was on the
// player's screen. So it shows what the player shot at. It also shows what the player was not
// shown, for a recording has everything. To begin or to end with it is a jump as after a seek.
//
// It draws what [Player.Rewind] returns, but up to two seconds old whatever ServerConfig.Rewind is,
// and in between two claims it smooths the time of the view.
func (r *Replay) FollowEyes(player uint16) { r.look(player, player != 0) }

func (r *Replay) look(player uint16, eyes bool) {
	cut := eyes != r.eyes || eyes && player != r.follow
	if r.follow, r.eyes = player, eyes; cut {
		r.jump(r.next())
	}
}

// next returns the tick of the next picture, if a jump leads to it.
func (r *Replay) next() Tick {
	if r.seeking {
		return r.target
	}
	return r.shown
}

// jump goes to a tick at the next step.
func (r *Replay) jump(to Tick) {
	r.target, r.seeking = to, true
	if r.paused != nil && r.paused() {
		_ = r.step() // it fails where something else holds the clock
	}
}

// Players calls f with each player of the moment that was read last, and with its entity. In the
// recording of a client the first player is the one of that client.
func (r *Replay) Players(f func(number uint16, entity EntityID)) {
	eachPlayer(r.players, f)
}

// eachPlayer calls f with each player in the data of a frame of kind Players.
func eachPlayer(data []byte, f func(number uint16, entity EntityID)) {
	for b := data; len(b) > 0; {
		number, n := binary.Uvarint(b)
		if n <= 0 {
			return
		}
		id, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return
		}
		f(uint16(number), EntityID(id))
		b = b[n+m:]
	}
}

// appendPlayer appends a player to the data of a frame of kind Players.
func appendPlayer(b []byte, number uint16, entity EntityID) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(number)), uint64(entity))
}

// playerOf returns the entity of a player from the data of a frame of kind Players.
func playerOf(data []byte, number uint16) (e EntityID) {
	eachPlayer(data, func(n uint16, entity EntityID) {
		if n == number {
			e = entity
		}
	})
	return e
}

// Replay returns the playback, and nil for a client that has a connection, or a capture's.
func (c *Client[S, I]) Replay() *Replay { return c.replay }

// installReplay prepares the scene.
func (c *Client[S, I]) installReplay() {
	r := c.replay
	r.step = c.engine.RequestStep
	r.paused = func() bool { return c.engine.Time().Scale == 0 }
	// No player has this number, since nothing of the recording is this client's own.
	c.welcomed = welcome{player: 1<<16 - 1, rate: uint8(min(c.protocol.TickRate(), 255)), arrival: r.tape.Info().OnArrival}
	step := time.Second / time.Duration(c.protocol.TickRate())
	c.playback = interp.NewPlayback(interp.DelayConfig{Interval: step, Tick: step})
	c.decoder = snapshot.NewDecoder(c.protocol.schema)
	c.followPlayers()
	c.setStatus(Playing, Reason{})
}

// replayStep shows the next tick of the recording, or the target of a seek.
func (c *Client[S, I]) replayStep() {
	r := c.replay
	c.watchBegin()
	jumps := r.seeking
	switch {
	case jumps:
		c.watchSeek()
		r.seeking = false
		c.seek(r.target)
	case r.tape.Last().IsNewer(r.shown):
		r.shown = r.shown.Add(1)
		r.index++
	}
	shown := c.viewTime
	present := c.grid.Edge(r.index)
	for !r.seeking {
		f, ok := r.frames.upTo(r.shown.Add(r.ahead))
		if !ok {
			break
		}
		switch {
		case f.Gap && (!jumps || f.Tick.IsNewer(r.shown)):
			// What was before the gap may be gone without a word: it goes on behind the gap.
			r.target, r.seeking = f.Tick, true
			continue
		case f.Gap:
			c.emptyScene(f.Tick)
		}
		c.take(f, present)
	}
	view := c.seenView(present, false)
	if !jumps {
		view = max(view, c.viewTime) // it never runs backwards
	}
	at := viewpoint{true, present, view, present}
	c.chooseMoments(at)
	c.despawnDue(at)
	c.applyDue(at)
	c.viewTime = view
	c.drawReplicas(at, shown, r.shown.Add(-1), true)
	c.watchEnd(view, r.shown.Add(-1))
	c.matchNews = false
	if !jumps {
		return
	}
	for _, k := range r.kept { // they do not exist at the new moment
		c.removeEntity(k.entity)
	}
	clear(r.kept)
	if r.Jumped != nil {
		r.Jumped()
	}
}

// take takes a frame into the scene.
func (c *Client[S, I]) take(f replay.Frame, now time.Duration) {
	switch f.Kind {
	case replay.Snapshot:
		if snap, ok := c.decodeFrame(f); ok {
			c.newest = max(c.newest, c.grid.Index(c.edgeOf(snap.Tick)))
			if f.Complete {
				c.replay.whole, c.replay.complete = f.Tick, true
			}
			c.apply(snap, now)
		}
	case replay.Players:
		c.replay.players = append(c.replay.players[:0], f.Data...)
	case replay.Message:
		if c.config.Message != nil {
			c.config.Message(f.Data, true)
		}
	}
}

// decodeFrame decodes a snapshot, and takes in the match states before it.
func (c *Client[S, I]) decodeFrame(f replay.Frame) (snap snapshot.Snapshot, ok bool) {
	rd := packet.NewReader(f.Data)
	for _, m := range c.protocol.matchStates {
		m.read(&rd)
	}
	if rd.Err() == nil {
		if snap, err := c.decoder.Decode(&rd, f.Number); err == nil {
			c.applyMatchStates(f.Number, snap.Tick)
			c.stats.Snapshots++
			return snap, true
		}
	}
	c.stats.Malformed++
	return snap, false
}

// seek goes to a tick: it decodes from the keyframe before it, and shows nothing of that. Entities
// that are there before and after keep their entity of the world.
func (c *Client[S, I]) seek(to Tick) {
	r := c.replay
	r.shown, r.index = to, int64(r.tape.First())+int64(to.Sub(r.tape.First()))
	c.newest = r.index
	// The view is as old as the player's picture was.
	r.floor = r.tape.First()
	present := c.grid.Edge(r.index)
	from := Tick(uint32(c.grid.Index(c.seenView(present, true)))).Add(-r.warm)
	r.frames.seek(from)
	if first := r.frames.peek(); first != nil {
		r.floor, first.Gap = first.Tick, false
	}
	c.emptyScene(r.floor)
	decoded := false
	for {
		f, ok := r.frames.upTo(from)
		if !ok {
			break
		}
		if f.Gap {
			c.emptyScene(f.Tick)
			decoded = false
		}
		switch f.Kind {
		case replay.Snapshot:
			_, ok := c.decodeFrame(f)
			decoded = decoded || ok
		case replay.Players:
			r.players = append(r.players[:0], f.Data...)
		}
	}
	if decoded {
		var one [1]snapshot.Change
		c.decoder.Present(func(ch *snapshot.Change, at tick.Tick) {
			one[0] = *ch
			c.apply(snapshot.Snapshot{Tick: at, Changes: one[:]}, present)
		})
	}
}

// emptyScene begins anew with the keyframe of a tick. Nothing is known of before it.
func (c *Client[S, I]) emptyScene(first Tick) {
	c.keepEntities()
	c.clearShots()
	for _, m := range c.protocol.matchStates {
		m.reset()
	}
	c.decoder.Reset()
	c.before, c.viewpoint = viewpoint{}, viewpoint{}
	c.whole, c.own = 0, NoEntity
	c.replay.complete = false
	c.replay.players = c.replay.players[:0]
	c.replay.floor = first
	// before all: replicas that come and go on the way are never shown
	c.viewTime = -1
}

// keepEntities empties the scene, but leaves the entities of its replicas in the world, also those
// whose despawn is delayed: the moment that a seek leads to may have them.
func (c *Client[S, I]) keepEntities() {
	for i := range len(c.replicas) + len(c.delayedDespawns) {
		p := c.replicaAt(i)
		if p.id == NoEntity {
			continue
		}
		c.orphan(p)
		c.detach(p)
		if p.unspawned || p.flight != nil || !c.has(p.entity) {
			continue
		}
		c.setParent(p.entity, arche.Entity{})
		c.replay.kept[p.id] = keptEntity{p.entity, p.archetype}
		p.entity = arche.Entity{}
	}
	c.forget()
}

// takeKept returns the entity that a replica had before the seek, if there is one.
func (r *Replay) takeKept(m Replicated) (e arche.Entity, ok bool) {
	if r == nil {
		return e, false
	}
	k, ok := r.kept[m.ID]
	if !ok || k.archetype != m.Archetype {
		return e, false
	}
	delete(r.kept, m.ID)
	return k.entity, true
}
