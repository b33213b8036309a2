package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Cases 41 and 42 through both plugins, at 60 snapshots a second: 901 cubes that roll and bounce
// take at most 256 kbit of payload in any second, each is in a packet every 400 ms, and the
// client's newest state of each is never older than 2 s. At rest they take 15 kbit at most, the
// watching player included.
func TestCubesThroughPlugins(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine and much work: runs where the race detector does not")
	}
	const cubes, budget, second = 901, 256_000 / 8, time.Second
	tap := &tapped{}
	m := newMatchOf(t, newProtocol(t, netcode.Config{MaxEntities: 1024}), func(c *netcode.ServerConfig[runner, input]) {
		tap.Listener = c.Listener
		c.Listener = tap
		c.SnapshotRate, c.Bandwidth = 60, budget
	})
	var all []arche.Entity
	for i := range cubes {
		all = append(all, m.crate(kindCrate, components.At3D(float32(i%30)*0.8, 0, float32(i/30)*0.8)))
	}
	moving := false
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if !moving {
			return
		}
		now := m.engine.Time().StepEnd.Seconds()
		for i, e := range all {
			phase := now*(0.8+0.2*math.Sin(float64(i))) + float64(i)
			pose := components.At3D(float32(i%30)*0.8+float32(math.Sin(phase)), float32(math.Abs(math.Sin(phase))), float32(i/30)*0.8+float32(math.Cos(phase)))
			pose.Rotation = mgl32.QuatRotate(float32(phase), mgl32.Vec3{float32(math.Sin(float64(i))), float32(math.Cos(float64(i))), 0.3}.Normalize())
			m.transform(e).Set(pose)
		}
	}))
	var sent []struct {
		at    time.Duration
		bytes int
	}
	last, slowest := map[int]time.Duration{}, time.Duration(0)
	settled := false
	tap.sent = func(_ int, datagram []byte) {
		if datagram[0] != 0x53 {
			return
		}
		sent = append(sent, struct {
			at    time.Duration
			bytes int
		}{m.now, len(datagram)})
		_, records, err := scan(datagram)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if at, ok := last[r.slot]; ok && settled && moving {
				slowest = max(slowest, m.now-at)
			}
			last[r.slot] = m.now
		}
	}
	// worst returns the most bytes in any second from a time on.
	worst := func(since time.Duration) (most int) {
		for i, sum, from := 0, 0, 0; i < len(sent); i++ {
			sum += sent[i].bytes
			for sent[i].at-sent[from].at >= second-time.Millisecond || sent[from].at < since {
				// frames are a little shorter than a 120th
				sum -= sent[from].bytes
				if from++; from > i {
					break
				}
			}
			most = max(most, sum)
		}
		return most
	}
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Seed: 41}), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	moving = true
	m.run(3*time.Second, nil)
	settled = true
	since, stale := m.now, time.Duration(0)
	ages := make([]struct {
		state snapshot.State
		at    time.Duration
	}, cubes)
	m.run(15*time.Second, func() {
		for i, e := range all {
			s, ok := a.client.Newest(m.id(e))
			if !ok {
				t.Fatalf("cube %d is not there", i)
			}
			if s.Position != ages[i].state.Position || ages[i].at == 0 {
				ages[i].state, ages[i].at = s, m.now
			}
			stale = max(stale, m.now-ages[i].at)
		}
	})
	moved := worst(since)
	for slot, at := range last { // no cube may be left out at the end
		if len(last) >= cubes && slot < cubes {
			slowest = max(slowest, m.now-at)
		}
	}
	// bytes at most: the packet before the second may have had no room for a record, which its
	// successor then sends in addition
	const record = 24
	if moved > budget+record {
		t.Errorf("moving, %d bytes in a second, want %d at most", moved, budget)
	}
	if moved < budget/2 {
		t.Errorf("moving, only %d bytes in a second: the test shows nothing", moved)
	}
	if slowest > 400*time.Millisecond+time.Second/120 {
		t.Errorf("a moving cube was not sent for %v", slowest)
	}
	if stale > 2*second {
		t.Errorf("the client's newest state of a moving cube did not change for %v", stale)
	}
	moving = false
	m.run(3*time.Second, nil)
	since = m.now
	m.run(10*time.Second, nil)
	rest := worst(since)
	if rest > 15_000/8 {
		t.Errorf("at rest, %d bytes in a second, want %d at most", rest, 15_000/8)
	}
	t.Logf("moving: %.0f kbit/s at most, every cube within %v, news within %v; at rest: %.1f kbit/s", float64(moved)*8/1000, slowest, stale, float64(rest)*8/1000)
}
