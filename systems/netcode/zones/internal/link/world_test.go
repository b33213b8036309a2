package link_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
)

const step = time.Second / 60

// tester is what a world needs of a [testing.T] or a [rapid.T].
type tester interface {
	Helper()
	Log(...any)
	Fatal(...any)
}

// world is some zones in virtual time.
type world struct {
	t     tester
	now   time.Duration
	path  linksim.Path // of what is dialed
	zones []*zone
	conns []*linksim.Conn // all that were dialed
	// fine is how often the paths are polled, so that datagrams leave them in time; 0: each step
	fine time.Duration
}

// zone is a process with its own clock.
type zone struct {
	*link.Links
	world    *world
	config   link.Config
	listener *loopback.Listener
	log      bytes.Buffer

	offset  time.Duration // of its clock
	drift   float64       // seconds per second
	ticks   time.Duration // common ticks minus true time
	stopped bool          // it is neither polled nor flushed

	events    []string
	messages  func(from custody.Process, data []byte)
	write     func(to custody.Process, w *packet.Writer, n packet.Number) int
	snapshot  func(from custody.Process, r *packet.Reader, n packet.Number) error
	delivered map[packet.Number]int
}

const protocol = 0x7461_6e64_656d

func process(z, e int) custody.Process {
	return custody.Process{Zone: custody.Zone(z), Epoch: custody.Epoch(e)}
}

func keyOf(p custody.Process) (key [32]byte) {
	key[0], key[1], key[31] = byte(p.Zone), byte(p.Epoch), 1
	return key
}

func newWorld(t tester, path linksim.Path, processes ...custody.Process) *world {
	w := &world{t: t, path: path}
	for _, p := range processes {
		w.add(p)
	}
	w.meet()
	return w
}

// add makes a process, which knows none yet.
func (w *world) add(p custody.Process) *zone {
	z := &zone{world: w, listener: loopback.Listen(loopback.Config{Queue: 4096, Backlog: 256}), delivered: map[packet.Number]int{}}
	z.config = link.Config{
		Self: p, Key: keyOf(p), Protocol: protocol, Listener: &listener{z.listener, z}, Dial: z.dial, Handler: z,
		Log: slog.New(slog.NewTextHandler(&z.log, nil)),
	}
	z.start()
	w.zones = append(w.zones, z)
	return z
}

func (z *zone) start() {
	var err error
	if z.Links, err = link.New(z.config); err != nil {
		z.world.t.Fatal(err)
	}
}

func (z *zone) peer() link.Peer {
	p := z.config.Self
	return link.Peer{Process: p, Name: fmt.Sprint("zone", p.Zone), Address: fmt.Sprint(p.Zone, ".", p.Epoch), Key: z.config.Key}
}

// meet tells every process of all of them.
func (w *world) meet() {
	var peers []link.Peer
	for _, z := range w.zones {
		peers = append(peers, z.peer())
	}
	for _, z := range w.zones {
		z.SetPeers(peers)
	}
}

func (z *zone) dial(p link.Peer) (transport.Conn, error) {
	for _, other := range z.world.zones {
		if other.peer().Address == p.Address {
			path := z.world.path
			path.Send.Seed += uint64(len(z.world.conns))
			path.Receive.Seed += uint64(len(z.world.conns))
			conn, err := linksim.Wrap(other.listener.Dial(), path)
			if err != nil {
				z.world.t.Fatal(err)
			}
			z.world.conns = append(z.world.conns, conn)
			return &shifted{conn, z}, nil
		}
	}
	return nil, fmt.Errorf("nothing listens at %q", p.Address)
}

// clock returns the zone's clock at a time.
func (z *zone) clock(at time.Duration) time.Duration {
	return z.offset + at + time.Duration(z.drift*float64(at))
}

// run lets all zones step until an end. Their steps are spread over the interval.
func (w *world) run(until time.Duration, each func()) {
	for w.now < until {
		for _, z := range w.zones {
			w.advance(w.now + step/time.Duration(len(w.zones)))
			if !z.stopped {
				z.Poll(z.clock(w.now))
			}
			if each != nil {
				each()
			}
			if !z.stopped {
				z.Flush(z.clock(w.now), w.now+z.ticks)
			}
		}
	}
}

// advance moves the paths to a time.
func (w *world) advance(to time.Duration) {
	for w.fine > 0 && w.now+w.fine < to {
		w.now += w.fine
		for _, c := range w.conns {
			c.Poll(w.now)
		}
	}
	w.now = to
}

func (z *zone) Opened(p custody.Process) { z.events = append(z.events, fmt.Sprint("opened ", p)) }
func (z *zone) Closed(p custody.Process) { z.events = append(z.events, fmt.Sprint("closed ", p)) }

func (z *zone) Message(from custody.Process, data []byte) {
	if z.messages != nil {
		z.messages(from, data)
	}
}

func (z *zone) Snapshot(from custody.Process, r *packet.Reader, n packet.Number) error {
	if z.snapshot != nil {
		return z.snapshot(from, r, n)
	}
	for r.Remaining() >= 8 {
		r.Bits(8)
	}
	return r.Close()
}

func (z *zone) Delivered(_ custody.Process, n packet.Number) { z.delivered[n]++ }

func (z *zone) Write(to custody.Process, w *packet.Writer, n packet.Number) int {
	if z.write != nil {
		return z.write(to, w, n)
	}
	return 0
}

// shifted is a connection on the clock of its zone.
type shifted struct {
	transport.Conn
	zone *zone
}

func (c *shifted) Poll(time.Duration) { c.Conn.Poll(c.zone.world.now) }

func (c *shifted) RecvAt(buf []byte) (int, time.Duration, bool) {
	n, at, ok := transport.RecvAt(c.Conn, c.zone.world.now, buf)
	return n, c.zone.clock(at), ok
}

type listener struct {
	transport.Listener
	zone *zone
}

func (l *listener) Poll(time.Duration) { l.Listener.Poll(l.zone.world.now) }

func (l *listener) Accept() (transport.Conn, bool) {
	c, ok := l.Listener.Accept()
	if !ok {
		return nil, false
	}
	return &shifted{c, l.zone}, true
}

// open waits until all links are open.
func (w *world) open() {
	w.t.Helper()
	for range 120 {
		all := true
		for _, a := range w.zones {
			for _, b := range w.zones {
				all = all && (a == b || a.Open(b.config.Self.Zone))
			}
		}
		if all {
			return
		}
		w.run(w.now+step, nil)
	}
	for _, z := range w.zones {
		w.t.Log(z.log.String())
	}
	w.t.Fatal("the links do not open")
}

// near is the path of two zones in one network.
var near = linksim.Symmetric(linksim.Condition{Delay: time.Millisecond, Jitter: time.Millisecond / 2, Seed: 1})

func condition(t tester, text string) linksim.Path {
	p, err := linksim.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
