package netcode_test

import (
	"math/rand/v2"
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

// shoved are crates that stand, are kicked, slide and stand again. As in most physics engines a
// standing one is awake for a while and is written in every step, with changes below a quantum.
type shoved struct {
	*match
	rng    *rand.Rand
	crates []arche.Entity
	at     []mgl32.Vec3
	speed  []mgl32.Vec3
	until  []int64                // the tick of the next kick
	truth  map[int64][]mgl32.Vec3 // the positions of all crates at a tick
}

func newShoved(t testing.TB, seed uint64, rate int) *shoved {
	s := &shoved{rng: rand.New(rand.NewPCG(seed, 8)), truth: map[int64][]mgl32.Vec3{}}
	s.match = newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.SnapshotRate = rate })
	for i := range 40 {
		at := mgl32.Vec3{float32(4 * i), 0, 30}
		s.crates = append(s.crates, s.crate(kindCrate, components.At3D(at[0], at[1], at[2])))
		s.at, s.speed, s.until = append(s.at, at), append(s.speed, mgl32.Vec3{}), append(s.until, s.rng.Int64N(120))
	}
	s.onServer(s.slide)
	s.engine.AddAt(ecs.FixedEnd, netcode.OrderReplicate+1, ecs.SystemFunc(func(*arche.World) {
		all := make([]mgl32.Vec3, len(s.crates))
		for i, e := range s.crates {
			all[i] = s.transform(e).Get().Position
		}
		s.truth[int64(s.server.Tick())+1] = all
	}))
	return s
}

func (s *shoved) slide() {
	const dt, friction = 1.0 / tickRate, 5.0 / tickRate
	now := int64(s.server.Tick())
	for i, e := range s.crates {
		v := &s.speed[i]
		if now == s.until[i] {
			*v = mgl32.Vec3{s.rng.Float32()*2 - 1, 0, s.rng.Float32()*2 - 1}.Normalize().Mul(1 + 3*s.rng.Float32())
		}
		s.at[i] = s.at[i].Add(v.Mul(dt))
		pose := components.At3D(s.at[i][0], s.at[i][1], s.at[i][2])
		if l := v.Len(); l > friction {
			*v = v.Mul(1 - friction/l)
		} else {
			if *v = (mgl32.Vec3{}); now >= s.until[i] {
				s.until[i] = now + 5 + s.rng.Int64N(120)
			}
			pose.Position[1] += 0.0004 * (s.rng.Float32() - 0.5)
		}
		s.transform(e).Set(pose)
	}
}

// stood reports whether a crate stands from one tick to another.
func (s *shoved) stood(i int, from, to int64) bool {
	for k := from; k <= to; k++ {
		if s.truth[k] == nil || s.truth[k][i].Sub(s.truth[to][i]).Len() > 0.002 {
			return false
		}
	}
	return true
}

// A crate that has stood for a tenth of a second is drawn at its place, up to the snapshot before
// the first one of its next motion, even while it is awake. If snapshots are lost it may be drawn
// off for as long as their contents are unknown.
func TestRestingBodiesAreDrawnAtTheirPlace(t *testing.T) {
	for _, test := range []struct {
		name string
		rate int
		path linkPath
		over float64 // the greatest share that may be more than 5 mm off
		most float64 // metres
		dry  float64 // the greatest share that may count as starved
	}{
		{"clean, 10 Hz", 10, linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond}), 0, 0.0025, 0.001},
		{"clean, 20 Hz", 20, linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond}), 0, 0.0025, 0.001},
		{"clean, 60 Hz", 60, linksim.Symmetric(linksim.Condition{Delay: 30 * time.Millisecond}), 0, 0.0025, 0.001},
		{"reordered, 60 Hz", 60, linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Jitter: 40 * time.Millisecond, Seed: 2}), 0, 0.005, 0.01},
		{"5 % lost, 30 Hz", 30, linksim.Symmetric(linksim.Condition{Delay: 40 * time.Millisecond, Loss: 0.05, Seed: 3}), 0.005, 0.05, 0.01},
	} {
		s := newShoved(t, 1, test.rate)
		a := s.join(test.path, nil)
		s.run(4*time.Second, nil)
		s.mustPlay()
		var off []float64
		over := 0
		sent := s.server.Stats()
		begin := a.client.Stats()
		a.afterStep(func() {
			view := a.client.View()
			k := int64(view * tickRate / time.Second)
			shot := k + 1 // the tick of the snapshot that the view reaches next
			for every := int64(tickRate / test.rate); shot%every != 0; shot++ {
			}
			for i, e := range s.crates {
				if r := a.replicaOf(s.match, e); !r.IsZero() && s.stood(i, k-tickRate/10, shot) {
					d := float64(a.logical(r).Sub(s.truth[k][i]).Len())
					if off = append(off, d); d > 0.005 {
						over++
					}
				}
			}
		})
		const seconds = 20
		s.run(seconds*time.Second, nil)
		slices.Sort(off)
		share, most := float64(over)/float64(len(off)), off[len(off)-1]
		st := a.client.Stats()
		starved := float64(st.Starved-begin.Starved) / float64(st.Sampled-begin.Sampled)
		t.Logf("%s: of %d p50 %.2f mm, p99 %.2f, p99.9 %.2f, max %.2f mm; %.3f %% over 5 mm; %.2f %% starved; %d B/s", test.name, len(off),
			1000*off[len(off)/2], 1000*off[len(off)*99/100], 1000*off[len(off)*999/1000], 1000*most, 100*share,
			100*starved, (s.server.Stats().SentBytes-sent.SentBytes)/seconds)
		if len(off) < 10000 {
			t.Errorf("%s: %d samples show nothing", test.name, len(off))
		}
		if share > test.over || most > test.most {
			t.Errorf("%s: %.3f %% of what stands is drawn more than 5 mm off, and at most %.1f mm; want %.3f %% and %.1f mm",
				test.name, 100*share, 1000*most, 100*test.over, 1000*test.most)
		}
		if starved > test.dry {
			t.Errorf("%s: %.2f %% count as starved, want %.2f %%", test.name, 100*starved, 100*test.dry)
		}
	}
}

// If inputs run on arrival, the age of a player's state changes without records. A player without
// records may be late instead of standing. So it gets no hold sample, and its next record does not
// lead back to a held place.
func TestPlayersOnArrivalGetNoHoldSample(t *testing.T) {
	for seed := range uint64(4) {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = netcode.OnArrival })
		a := m.join(linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.02, Seed: seed}), nil)
		b := m.join(linksim.Symmetric(linksim.Condition{Delay: 20 * time.Millisecond}), nil)
		a.input = func(t netcode.Tick) input { return input{X: []int8{1, 0, -1, 0}[t/40%4]} }
		m.run(4*time.Second, nil)
		m.mustPlay()
		var last mgl32.Vec3
		worst, frames := float32(0), 0
		m.run(20*time.Second, func() {
			at := b.visual(b.client.Replica(m.id(m.of(a).Entity)))
			if frames++; frames > 1 {
				worst = max(worst, at.Sub(last).Len())
			}
			last = at
		})
		if worst > 0.065 {
			// 6 m/s in frames of a 120th of a second, caught up a tenth faster, with a margin
			t.Errorf("seed %d: a player is seen to move %.3f m in a frame, truly 0.050", seed, worst)
		}
	}
}
