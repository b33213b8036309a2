package rates

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Setting is a game's choice of rates, and its network.
type Setting struct {
	Network      Network
	TickRate     int // Hz, of the server and both clients
	SnapshotRate int // Hz
	ActionRate   int // packets of inputs per second; zero: one per tick
	FrameRate    int // Hz, of the clients; zero: 60. Sockets are read once per frame
	// in motion beside the two players; zero: 18, so that 20 entities move. At least 3
	Bodies int
	Length time.Duration
	Seed   uint64

	// Path, if set, gives the two clients their paths instead of Network. If Shared is set, the
	// second client's datagrams wait in the queues of the first one's bottlenecks.
	Path   func(client int) linksim.Path
	Shared bool
	Watch  [2]Watcher // of the clients; may be nil
}

const (
	// WarmUp is the time from the start that is left out of all figures.
	WarmUp = 10 * time.Second

	turn     = time.Second / 240 // of the server's loop
	farthest = 2 * time.Second   // of a rewind: the greatest that can be configured
	presses  = 1 << 10           // ticks whose presses are kept
)

// run is a match that is measured. It measures the picture of the first client and the inputs of
// the second.
type run struct {
	setting Setting
	now     time.Duration
	frame   time.Duration // of a client

	listener *loopback.Listener
	protocol *testgame.Protocol
	server   *testgame.Server
	bodies   []arche.Entity
	ids      generic.Map1[netcode.Replicated]
	paths    paths

	ends  [2]*end
	lines [2]*linksim.Conn // the first connection of each client, or of both on a shared line
	// the clients of the connections that were dialled and not yet accepted, in this order
	dials    []int
	accepted [2]int // number of connections, by client
	players  []*testgame.Player
	blind    bool                   // clients do not receive the arrival times of datagrams
	pressed  [presses]time.Duration // by tick: when the second player's input for it was sampled
	figures  recorder
}

// end is a client with a process of its own.
type end struct {
	run     *run
	client  *testgame.Client
	path    *linksim.Conn // of its connection
	born    time.Duration
	drawn   time.Duration // the next frame
	packets uint64        // sent since the warm-up
	bytes   uint64
	prev    time.Duration // the views at the start and at the end of the step that is on the screen
	cur     time.Duration
}

// newRun makes the server and both clients.
func newRun(s Setting) (*run, error) {
	if s.Bodies == 0 {
		s.Bodies = 18
	}
	if s.ActionRate == 0 {
		s.ActionRate = s.TickRate
	}
	if s.FrameRate == 0 {
		s.FrameRate = 60
	}
	if s.TickRate < 1 || s.Bodies < measured || s.FrameRate < 1 {
		return nil, fmt.Errorf("rates: %+v cannot be played: it takes a tick rate, a frame rate and at least %d bodies", s, measured)
	}
	r := &run{setting: s, frame: time.Second / time.Duration(s.FrameRate), listener: loopback.Listen(loopback.Config{MTU: mtu})}
	r.paths = newPaths()
	var err error
	if r.protocol, err = testgame.NewProtocol(s.TickRate, s.Bodies+8); err != nil {
		return nil, err
	}
	r.server, err = testgame.Serve(r.protocol, testgame.ServerConfig{
		Listener: watched{r.listener, r}, SnapshotRate: s.SnapshotRate, MinSnapshotRate: 1, Rewind: farthest,
		Random: rand.NewChaCha8([32]byte{byte(s.Seed)}),
	}, func(p *testgame.Player) testgame.State {
		r.players = append(r.players, p)
		return testgame.State{Z: 5 * float32(p.Number())}
	})
	if err != nil {
		return nil, err
	}
	r.ids = generic.NewMap1[netcode.Replicated](r.server.Engine.World())
	r.server.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { r.rewind() }))
	r.bodies = r.server.AddBodies(s.Bodies, func(i int, t ecs.Time) components.Pose3D { return r.paths.at(i, t.StepEnd.Seconds()) })

	rng := rand.New(rand.NewPCG(s.Seed, 0x726174))
	for i := range r.ends {
		if r.ends[i], err = r.newEnd(i, rng); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// newEnd makes a client, whose first frame is at a time of its own.
func (r *run) newEnd(i int, rng *rand.Rand) (*end, error) {
	s := &r.setting
	e := &end{run: r, born: time.Duration(rng.Int64N(int64(turn)))}
	path := s.Network.path(rng, s.Length)
	if s.Path != nil {
		path = s.Path(i)
	}
	var err error
	e.client, err = testgame.Join(r.protocol, testgame.ClientConfig{
		ActionRate: s.ActionRate,
		Dial: func() (transport.Conn, error) {
			far, err := linksim.Wrap(r.listener.Dial(), path)
			if err != nil {
				return nil, err
			}
			r.dialled(i, far)
			e.path = far
			if r.blind {
				return struct{ transport.Conn }{counted{far, e}}, nil
			}
			return counted{far, e}, nil
		},
		Input: func(t netcode.Tick) testgame.Input {
			if at := &r.pressed[t%presses]; i == 1 && (*at == 0 || r.now-*at > time.Second) {
				*at = r.now // after a jump back the clock asks again; the first answer is kept
			}
			return hands(float64(t) / float64(s.TickRate))
		},
	}, interpolation.New3D())
	if err != nil {
		return nil, err
	}
	e.client.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		e.prev, e.cur = e.cur, e.client.View()
		if w := s.Watch[i]; w != nil {
			w.Step(r.now, e.cur, e.client.Playing())
		}
	}))
	e.drawn = e.born + time.Duration(rng.Int64N(int64(r.frame)))
	return e, nil
}

// hands returns a player's input at a number of seconds. The player runs to and fro, each way for
// about half a second, and turns its head. The turn changes the input in every tick, as a mouse
// does, so no input equals the one before.
func hands(now float64) testgame.Input {
	in := testgame.Input{X: 1, Yaw: uint16(2048 + 600*math.Sin(1.7*now) + 150*math.Sin(7.1*now)), Fire: math.Mod(now, 1.3) < 0.1}
	if math.Mod(now, 1.014) > 0.507 {
		in.X = -1
	}
	return in
}

// counted counts what a client sends.
type counted struct {
	transport.Conn
	end *end
}

func (c counted) Send(datagram []byte) error {
	if c.end.run.now > WarmUp {
		c.end.packets++
		c.end.bytes += uint64(len(datagram))
	}
	return c.Conn.Send(datagram)
}

func (c counted) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	return c.Conn.(transport.Stamper).RecvAt(buf)
}

// Run measures a setting. The same setting gives the same figures. It returns an error for a
// setting that cannot be played.
func Run(s Setting) (Figures, error) {
	r, err := newRun(s)
	if err != nil {
		return Figures{}, err
	}
	return r.play(), nil
}

// play runs the match and measures it.
func (r *run) play() Figures {
	for next := turn; r.now < r.setting.Length; {
		due := -1
		at := next
		for i, e := range r.ends {
			if e.drawn < at {
				due, at = i, e.drawn
			}
		}
		before := r.now
		r.now = at
		if before <= WarmUp && at > WarmUp {
			r.figures.begin(r)
		}
		if due < 0 {
			r.server.Engine.Update(r.now - r.server.Engine.Time().Real)
			for i, e := range r.ends {
				if w := r.setting.Watch[i]; w != nil {
					w.Turn(r.now, r.inputs(i))
				}
				if e.path != nil {
					e.path.Poll(r.now - e.born) // the network does not wait for frames
				}
			}
			next += turn
			continue
		}
		e := r.ends[due]
		e.client.Engine.Update(r.now - e.born - e.client.Engine.Time().Real)
		e.drawn += r.frame
		r.look(due)
	}
	return r.figures.end(r)
}

// look compares a client's picture with the truth. Only the first client's pictures count for the
// figures.
func (r *run) look(client int) {
	e, w := r.ends[client], r.setting.Watch[client]
	if w == nil && (client > 0 || r.now <= WarmUp) {
		return
	}
	frame := Frame{Now: r.now, Playing: e.client.Playing(), Stats: e.client.Stats(), View: e.cur}
	if frame.Playing {
		t := e.client.Engine.Time()
		share := float64(t.Normal-t.StepStart) / float64(t.StepEnd-t.StepStart)
		frame.Shown = e.prev + time.Duration(share*float64(e.cur-e.prev))
		for i := range frame.Off {
			frame.Off[i] = e.off(i, frame.Shown)
		}
	}
	if w != nil {
		w.Frame(&frame)
	}
	if client > 0 || !frame.Playing || r.now <= WarmUp {
		return
	}
	f := &r.figures
	f.lag = append(f.lag, r.now-frame.Shown)
	f.lead = append(f.lead, frame.Stats.Lead)
	if at := r.pressed[uint64(frame.Shown.Seconds()*float64(r.setting.TickRate))%presses]; at > 0 {
		f.age = append(f.age, r.now-at)
	}
	f.circle, f.flips = max(f.circle, frame.Off[Circle]), max(f.flips, frame.Off[Flips])
}

// off returns the distance between a body's picture and its true place at the time that is shown.
func (e *end) off(body int, shown time.Duration) float64 {
	r := e.run
	replica := e.client.Replica(r.ids.Get(r.bodies[body]).ID)
	if replica.IsZero() {
		return 0
	}
	w := e.client.Engine.World()
	drawn := (*components.Visual3D)(w.Get(replica, arche.ComponentID[components.Visual3D](w))).Get().Position
	return float64(drawn.Sub(r.paths.at(body, shown.Seconds()).Position).Len())
}

// rewind measures how far in the past the first player's picture is, by a body whose position gives
// the time.
func (r *run) rewind() {
	if r.now <= WarmUp {
		return
	}
	for _, p := range r.players {
		if p.Number() != r.ends[0].client.Number() || !p.Connected() {
			continue
		}
		p.Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
			if seen, ok := at(r.bodies[Straight]); ok {
				seconds := (float64(seen.Position[0]) - startX) / straightSpeed
				r.figures.rewind = append(r.figures.rewind, r.server.Engine.Time().StepStart-time.Duration(seconds*float64(time.Second)))
			}
		})
	}
}
