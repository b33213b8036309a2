package netcode

import (
	"errors"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

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
	r, err := s.protocol.beginRecording(to, replay.Server, s.net, s.config.InputMode == OnArrival)
	if err != nil {
		return err
	}
	r.rows = newServerRows(s)
	s.recordings = append(s.recordings, r)
	return nil
}

// Mark notes a moment in all recordings, for viewers to find: a goal, the end of a round. player is
// the number of a player, or zero. Names are cut to 64 bytes.
func (s *Server[S, I]) Mark(name string, player uint16) {
	s.note(replay.Mark{Tick: s.Tick(), Player: player, Name: name}.Frame())
}

// Note puts a message into all recordings, and sends it to no player: what was sent to one, or
// happened on the server only, as far as viewers may receive it. ClientConfig.Message of a client
// that plays the recording receives it like a [Server.Broadcast]. With an error nothing was noted:
// it is packet.ErrMessageTooLarge beyond 32 KiB, or that of raw bytes in a protocol with a
// [Message].
func (s *Server[S, I]) Note(data []byte) error {
	if err := s.protocol.mayNote(data); err != nil {
		return err
	}
	s.note(replay.Frame{Tick: s.Tick(), Kind: replay.Message, Data: data})
	return nil
}

// mayNote returns the error of a message that a recording cannot hold.
func (p *Protocol[S, I]) mayNote(data []byte) error {
	if len(data) > maxMessage {
		return packet.ErrMessageTooLarge
	}
	return p.mustPack(data)
}

// note adds a frame to all recordings that have begun.
func (s *Server[S, I]) note(f replay.Frame) { s.recordings = note(s.recordings, f) }

// record adds the state after a step to all recordings.
func (s *Server[S, I]) record(after Tick) {
	s.recorded = s.recorded[:0]
	for p := range s.all {
		s.recorded = appendPlayer(s.recorded, p.number, s.idOf(p.Entity))
	}
	s.recordings = slices.DeleteFunc(s.recordings, func(r *recording) bool { return !r.add(after, after, true, s.recorded) })
}
