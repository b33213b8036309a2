package netcode

import (
	"errors"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/matchstate"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// keyframeSeconds is the time between two keyframes of a recording. A seek decodes up to so much.
const keyframeSeconds = 2

// recording writes a match as packets for a client on a perfect line: everything is relevant to it,
// and each packet counts as delivered.
type recording struct {
	to        replay.Recorder
	encoder   *snapshot.Encoder
	n         packet.Number
	key       Tick // of the newest keyframe
	matchSent []matchstate.Sent
	packet    [1200]byte
	writer    Writer // into packet; a local one would escape to the heap
	players   []byte // as they were recorded
	scratch   []byte
	rows      recordedRows // of players
}

// Record records the match from the next step on: all replicated entities with their components,
// the match states and every [Server.Broadcast], in each tick. It is for a server that is installed
// on an engine, at any time, and any number of recorders can record at once. Each costs about as
// much as a player to whom everything is relevant. It ends when the recorder does.
//
// Of each player a recording has the inputs, and how old the picture was that the player looked at.
// With ServerConfig.RecordStates it has the states, too. What else a single player receives is not
// recorded: messages to it, except by [Server.Note]. Nor are tokens, names and addresses. A
// recording holds what no player sees of the others: hand it out when the match is over. A
// [ClientConfig] with the recording plays it.
func (s *Server[S, I]) Record(to replay.Recorder) error {
	if s.engine == nil {
		return errors.New("netcode: Record before Install: install the server on an engine first")
	}
	hello := NewWriter(make([]byte, 1<<10))
	s.protocol.schema.WriteHello(&hello)
	err := to.Begin(replay.Session{Kind: replay.Server, Rate: s.protocol.TickRate(), Hello: hello.Bytes(), OnArrival: s.config.InputMode == OnArrival})
	if err != nil {
		return err
	}
	s.recordings = append(s.recordings, &recording{
		to: to, encoder: snapshot.NewEncoder(s.net), matchSent: make([]matchstate.Sent, len(s.protocol.matchStates)),
		rows: newServerRows(s),
	})
	return nil
}

// Mark notes a moment in all recordings, for viewers to find: a goal, the end of a round. player is
// the number of a player, or zero. Names are cut to 64 bytes.
func (s *Server[S, I]) Mark(name string, player uint16) {
	s.note(replay.Mark{Tick: s.Tick(), Player: player, Name: name}.Frame())
}

// Note puts a message into all recordings, and sends it to nobody: what was sent to one player, or
// happened on the server only, as far as viewers may receive it. ClientConfig.Message of a client
// that plays the recording receives it like a [Server.Broadcast]. With an error nothing was noted:
// it is packet.ErrMessageTooLarge beyond 32 KiB, or that of raw bytes in a protocol with a
// [Message].
func (s *Server[S, I]) Note(data []byte) error {
	if len(data) > maxMessage {
		return packet.ErrMessageTooLarge
	}
	if err := s.protocol.mustPack(data); err != nil {
		return err
	}
	s.note(replay.Frame{Tick: s.Tick(), Kind: replay.Message, Data: data})
	return nil
}

// note adds a frame to all recordings that have begun.
func (s *Server[S, I]) note(f replay.Frame) {
	s.recordings = slices.DeleteFunc(s.recordings, func(r *recording) bool {
		return r.n > 0 && !r.to.Add(f)
	})
}

// record adds the state after a step to all recordings.
func (s *Server[S, I]) record(after Tick) {
	s.recordings = slices.DeleteFunc(s.recordings, func(r *recording) bool { return !s.recordTo(r, after) })
}

// recordTo adds the state after a step to one recording, and reports whether it goes on.
func (s *Server[S, I]) recordTo(r *recording, after Tick) bool {
	for _, u := range s.interest.subjects {
		if u.id != NoEntity {
			r.encoder.SetRelevance(u.id, 1)
		}
	}
	key := r.n == 0 || after.Sub(r.key) >= int32(keyframeSeconds*s.protocol.TickRate())
	if key {
		r.key = after
		r.encoder.Rekey()
		clear(r.matchSent)
	}
	for first := true; ; first = false {
		r.n++
		r.writer = NewWriter(r.packet[:])
		w := &r.writer
		for i, m := range s.protocol.matchStates {
			m.write(w, &r.matchSent[i], r.n, after, matchstate.Limits{Bits: maxMatchBits / len(r.matchSent), Past: matchPast * s.protocol.TickRate()})
		}
		res := r.encoder.Encode(w, r.n, after)
		data := w.Bytes()
		r.encoder.Delivered(r.n)
		for i := range r.matchSent {
			r.matchSent[i].Delivered(r.n)
		}
		if !r.to.Add(replay.Frame{Tick: after, Kind: replay.Snapshot, Key: key && first, Number: r.n, Data: data}) {
			return false
		}
		if res.Waiting == 0 || res.Records == 0 {
			break
		}
	}
	r.scratch = r.scratch[:0]
	for p := range s.all {
		r.scratch = appendPlayer(r.scratch, p.number, s.idOf(p.Entity))
	}
	if key || !slices.Equal(r.scratch, r.players) {
		r.players = append(r.players[:0], r.scratch...)
		if !r.to.Add(replay.Frame{Tick: after, Kind: replay.Players, Data: r.players}) {
			return false
		}
	}
	return r.rows.record(r.to, after, key)
}
