package netcode

import (
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/matchstate"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// keyframeSeconds is the time between two keyframes of a recording. A seek decodes up to so much.
const keyframeSeconds = 2

// recording writes a world as packets for a client on a perfect line: everything is relevant to it,
// and each packet counts as delivered. A server records its own world, and a client what it has
// decoded.
type recording struct {
	to          replay.Recorder
	world       *snapshot.World
	encoder     *snapshot.Encoder
	matchStates []matchState
	rate        int // ticks per second
	n           packet.Number
	key         Tick // of the newest keyframe
	whole       bool // the next state of any entities is to be a keyframe
	matchSent   []matchstate.Sent
	packet      [1200]byte
	writer      Writer       // into packet; a local one would escape to the heap
	players     []byte       // as they were recorded
	rows        recordedRows // of players; nil: none
}

// begin begins a session of this protocol.
func (p *Protocol[S, I]) begin(to replay.Recorder, s replay.Session) error {
	hello := NewWriter(make([]byte, 1<<10))
	p.schema.WriteHello(&hello)
	s.Rate, s.Hello = p.TickRate(), hello.Bytes()
	return to.Begin(s)
}

// beginRecording begins a recording of a world by one end.
func (p *Protocol[S, I]) beginRecording(to replay.Recorder, kind replay.Kind, w *snapshot.World, arrival bool) (*recording, error) {
	if err := p.begin(to, replay.Session{Kind: kind, OnArrival: arrival}); err != nil {
		return nil, err
	}
	return &recording{
		to: to, world: w, encoder: snapshot.NewEncoder(w),
		matchStates: p.matchStates, rate: p.TickRate(), matchSent: make([]matchstate.Sent, len(p.matchStates)),
	}, nil
}

// add adds the world's newest commit, which is the state at a tick, and the players as appendPlayer
// has written them. It reports whether the recording goes on. The tick of the frames is newer than
// the state's if that has come late. They are complete if nothing is missing up to their tick.
func (r *recording) add(at, frame Tick, complete bool, players []byte) bool {
	key := r.n == 0 || r.whole && r.world.Len() > 0 || frame.Sub(r.key) >= int32(keyframeSeconds*r.rate)
	if key = key && at == frame; key {
		r.key, r.whole = frame, false
		r.encoder.Rekey()
		clear(r.matchSent)
	} else if r.n == 0 {
		return true // it begins with the next state that is not late
	}
	for id := range r.world.All {
		r.encoder.SetRelevance(id, 1)
	}
	for first, waits := true, true; waits; first = false {
		r.n++
		r.writer = NewWriter(r.packet[:])
		w := &r.writer
		for i, m := range r.matchStates {
			m.write(w, &r.matchSent[i], r.n, at, matchstate.Limits{Bits: maxMatchBits / len(r.matchSent), Past: matchPast * r.rate})
		}
		res := r.encoder.Encode(w, r.n, at)
		data := w.Bytes()
		r.encoder.Delivered(r.n)
		for i := range r.matchSent {
			r.matchSent[i].Delivered(r.n)
		}
		waits = res.Waiting > 0 && res.Records > 0
		if !r.to.Add(replay.Frame{Tick: frame, Kind: replay.Snapshot, Key: key && first, Complete: complete && res.Waiting == 0, Number: r.n, Data: data}) {
			return false
		}
	}
	if key || !slices.Equal(players, r.players) {
		r.players = append(r.players[:0], players...)
		if !r.to.Add(replay.Frame{Tick: frame, Kind: replay.Players, Data: r.players}) {
			return false
		}
	}
	return r.rows == nil || r.rows.record(r.to, frame, key)
}

// note adds a frame to all recordings that have begun, and returns those that go on.
func note(all []*recording, f replay.Frame) []*recording {
	return slices.DeleteFunc(all, func(r *recording) bool { return r.n > 0 && !r.to.Add(f) })
}
