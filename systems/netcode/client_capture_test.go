package netcode_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/timeline"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// picture is everything that a client shows in a frame.
type picture struct {
	shown  []shownBody
	own    runner
	view   time.Duration
	status netcode.Status
}

type shownBody struct {
	id              netcode.EntityID
	logical, visual components.Pose3D
}

// film takes a picture in each frame of an engine.
func film(e *ecs.Engine, c *netcode.Client[runner, input]) *[]picture {
	var all []picture
	filter := generic.NewFilter3[components.Transform3D, components.Visual3D, netcode.Replicated]()
	e.Add(ecs.Render, ecs.SystemFunc(func(w *arche.World) {
		p := picture{view: c.View()}
		p.own, _ = c.State()
		p.status, _ = c.Status()
		for q := filter.Query(w); q.Next(); {
			l, v, r := q.Get()
			p.shown = append(p.shown, shownBody{r.ID, l.Get(), v.Get()})
		}
		all = append(all, p)
	}))
	return &all
}

func (p *picture) equal(o *picture) bool {
	if p.own != o.own || p.view != o.view || p.status != o.status || len(p.shown) != len(o.shown) {
		return false
	}
	for i := range p.shown {
		if p.shown[i] != o.shown[i] {
			return false
		}
	}
	return true
}

// captureProtocol is that of a game with everything: shots, predicted boxes, scripted movers.
func captureProtocol(t testing.TB, step func(runner, input, netcode.Tick) runner) *protocol {
	t.Helper()
	game := shotGame()
	game.Tolerance = 0.01
	if step != nil {
		game.Step = step
	}
	p := newProtocolFor(t, netcode.Config{}, game)
	netcode.PredictShots(p, "rocket", shots())
	netcode.PredictBodies(p, "box", boxes())
	return p
}

// captured is a live match, and the capture of one client of it.
type captured struct {
	file  tapeFile
	films []picture
	live  netcode.ClientStats
	token []byte
	place []byte
	heard int
	wire  [][]byte // welcomes as they came

	watched []netcode.EntityID
	log     *timeline.Log
}

// secretText is in errors and messages of the player.
const secretText = "203.0.113.7 said by the player"

// witness notes the welcomes on a connection.
type witness struct {
	transport.Stamper
	k *captured
}

func (w *witness) RecvAt(b []byte) (n int, at time.Duration, ok bool) {
	if n, at, ok = w.Stamper.RecvAt(b); ok && b[0] == 'W' {
		w.k.wire = append(w.k.wire, bytes.Clone(b[:n]))
	}
	return n, at, ok
}

// captureMatch plays a match over the line of the articles: frames of uneven lengths, a stall, an
// outage, another connection, corrections, pushed boxes, shots, messages, and switches.
func captureMatch(t testing.TB, seed uint64) *captured {
	t.Helper()
	k := &captured{token: []byte("the token of this player")}
	m := newMatchOf(t, captureProtocol(t, nil), nil)
	r := rand.New(rand.NewPCG(seed, 1))
	var lying []arche.Entity
	for i := range 6 {
		lying = append(lying, m.box(box{X: float32(i), Z: 4}))
	}
	m.run(time.Second/10, nil) // now they have IDs
	for _, e := range lying {
		k.watched = append(k.watched, m.id(e))
	}
	m.bot(func(_ *serverPlayer, at netcode.Tick) input {
		return input{X: int8(at/50%2)*2 - 1, Z: int8(at/70%2)*2 - 1, Dash: at%40 == 0}
	})
	var dials int
	a := m.join(seeds(seed), func(c *netcode.ClientConfig[runner, input]) {
		dial := c.Dial
		c.Dial = func() (netcode.Conn, error) {
			if dials++; dials == 1 {
				return nil, errors.New(secretText)
			}
			conn, err := dial()
			return &witness{conn.(transport.Stamper), k}, err
		}
		c.Token, c.Redundancy, c.InputDelay = k.token, netcode.Bounds[int]{Min: 2}, 1
		c.Message = func([]byte, bool) { k.heard++ }
	})
	file := replay.NewFile(&k.file, replay.Info{Game: "test", Version: "1"})
	if err := a.client.Capture(file); err != nil {
		t.Fatal(err)
	}
	k.log = timeline.New(1 << 15)
	a.client.Watch(k.log, k.watched...)
	films := film(a.engine, a.client)
	a.input = func(at netcode.Tick) input {
		way := [...]input{{X: 1}, {Z: 1}, {X: -1}, {Z: -1}}[uint64(at)/25%4]
		way.Dash = at%30 == 0
		return way
	}
	uneven := func() { a.Frame = time.Duration(1+r.IntN(5)) * time.Second / 120 }
	m.run(4*time.Second, uneven)
	m.mustPlay()
	k.place = a.client.Place()
	for i := range 5 { // the server moves the player
		m.of(a).State.X += float32(r.IntN(2)*2-1) / 4
		m.server.Broadcast([]byte{byte(i)})
		if err := a.client.Send(make([]byte, 1+r.IntN(3000))); err != nil {
			t.Fatal(err)
		}
		_ = a.client.SendUnreliable([]byte(secretText))
		m.run(400*time.Millisecond, uneven)
	}
	a.Freeze(1500 * time.Millisecond)
	m.run(3*time.Second, uneven)
	broken := a.Path
	broken.Send.Loss, broken.Receive.Loss = 1, 1
	if err := a.Conn.SetPath(broken); err != nil {
		t.Fatal(err)
	}
	m.run(9*time.Second, uneven) // it goes on with another connection
	a.client.SetPrediction(false, true)
	m.run(time.Second, uneven)
	a.client.SetPrediction(true, true)
	a.client.SetInterpolation(2)
	m.run(2*time.Second, uneven)
	m.mustPlay()
	k.live = a.client.Stats()
	a.client.Leave()
	m.run(time.Second/10, nil)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	k.films = *films
	if s := k.live; s.Reconnects == 0 || s.Corrections < 5 || s.BodyCorrections == 0 || s.Jumps == 0 || k.heard < 4 || len(k.films) < 700 {
		t.Fatalf("seed %d: the match lacks something: %d frames, %d messages, %+v", seed, len(k.films), k.heard, s)
	}
	return k
}

// A rerun of a capture draws what the live client has drawn, in every frame and to the last bit,
// has its figures, and the
// same timelines.
func TestCaptureRunsAgain(t *testing.T) {
	for seed := range uint64(2) {
		k := captureMatch(t, seed)
		r := newRerun(t, captureProtocol(t, nil), k.file.open(t))
		log := timeline.New(1 << 15)
		r.client.Watch(log, k.watched...)
		var stats netcode.ClientStats
		for d := range r.client.Rerun().Frames() {
			r.engine.Update(d)
			if s, _ := r.client.Status(); s != netcode.Ended {
				stats = r.client.Stats()
			}
		}
		got := *r.films
		if err := r.client.Rerun().Err(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for i := range min(len(got), len(k.films)) {
			if !got[i].equal(&k.films[i]) {
				t.Fatalf("seed %d: frame %d of %d is another:\n%+v, want\n%+v", seed, i, len(k.films), got[i], k.films[i])
			}
		}
		length := r.engine.Time().Real
		if len(got) < len(k.films)-12 || len(got) > len(k.films) { // the last ones are after Leave
			t.Errorf("seed %d: %d frames of %d", seed, len(got), len(k.films))
		}
		if stats.Status = k.live.Status; stats != k.live {
			t.Errorf("seed %d: the figures are\n%+v, want\n%+v", seed, stats, k.live)
		}
		events := slices.Collect(log.Events())
		for i, e := range slices.Collect(k.log.Events())[:len(events)] {
			if e != events[i] {
				t.Fatalf("seed %d: event %d of %d is %+v, want %+v", seed, i, len(events), events[i], e)
			}
		}
		if n := k.log.Len(); len(events) < n-12 || n < 10_000 || k.log.Dropped() > 0 {
			t.Errorf("seed %d: %d events of %d", seed, len(events), n)
		}
		if r.client.Place() != nil {
			t.Error("a rerun has a place")
		}
		t.Logf("%d frames, %v: %.2f MB a minute, %.2f MB a minute received; %d corrections, %d of bodies", len(got), length,
			float64(k.file.Len())/1e6/length.Minutes(), float64(k.live.ReceivedBytes)/1e6/length.Minutes(), stats.Corrections, stats.BodyCorrections)
	}
}

// A capture holds neither token nor place, and nothing that the player sent or that an error said.
func TestCaptureHoldsNoSecret(t *testing.T) {
	k := captureMatch(t, 4)
	tape := k.file.open(t)
	all := []byte(tape.Info().Config)
	frames := 0
	for c := tape.Cursor(); ; frames++ {
		f, ok := c.Next()
		if !ok {
			break
		}
		all = append(all, f.Data...)
	}
	secret := k.place[2:]
	if len(k.wire) == 0 || !bytes.Contains(k.wire[0], secret) {
		t.Fatalf("%d welcomes, and the first lacks the secret: this test finds none", len(k.wire))
	}
	for _, hidden := range [][]byte{secret, secret[:8], secret[8:], k.token, []byte(secretText)} {
		if bytes.Contains(all, hidden) {
			t.Errorf("%q is in the capture", hidden)
		}
	}
	if frames < 900 || len(all) < 30_000 {
		t.Errorf("%d frames of %d bytes", frames, len(all))
	}
}

// keeper is a recorder that keeps nothing.
type keeper struct{ frames, bytes int }

func (*keeper) Begin(replay.Session) error { return nil }
func (k *keeper) Add(f replay.Frame) bool {
	k.frames, k.bytes = k.frames+1, k.bytes+len(f.Data)
	return true
}

// A capture allocates nothing in steady state.
func TestAllocationsOfCapture(t *testing.T) {
	allocations := func(to replay.Recorder) float64 {
		m := newMatch(t, nil)
		a := m.join(seeds(9), nil)
		a.input = func(at netcode.Tick) input { return input{X: int8(at/30%3) - 1} }
		if to != nil {
			if err := a.client.Capture(to); err != nil {
				t.Fatal(err)
			}
		}
		m.run(15*time.Second, nil)
		m.mustPlay()
		return testing.AllocsPerRun(5, func() { m.run(time.Second, nil) })
	}
	k := &keeper{}
	without, with := allocations(nil), allocations(k)
	t.Logf("%.1f allocations a second without a capture, %.1f with one", without, with)
	if with > without+1 || k.frames < 20*120 || k.bytes < 50_000 {
		t.Errorf("%.1f allocations a second without a capture, %.1f with one, of %d frames, %d bytes", without, with, k.frames, k.bytes)
	}
}
