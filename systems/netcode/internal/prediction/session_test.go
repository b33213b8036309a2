package prediction_test

import (
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const (
	ms    = time.Millisecond
	seeds = 20
)

var grid clocksync.Grid // 60 Hz

// session is a server and one client over a simulated path, on virtual time: ticks and frames at 60
// Hz, states at 30 Hz.
type session struct {
	t     testing.TB
	lead  int // ticks that the client is ahead
	phase time.Duration
	play  func(tick.Tick) control
	frame int // ticks between the client's frames
	limit prediction.Redundancy
	push  func(k int64) float64 // what the server adds to the position in tick k
	away  func(k int64) bool    // whether the client sleeps in tick k
	tap   func(sent []byte)     // receives each datagram for the server

	up, down *linksim.Link
	epoch    int64 // index of the first tick
	buffer   *prediction.Buffer[control]
	server   body
	client   *prediction.Predictor[body, control]
	offset   articles.ErrorOffset[float64, articles.Scalar]

	inputs   prediction.Inputs[control]
	out      [256]byte
	writer   packet.Writer
	reader   packet.Reader
	feedback prediction.Feedback

	sent        body // the effect of the client's inputs, each run once
	steps       int  // of the client, those replayed included
	compared    int  // states that the client accepted
	corrections int
	lastWrong   time.Duration // since the session's beginning
	maxStarved  int
	runRepeated int // the longest run of repeated inputs
	repeated    int
	bytes       int // the largest packet of inputs
	states      []body
	keepStates  bool
}

func newSession(t testing.TB, path linksim.Path, lead int, play func(tick.Tick) control) *session {
	t.Helper()
	// The wrap of the ticks is part of every case.
	s := &session{t: t, lead: lead, phase: 5 * ms, play: play, frame: 1, epoch: math.MaxUint32 - 200}
	var err error
	if s.up, s.down, err = path.Links(); err != nil {
		t.Fatal(err)
	}
	s.buffer = prediction.NewBuffer(grid.Tick(s.epoch), prediction.BufferConfig[control]{Rules: rules})
	counted := func(b body, in control, t tick.Tick) body {
		s.steps++
		return step(b, in, t)
	}
	s.client = prediction.NewPredictor(prediction.Config[body, control]{Step: counted, Distance: distance, Tolerance: 1e-9, Rules: rules})
	s.client.Start(grid.Tick(s.epoch+int64(lead)), body{})
	return s
}

// leadFor returns the lead with which inputs arrive in time at the worst jitter, with some ticks to
// spare.
func leadFor(path linksim.Path, slack int) int {
	way := 5*ms + path.Send.Delay + path.Send.Jitter
	return int((way+grid.Step()-1)/grid.Step()) + slack
}

// run plays the ticks from the first to the last, both relative to the session's start.
func (s *session) run(from, to int64) {
	for k := from; k < to; k++ {
		s.serve(k)
		if k%int64(s.frame) == int64(s.frame)-1 {
			for j := k - int64(s.frame) + 1; j <= k; j++ {
				s.predict(j, k)
			}
		}
	}
}

// at returns the server's time at a tick of the session.
func (s *session) at(k int64) time.Duration { return grid.Edge(s.epoch + k) }

// serve is one tick of the server.
func (s *session) serve(k int64) {
	now := s.at(k)
	for {
		datagram, at, ok := s.up.Pop(now)
		if !ok {
			break
		}
		if s.tap != nil {
			s.tap(datagram)
		}
		s.receive(datagram, at)
	}
	in, source := s.buffer.Next()
	if source == prediction.Repeated {
		s.repeated++
		s.runRepeated = max(s.runRepeated, s.repeated)
	} else {
		s.repeated = 0
	}
	s.server = step(s.server, in, grid.Tick(s.epoch+k))
	if s.push != nil {
		s.server.X += s.push(k)
	}
	if s.keepStates {
		s.states = append(s.states, s.server)
	}
	if k%2 == 0 {
		return
	}
	s.writer = packet.NewWriter(s.out[:])
	s.writer.Bits(uint64(s.buffer.Tick()), 32)
	s.writer.Bits(math.Float64bits(s.server.X), 64)
	for _, p := range s.server.Pressed {
		s.writer.Bits(uint64(p), 16)
	}
	s.buffer.Feedback().Write(&s.writer)
	s.down.Push(now, s.writer.Bytes())
}

// receive is the server's handling of a packet.
func (s *session) receive(datagram []byte, at time.Duration) {
	if !s.buffer.Admit() {
		return
	}
	s.reader = packet.NewReader(datagram)
	if s.inputs.Read(&s.reader, controls{}) == nil && s.reader.Close() == nil {
		s.buffer.Receive(&s.inputs, at)
	}
}

// predict is tick j of the client, in the frame of tick k.
func (s *session) predict(j, k int64) {
	if s.away != nil && s.away(k) {
		return
	}
	now := s.at(k) + s.phase
	for {
		datagram, _, ok := s.down.Pop(now)
		if !ok {
			break
		}
		s.hear(datagram, now)
	}
	t := grid.Tick(s.epoch + j + int64(s.lead))
	in := s.play(t)
	s.sent = step(s.sent, in, t)
	s.client.Advance(t, in)
	s.offset.Advance(grid.Step())
	if j != k { // the inputs of the other ticks of a slow frame share one packet
		return
	}
	s.writer = packet.NewWriter(s.out[:])
	if s.client.Pending().Write(&s.writer, controls{}, s.limit) > 0 {
		s.bytes = max(s.bytes, len(s.writer.Bytes()))
		s.up.Push(now, s.writer.Bytes())
	}
}

// hear is the client's handling of a state.
func (s *session) hear(datagram []byte, now time.Duration) {
	r := &s.reader
	*r = packet.NewReader(datagram)
	t := tick.Tick(r.Bits(32))
	b := body{X: math.Float64frombits(r.Bits(64))}
	for i := range b.Pressed {
		b.Pressed[i] = uint16(r.Bits(16))
	}
	s.feedback = prediction.ReadFeedback(r)
	if r.Close() != nil {
		s.t.Fatalf("the server's packet is malformed: %v", r.Err())
	}
	if s.feedback.Heard {
		s.client.Pending().Acknowledge(s.feedback.Ack)
		s.maxStarved = max(s.maxStarved, s.feedback.Starved)
	}
	c := s.client.Reconcile(t, b)
	if c.Outcome != prediction.Stale {
		s.compared++
	}
	if c.Outcome == prediction.Corrected || c.Outcome == prediction.Jumped {
		s.corrections++
		s.lastWrong = now - s.at(0)
		s.offset.Correct(c.Before.X, c.After.X)
	}
}

// path returns the path that a text describes, with another seed.
func path(t testing.TB, text string, seed uint64) linksim.Path {
	t.Helper()
	p, err := linksim.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	p.Send.Seed, p.Receive.Seed = seed, seed
	return p
}
