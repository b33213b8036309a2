package clocksync

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// testEngine keeps time as the engine does: a clamp, a stretch in millionths with a carried
// remainder, rational edges, a step cap.
type testEngine struct {
	grid                 Grid
	normal, real, droppd time.Duration
	tick                 uint64
	stretch              int64 // millionths
	carry                int64
	maxDelta             time.Duration
	maxSteps             int
	step                 func(k uint64)
	steps                int // of the last update
}

func newTestEngine(g Grid) *testEngine {
	return &testEngine{grid: g, stretch: 1e6, maxDelta: 250 * time.Millisecond, maxSteps: 8}
}

func (e *testEngine) update(real time.Duration) {
	e.real += real
	if real > e.maxDelta {
		e.droppd += real - e.maxDelta
		real = e.maxDelta
	}
	scaled := int64(real)*e.stretch + e.carry
	e.normal += time.Duration(scaled / 1e6)
	e.carry = scaled % 1e6
	for e.steps = 0; e.grid.Edge(int64(e.tick)) <= e.normal; e.steps++ {
		if e.steps == e.maxSteps {
			held := e.grid.Edge(int64(e.tick)) - 1
			e.droppd += time.Duration(float64(e.normal-held) * 1e6 / float64(e.stretch))
			e.normal = held
			break
		}
		if e.step != nil {
			e.step(e.tick)
		}
		e.tick++
	}
}

func (e *testEngine) time() EngineTime {
	return EngineTime{Normal: e.normal, Fixed: e.grid.Edge(int64(e.tick)), Dropped: e.droppd, Tick: e.tick}
}

// world is a server and a client with a link between them. Virtual time is that of the server's
// machine. The server's time line is virtual time less the time that the server lost.
type world struct {
	virtualClock
	t        testing.TB
	up, down *virtualPath
	grid     Grid

	serverEpoch, lost time.Duration // server time = epoch + virtual - lost
	serverPaused      bool
	meter             *AgeMeter
	arrivedFrom       int64
	// first arrival of the inputs from arrivedFrom on, in server time; 0 if there is none
	arrived    []time.Duration
	redundancy int

	localEpoch    time.Duration
	ppm           float64 // of the client's clock
	frame         time.Duration
	frames        func() time.Duration // if not nil, the length of the next frame
	client        *Client
	engine        *testEngine
	view          View
	suspended     bool
	lastFrame     time.Duration // local
	lateness      []lateSample
	latest        time.Duration // the greatest lateness of the last 2 s
	fixedDelay    time.Duration // if not 0, replaces the measured delay
	interval      time.Duration
	first, newest tick.Tick // inputs sent
	sentAny       bool

	jumps   []ClockJump
	changes []Change
	onFrame func()
	onStep  func(view, truth time.Duration)
}

type lateSample struct{ at, late time.Duration }

func newWorld(t testing.TB, seed uint64) *world {
	t.Helper()
	w := &world{
		t: t, serverEpoch: 1000 * time.Second, localEpoch: 77 * time.Hour, frame: time.Second / 60, interval: time.Second / 30,
		redundancy: 3,
	}
	w.up = newVirtualPath(&w.virtualClock, 2*seed, 100*time.Millisecond, 10*time.Millisecond, 0)
	w.down = newVirtualPath(&w.virtualClock, 2*seed+1, 100*time.Millisecond, 10*time.Millisecond, 0)
	w.client, w.meter = NewClient(Config{}), NewAgeMeter(w.grid)
	w.view = NewView()
	w.engine = newTestEngine(w.grid)
	w.engine.step = w.step
	return w
}

// server returns the server's time line at a virtual time.
func (w *world) server(t time.Duration) time.Duration { return w.serverEpoch + t - w.lost }

// local returns the client's clock at a virtual time. virtual is its inverse.
func (w *world) local(t time.Duration) time.Duration {
	return w.localEpoch + t + time.Duration(float64(t)*w.ppm*1e-6)
}

func (w *world) virtualAt(local time.Duration) time.Duration {
	return time.Duration(float64(local-w.localEpoch) / (1 + w.ppm*1e-6))
}

// start begins frames and snapshots.
func (w *world) start() {
	w.lastFrame = w.local(w.Now)
	w.lateness = make([]lateSample, 0, 64)
	w.nextFrame()
	w.Every(w.Now+7*time.Millisecond, w.interval, w.snapshot)
}

func (w *world) nextFrame() {
	if w.frames != nil {
		w.frame = w.frames()
	}
	w.At(w.virtualAt(w.lastFrame+w.frame), func() {
		if !w.suspended {
			w.runFrame()
		} else {
			w.lastFrame += w.frame
			w.nextFrame()
		}
	})
}

func (w *world) runFrame() {
	now := w.local(w.Now)
	if w.client.PingDue(now) {
		s := Sample{ClientSend: now}
		w.up.Send(func() {
			if w.serverPaused {
				return
			}
			s := s
			s.ServerReceive = w.server(w.Now)
			w.After(3*time.Millisecond, func() {
				s.ServerSend = w.server(w.Now)
				w.down.Send(func() {
					s := s
					s.ClientReceive = w.local(w.Now)
					change, err := w.client.Answered(s)
					if err != nil && err != ErrDuplicate && err != ErrSlow && err != ErrStalled {
						w.t.Errorf("at %v: %v (%+v)", w.Now, err, s)
					}
					if change != (Change{}) {
						w.changes = append(w.changes, change)
					}
				})
			})
		})
	}
	real := now - w.engine.real - w.localEpoch
	w.engine.update(real)
	stretch, jump := w.client.Update(now, w.engine.time())
	w.engine.stretch = int64(stretch*1e6 + 0.5)
	if stretch < 0.95 || stretch > 1.05 {
		w.t.Errorf("at %v: a stretch of %v", w.Now, stretch)
	}
	if jump.Cause != NoJump {
		w.jumps = append(w.jumps, jump)
	}
	if w.onFrame != nil {
		w.onFrame()
	}
	w.lastFrame = now
	w.nextFrame()
}

// step sends an input and draws.
func (w *world) step(k uint64) {
	if !w.client.Synced() {
		return
	}
	now := w.local(w.Now)
	t := w.client.Tick(k)
	if !w.sentAny {
		w.first, w.sentAny = t, true
	}
	w.newest = t
	n := w.redundancy
	w.client.Sent(t, now)
	w.up.Send(func() {
		if w.serverPaused {
			return
		}
		at := w.server(w.Now)
		for i := range n {
			w.arrive(t.Add(-i), at)
		}
		w.meter.Arrived(t, at)
	})
	real, reference := w.client.Playback(w.engine.grid.Edge(int64(k + 1)))
	view := w.view.Advance(real, reference, w.wanted())
	if w.onStep != nil {
		w.onStep(view, w.server(w.virtualAt(real)))
	}
}

func (w *world) snapshot() {
	if w.serverPaused {
		return
	}
	stamp, report := w.server(w.Now), w.meter.Report()
	w.down.Send(func() {
		now := w.local(w.Now)
		w.client.Reported(now, report)
		if !w.client.Reference().Ready() {
			return
		}
		if len(w.lateness) == cap(w.lateness) {
			w.lateness = w.lateness[:copy(w.lateness, w.lateness[1:])]
		}
		w.lateness = append(w.lateness, lateSample{now, w.client.Reference().At(now) - stamp})
		w.latest = 0
		for _, l := range w.lateness {
			if l.at > now-2*time.Second {
				w.latest = max(w.latest, l.late)
			}
		}
	})
}

// wanted is the least delay that would have been enough for the last 2 s, plus two intervals and a
// tick.
func (w *world) wanted() time.Duration {
	if w.fixedDelay != 0 {
		return w.fixedDelay
	}
	return w.latest + 2*w.interval + w.grid.Step()
}

// arrive records that an input reached the server.
func (w *world) arrive(t tick.Tick, at time.Duration) {
	index := Unwrap(t, w.grid.Index(at))
	if len(w.arrived) == 0 {
		w.arrivedFrom = index
	}
	i := index - w.arrivedFrom
	if i < 0 || i > 1<<20 {
		return
	}
	for int64(len(w.arrived)) <= i {
		w.arrived = append(w.arrived, 0)
	}
	if w.arrived[i] == 0 {
		w.arrived[i] = at
	}
}

// missed counts the inputs sent since from that did not arrive in time.
func (w *world) missed(from tick.Tick, until time.Duration) (missed, total int) {
	for k := Unwrap(from, w.grid.Index(w.server(w.Now))); w.grid.Edge(k) < until; k++ {
		total++
		i := k - w.arrivedFrom
		if i < 0 || i >= int64(len(w.arrived)) || w.arrived[i] == 0 || w.arrived[i] > w.grid.Edge(k) {
			missed++
		}
	}
	return missed, total
}
