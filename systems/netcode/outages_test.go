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
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Case 25: half a second of inputs is lost. Twelve are repeated, then the player stands. A round
// trip and 300 ms after the outage it runs again.
func TestInputOutage(t *testing.T) {
	for seed := range uint64(20) {
		m := newMatch(t, nil)
		a := m.join(linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Jitter: 5 * time.Millisecond, Seed: 500 + seed}), nil)
		a.input = func(netcode.Tick) input { return input{X: 1} }
		m.run(6*time.Second, nil)
		m.mustPlay()
		stats := m.of(a).InputStats()
		broken := a.Path
		broken.Send.Loss = 1
		if err := a.Conn.SetPath(broken); err != nil {
			t.Fatal(err)
		}
		told := 0
		m.run(500*time.Millisecond, func() { told = max(told, a.client.Stats().Missed) })
		if err := a.Conn.SetPath(a.Path); err != nil {
			t.Fatal(err)
		}
		m.run(400*time.Millisecond, func() { told = max(told, a.client.Stats().Missed) })
		during := m.of(a).InputStats()
		if n := during.Repeated - stats.Repeated; n < 12 || n > 14 {
			t.Errorf("seed %d: %d inputs repeated, want 12", seed, n)
		}
		if n := during.Idle - stats.Idle; n < 14 || n > 24 {
			t.Errorf("seed %d: %d ticks without input, want about 18", seed, n)
		}
		if told < 12 {
			t.Errorf("seed %d: the client was told of %d missed inputs, want more than 12", seed, told)
		}
		m.run(2*time.Second, nil)
		after := m.of(a).InputStats()
		if n := after.Repeated + after.Idle - during.Repeated - during.Idle; n > 0 {
			t.Errorf("seed %d: %d inputs missed later than a round trip and 300 ms after the outage", seed, n)
		}
		own, ok := a.client.State()
		if d := math.Abs(float64(own.X - m.of(a).State.X)); !ok || d > 6*0.3 {
			t.Errorf("seed %d: the client is %.2f m from the server, want at most its lead", seed, d)
		}
	}
}

// Case 29: a client that can receive only a quarter of the data gets the newest state, and no queue
// grows beyond that of its link.
func TestSlowReader(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine and much work: runs where the race detector does not")
	}
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Bandwidth = 32 << 10 })
	var moving []arche.Entity
	for i := range 400 {
		moving = append(moving, m.crate(kindCrate, components.At3D(float32(i), 0, 0)))
	}
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for i, e := range moving {
			m.transform(e).Set(components.At3D(float32(i), float32(m.engine.Time().Tick)*0.05, float32(math.Sin(float64(m.engine.Time().Tick)/20+float64(i)))))
		}
	}))
	path := linksim.Path{
		Send:    linksim.Condition{Delay: 50 * time.Millisecond, Seed: 61},
		Receive: linksim.Condition{Delay: 50 * time.Millisecond, Rate: 8 << 10, Queue: 4 << 10, Seed: 62},
	}
	slow, other := m.join(path, nil), m.join(perfect(), nil)
	m.run(10*time.Second, nil)
	m.mustPlay()
	worst := float32(0)
	m.run(10*time.Second, func() {
		e := moving[200]
		if s, ok := other.client.Newest(m.id(e)); ok {
			worst = max(worst, m.transform(e).Get().Position[1]-s.Position[1])
		}
	})
	if worst > 3*2 { // 2 s: every object is sent within that time
		t.Errorf("the other client's newest state of an entity is %.1f m old, want at most 6", worst)
	}
	stale := 0
	for _, e := range moving {
		s, ok := slow.client.Newest(m.id(e))
		if !ok || m.transform(e).Get().Position[1]-s.Position[1] > 3*10 {
			stale++
		}
	}
	st := slow.client.Stats()
	if stale > 0 {
		t.Errorf("of 400 entities the slow reader has %d older than 10 s", stale)
	}
	if st.RTT > 800*time.Millisecond || st.Delay > 2*time.Second {
		t.Errorf("the slow reader's round trip is %v and its view %v late: a queue has built up", st.RTT, st.Delay)
	}
	t.Logf("slow reader: round trip %v, delay %v, loss %.2f, %d snapshots", st.RTT, st.Delay, st.Loss, st.Snapshots)
}

// Case 30: the server pauses for two seconds. Clients wait. Afterwards no client sees a
// fast-forward, and all are as before within three seconds.
func TestServerPause(t *testing.T) {
	for seed := range uint64(20) {
		m := newMatch(t, nil)
		runner := m.crate(kindCrate, components.At3D(0, 0, 0))
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			m.transform(runner).Set(components.At3D(float32(6*m.engine.Time().StepEnd.Seconds()), 0, 0))
		}))
		a, b := m.join(seeds(600+2*seed), nil), m.join(seeds(601+2*seed), nil)
		a.input = func(netcode.Tick) input { return input{X: 1} }
		m.run(5*time.Second, nil)
		m.mustPlay()
		const frame = time.Second / 120
		var last mgl32.Vec3
		worst, first, held := float32(0), true, time.Duration(0)
		look := func() {
			at := b.visual(b.client.Replica(m.id(runner)))
			if !first {
				step := at.Sub(last).Len()
				if worst = max(worst, step); step < 0.001 {
					held += frame
				}
			}
			last, first = at, false
		}
		for range 240 {
			m.now += frame
			for _, p := range m.clients {
				p.engine.Update(frame)
			}
			look()
		}
		m.engine.Update(2 * time.Second) // it wakes, and has to drop most of the time
		m.run(3*time.Second, look)
		m.mustPlay()
		if limit := float32(6.0/120*1.1 + 0.05); worst > limit {
			t.Errorf("seed %d: others moved by %.3f m in a frame, want at most %.3f", seed, worst, limit)
		}
		if held < 1500*time.Millisecond {
			t.Errorf("seed %d: others stood still for %v of the 2 s", seed, held)
		}
		before := m.of(a).InputStats()
		m.run(2*time.Second, nil)
		after := m.of(a).InputStats()
		if n := after.Repeated + after.Idle - before.Repeated - before.Idle; n > 6 {
			t.Errorf("seed %d: 3 s after the pause %d inputs of 120 were missed", seed, n)
		}
	}
}

// Two matches with the same seeds are equal to the bit.
func TestMatchesRepeat(t *testing.T) {
	play := func() (states [3]runner, stats [3]netcode.ClientStats, server netcode.ServerStats) {
		m := newMatch(t, nil)
		for i := range 3 {
			p := m.join(seeds(uint64(90+i)), nil)
			p.input = func(at netcode.Tick) input { return input{X: int8((at/20+netcode.Tick(i))%3) - 1, Dash: at%50 == 0} }
		}
		m.run(12*time.Second, nil)
		for i, p := range m.clients {
			states[i], stats[i] = m.of(p).State, p.client.Stats()
		}
		return states, stats, m.server.Stats()
	}
	s1, c1, v1 := play()
	s2, c2, v2 := play()
	if s1 != s2 || c1 != c2 || v1 != v2 {
		t.Errorf("two runs with the same seeds differ:\n%+v\n%+v\n%+v\n%+v", s1, s2, c1, c2)
	}
}
