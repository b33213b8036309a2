package netcode_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// thinned is a match with many bodies in motion, and one client behind a queue of 256 packets.
type thinned struct {
	*match
	client *player
	tap    *tapped
	rate   float64       // of the line, bytes per second of payload
	busy   time.Duration // the time until which the line is busy with sent packets
	sent   []passage
}

// passage is a packet of the session on the line.
type passage struct {
	at, wait, length time.Duration
	bytes            int
}

func thinnedLine(t *testing.T, rate, bodies int) *thinned {
	x := &thinned{tap: &tapped{}}
	x.match = newMatchOf(t, newProtocol(t, netcode.Config{MaxEntities: 512}), func(c *netcode.ServerConfig[runner, input]) {
		x.tap.Listener, c.Listener = c.Listener, x.tap
		c.SnapshotRate = 30
	})
	var all []arche.Entity
	for i := range bodies {
		all = append(all, x.crate(kindCrate, components.At3D(float32(i%20), 0, float32(i/20))))
	}
	x.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		now := x.engine.Time().StepEnd.Seconds()
		for i, e := range all {
			phase := now*(0.8+0.2*math.Sin(float64(i))) + float64(i)
			pose := components.At3D(float32(i%20)+3*float32(math.Sin(phase)), float32(math.Abs(math.Sin(2*phase))), float32(i/20)+3*float32(math.Cos(1.3*phase)))
			pose.Rotation = mgl32.QuatRotate(float32(3*phase), mgl32.Vec3{float32(math.Sin(float64(i))), float32(math.Cos(float64(i))), 0.3}.Normalize())
			x.transform(e).Set(pose)
		}
	}))
	x.tap.sent = func(_ int, datagram []byte) {
		length := time.Duration(float64(len(datagram)) / x.rate * 1e9)
		x.busy = max(x.busy, x.now) + length
		if datagram[0] == 0x53 {
			x.sent = append(x.sent, passage{x.now, x.busy - x.now, length, len(datagram)})
		}
	}
	x.rate = float64(rate)
	x.client = x.join(x.path(), nil)
	return x
}

func (x *thinned) path() linksim.Path {
	way := linksim.Condition{Delay: 20 * time.Millisecond, Seed: 1}
	down := way
	down.Rate, down.Queue = int(x.rate), 256*1200
	return linksim.Path{Send: way, Receive: down}
}

func (x *thinned) setRate(rate int) {
	x.rate = float64(rate)
	if err := x.client.Conn.SetPath(x.path()); err != nil {
		x.t.Fatal(err)
	}
}

// The spawns of a crowd fill the queue of a thin line only until the rate is measured to be too
// high. A full burst at the start would make a queue of 480 ms.
func TestJoiningDoesNotFillTheQueue(t *testing.T) {
	x := thinnedLine(t, 48000, 305)
	x.run(4*time.Second, nil)
	longest := time.Duration(0)
	for _, p := range x.sent {
		longest = max(longest, p.wait)
	}
	if longest > 300*time.Millisecond {
		t.Errorf("a packet waited for %v", longest)
	}
}

// since returns three figures of the packets that were sent since a time: the 95th percentile of
// their waits, the longest time that one takes, and their bytes per second.
func (x *thinned) since(from time.Duration) (wait, longest time.Duration, rate float64) {
	var waits []time.Duration
	bytes := 0
	for _, p := range x.sent {
		if p.at >= from {
			waits, longest, bytes = append(waits, p.wait), max(longest, p.length), bytes+p.bytes
		}
	}
	slices.Sort(waits)
	return waits[len(waits)*95/100], longest, float64(bytes) / (x.now - from).Seconds()
}

func TestSlowLineIsNotFilled(t *testing.T) {
	const line = 384_000 / 8
	x := thinnedLine(t, line, 300)
	x.run(10*time.Second, nil)
	x.mustPlay()
	starved := x.client.client.Stats()
	worst := time.Duration(0)
	x.run(40*time.Second, func() {
		if x.now > 30*time.Second {
			worst = max(worst, x.client.client.Stats().Delay)
		}
	})
	wait, longest, rate := x.since(10 * time.Second)
	if wait > 150*time.Millisecond || longest > 50*time.Millisecond || rate < 0.8*line {
		t.Errorf("packets wait for %v, the longest takes %v, and %.0f bytes of %d are used", wait, longest, rate, line)
	}
	if worst > 400*time.Millisecond {
		t.Errorf("others are seen %v late", worst)
	}
	st := x.client.client.Stats()
	if st.Interval <= time.Second/30 {
		t.Errorf("the client takes %v for the interval between two snapshots of a body", st.Interval)
	}
	if share := float64(st.Starved-starved.Starved) / float64(st.Sampled-starved.Sampled); share > 0.01 {
		t.Errorf("%.1f %% of the poses were starved", 100*share)
	}
	if s := x.of(x.client).Stats().Path; s.Cause == netcode.RateFree || s.Rate > 1.5*line {
		t.Errorf("the player's path: %+v", s)
	}
}

func TestLineWithAVaryingRate(t *testing.T) {
	x := thinnedLine(t, 500_000, 300)
	x.run(20*time.Second, nil)
	x.mustPlay()
	_, _, full := x.since(10 * time.Second)
	x.setRate(12_500)
	x.run(5*time.Second, nil)
	worst := time.Duration(0)
	newest := func() time.Duration { return x.now - x.client.client.NewestForTest() }
	x.run(25*time.Second, func() { worst = max(worst, newest()) })
	wait, longest, rate := x.since(25 * time.Second)
	if wait > 150*time.Millisecond || longest > 50*time.Millisecond || rate < 0.8*12_500 {
		t.Errorf("packets wait for %v, the longest takes %v, and %.0f bytes of 12500 are used", wait, longest, rate)
	}
	if worst > 350*time.Millisecond {
		t.Errorf("the newest snapshot was %v old", worst)
	}
	x.setRate(500_000)
	x.run(5*time.Second, nil)
	x.run(5*time.Second, nil)
	if _, _, again := x.since(x.now - 5*time.Second); again < 0.97*full {
		t.Errorf("%.0f bytes/s before the drop, %.0f when it has been over for 5 s", full, again)
	}
	if s := x.of(x.client).Stats().Path; s.Cause != netcode.RateFree {
		t.Errorf("the player's path: %+v", s)
	}
}

// A line that carries everything is used as if there were no pacing.
func TestFastLineIsNotPaced(t *testing.T) {
	for _, path := range []linksim.Path{linksim.Symmetric(linksim.Condition{Delay: 20 * time.Millisecond, Seed: 1}), seeds(1)} {
		m := newMatch(t, nil)
		a := m.join(path, nil)
		m.run(2*time.Second, nil)
		m.mustPlay()
		m.run(30*time.Second, func() {
			st := a.client.Stats()
			if s := m.of(a).Stats().Path; s.Cause != netcode.RateFree || st.Path.Cause != netcode.RateFree || st.Interval != time.Second/30 {
				t.Fatalf("at %v: down %+v, up %+v, an interval of %v", m.now, s, st.Path, st.Interval)
			}
		})
	}
}

// A path to the server that carries less than a packet of inputs in each step is not filled, and
// the inputs arrive in time.
func TestSlowUplink(t *testing.T) {
	for _, rate := range []int{1600, 1800, 2000} { // of payload, of which a clean line carries 1400
		m := newMatch(t, nil)
		way := linksim.Condition{Delay: 20 * time.Millisecond, Seed: 1}
		up := way
		up.Rate, up.Queue = rate, 256*1200
		a := m.join(linksim.Path{Send: up, Receive: way}, nil)
		n := uint32(0)
		a.input = func(at netcode.Tick) input {
			n = n*1664525 + 1013904223
			return input{X: int8(n>>16%3) - 1, Z: int8(n>>20%3) - 1}
		}
		m.run(20*time.Second, nil)
		m.mustPlay()
		before, sent := m.of(a).InputStats(), a.client.Stats().SentBytes
		m.run(30*time.Second, nil)
		after, st := m.of(a).InputStats(), a.client.Stats()
		missed := float64(after.Ticks-before.Ticks-(after.Received-before.Received)) / float64(after.Ticks-before.Ticks)
		if st.RTT > 300*time.Millisecond || missed > 0.05 {
			t.Errorf("%d bytes/s up: a round trip of %v, %.1f %% of the inputs missed, %.0f bytes/s sent, path %+v", rate, st.RTT, 100*missed, float64(st.SentBytes-sent)/30, st.Path)
		}
	}
}
