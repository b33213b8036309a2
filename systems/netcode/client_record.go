package netcode

import (
	"errors"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// A client records what its decoder learns: the states at the ticks of the server that it has
// received, without the delay of its picture. They are copied into a world, which is recorded as a
// server records its own.

// clientRecorder is what all recordings of a client share.
type clientRecorder struct {
	mirror     *snapshot.Mirror
	recordings []*recording
	last       Tick          // of the newest frames
	at         time.Duration // when these were recorded
	begun      bool          // there are such frames
	anew       bool          // a new session has begun since
	arrival    bool          // the input mode in which the recordings began
	players    []byte
	bodies     []playerBody
}

// playerBody is the entity of a player, as far as a client can tell.
type playerBody struct {
	number uint16
	id     EntityID
	own    bool // it is of the archetype of the own player
}

// Record records what this client receives from now on, and what it has received of what there is:
// the replicated entities that it is sent, with their components, and the match states. It is for a
// client that has joined, at the earliest when [ClientConfig].Changed reports Playing, and any
// number of recorders can record at once. Each costs less than a tenth of a millisecond a snapshot
// in a match of 400 entities. Without one nothing is paid.
//
// A recording holds nothing that the client was not sent. The states are those of the server's
// ticks, to the bit, without the delay of the picture. A state that is lost on the way is missing,
// and so is one that a newer state of the same entity has overtaken. Nothing that the client
// predicts is in it, such as shots that the server has not fired, and no message: a client cannot
// tell a broadcast from a message to itself alone. [Client.Note] adds what viewers may get. The
// entities of other players are those that they own, of the archetype of this client's player.
//
// It ends when the recorder does, and when the client ends. A client that loses its connection and
// returns to the same server goes on, with a keyframe. If the server has begun anew, its ticks have
// too: the recording then ends, which the log says.
func (c *Client[S, I]) Record(to replay.Recorder) error {
	switch {
	case c.replay != nil:
		return errors.New("netcode: this client plays a recording: copy the file, or record the client of a match")
	case c.status == Ended:
		return errors.New("netcode: the client has ended; make a new one to join again")
	case c.decoder == nil:
		return errors.New("netcode: not joined yet; call Record when Changed reports Playing")
	}
	r := c.recorder
	if r == nil {
		r = &clientRecorder{mirror: snapshot.NewMirror(c.protocol.schema), arrival: c.welcomed.arrival}
		r.mirror.Follow(c.decoder)
	}
	one, err := c.protocol.beginRecording(to, replay.Client, r.mirror.World, c.welcomed.arrival)
	if err != nil {
		return err
	}
	r.recordings = append(r.recordings, one)
	c.recorder = r
	return nil
}

// Note adds a message to all recordings of this client, for [ClientConfig].Message of those who
// play them: a message that the client has received, and that others may read. The errors are those
// of [Server.Note].
func (c *Client[S, I]) Note(data []byte) error {
	if err := c.protocol.mayNote(data); err != nil {
		return err
	}
	c.note(replay.Frame{Kind: replay.Message, Data: data})
	return nil
}

// Mark notes a moment in all recordings of this client, as [Server.Mark] does.
func (c *Client[S, I]) Mark(name string, player uint16) {
	c.note(replay.Mark{Player: player, Name: name}.Frame())
}

// note adds a frame to all recordings that have begun.
func (c *Client[S, I]) note(f replay.Frame) {
	if r := c.recorder; r != nil {
		f.Tick = r.last
		c.keepRecordings(note(r.recordings, f))
	}
}

// keepRecordings leaves the client the recordings that go on.
func (c *Client[S, I]) keepRecordings(left []*recording) {
	if c.recorder.recordings = left; len(left) == 0 {
		c.recorder = nil
	}
}

// recordSession makes the recordings follow the decoder of a new session.
func (c *Client[S, I]) recordSession() {
	if r := c.recorder; r != nil {
		r.mirror.Follow(c.decoder)
		r.anew = true
	}
}

// record adds a snapshot, which the scene has taken in, to all recordings.
func (c *Client[S, I]) record(snap snapshot.Snapshot, now time.Duration) {
	r := c.recorder
	if r.anew && !c.recordAnew(snap.Tick, now) {
		return
	}
	r.mirror.Take(snap.Changes)
	if len(c.shots) > 0 {
		for p := range c.present {
			if p.flight != nil { // how old the launch is changes without a record
				p.flight.record(r.mirror.World, p.id, snap.Tick)
			}
		}
	}
	r.mirror.World.Commit()
	frame := c.grid.Tick(c.newest) // ticks of frames do not go back
	whole, known := c.decoder.Whole()
	c.listPlayers()
	r.begun, r.last, r.at = true, frame, now
	c.keepRecordings(slices.DeleteFunc(r.recordings, func(one *recording) bool {
		return !one.add(snap.Tick, frame, known && whole == frame, r.players)
	}))
}

// recordAnew begins a new session in all recordings, at the tick of its first snapshot. If the
// server is another one, it ends those of the one before. It reports whether any goes on.
func (c *Client[S, I]) recordAnew(at Tick, now time.Duration) bool {
	const slack = 10 * time.Second
	r := c.recorder
	r.anew = false
	if !r.begun {
		return true
	}
	ahead := time.Duration(at.Sub(r.last)) * time.Second / time.Duration(c.protocol.TickRate())
	if !at.IsNewer(r.last) || ahead > now-r.at+slack || c.welcomed.arrival != r.arrival {
		c.config.Log.Warn("tandem: the recording ends here: the server has begun anew, and its ticks with it; call Record again, with another file")
		// Those that have begun end. Changed has made the others, for the new server.
		c.keepRecordings(slices.DeleteFunc(r.recordings, func(one *recording) bool { return one.n > 0 }))
		r.begun, r.arrival = false, c.welcomed.arrival
		return c.recorder != nil
	}
	c.keepRecordings(slices.DeleteFunc(r.recordings, func(one *recording) bool {
		one.whole = true // the world is still empty, and what the old session had goes before that
		return one.n > 0 && !one.add(at, at, false, r.players)
	}))
	return c.recorder != nil
}

// listPlayers lists the players that this client knows, its own first, as they are recorded.
func (c *Client[S, I]) listPlayers() {
	r := c.recorder
	kind := -1
	if own := c.replica(c.own); own != nil {
		kind = int(own.archetype)
	}
	r.bodies = append(r.bodies[:0], playerBody{c.welcomed.player, c.own, true})
	for p := range c.present {
		if p.owner == 0 || p.owner == c.welcomed.player || p.flight != nil || p.despawn.any {
			continue
		}
		b := playerBody{p.owner, p.id, int(p.archetype) == kind}
		switch i := slices.IndexFunc(r.bodies, func(o playerBody) bool { return o.number == b.number }); {
		case i < 0:
			r.bodies = append(r.bodies, b)
		case b.own && !r.bodies[i].own:
			r.bodies[i] = b
		}
	}
	r.players = r.players[:0]
	for _, b := range r.bodies {
		r.players = appendPlayer(r.players, b.number, b.id)
	}
}
