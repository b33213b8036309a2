package netcode_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// bustle is a match of bots that run and of crates, half of which move at a time.
type bustle struct{ players, crates int }

func (c bustle) String() string { return fmt.Sprintf("%dplayers,%dcrates", c.players, c.crates) }

func (c bustle) match(t testing.TB) *match {
	m := newMatch(t, func(s *netcode.ServerConfig[runner, input]) { s.MaxPlayers, s.SnapshotRate = 64, tickRate })
	for i := range c.players {
		m.bot(func(_ *serverPlayer, at netcode.Tick) input {
			x := (uint64(at)/40 + uint64(i)*7919) * 0x9e3779b97f4a7c15 >> 32
			return input{X: int8(x%3) - 1, Z: int8(x/3%3) - 1}
		})
	}
	r := rand.New(rand.NewPCG(1, 1))
	var moves []func()
	for range c.crates {
		e := m.crate(kindCrate, components.At3D(r.Float32()*200-100, 0, r.Float32()*200-100))
		v := mgl32.Vec3{r.Float32() - .5, 0, r.Float32() - .5}.Mul(4.0 / tickRate)
		n := 7 * r.IntN(100)
		moves = append(moves, func() {
			if n++; n%400 < 200 {
				p := m.transform(e).Get()
				p.Position = p.Position.Add(v)
				m.transform(e).Set(p)
			}
		})
	}
	m.onServer(func() {
		for _, move := range moves {
			move()
		}
	})
	m.run(time.Second, nil)
	return m
}

// step runs a step of the server.
func (m *match) step() { m.engine.Update(time.Second / tickRate) }

// recording returns a recording of so many ticks.
func (m *match) recording(t testing.TB, ticks int) *tapeFile {
	tape := &tapeFile{}
	file := replay.NewFile(tape, replay.Info{Game: "test", Version: "1"})
	if err := m.server.Record(file); err != nil {
		t.Fatal(err)
	}
	for range ticks {
		m.step()
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return tape
}

// A recording takes so many bytes a minute, and a seek decodes what is between its keyframe and the
// ticks ahead of its target: two seconds and eleven ticks at most.
func TestReplayCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("counts of one goroutine")
	}
	for _, test := range []struct {
		bustle
		most float64 // MB a minute
	}{{bustle{8, 24}, 0.3}, {bustle{8, 433}, 2.8}, {bustle{64, 433}, 9.5}} {
		const seconds = 6
		file := test.match(t).recording(t, seconds*tickRate)
		if mb := float64(file.Len()) * 60 / seconds / 1e6; mb > test.most {
			t.Errorf("%v: %.2f MB a minute, want at most %v", test.bustle, mb, test.most)
		} else {
			t.Logf("%v: %.2f MB a minute", test.bustle, mb)
		}
		tape := file.open(t)
		packets := map[netcode.Tick]uint64{}
		for c := tape.Cursor(); ; {
			f, ok := c.Next()
			if !ok {
				break
			}
			if f.Kind == replay.Snapshot {
				packets[f.Tick]++
			}
		}
		most := uint64(0)
		for first := tape.First(); first != tape.Last(); first++ {
			sum := uint64(0)
			for k := range 2*tickRate + 11 {
				sum += packets[first.Add(k)]
			}
			most = max(most, sum)
		}
		v := newViewerOf(t, tape, newProtocol(t, netcode.Config{}))
		v.step()
		r := rand.New(rand.NewPCG(2, 2))
		decoded := uint64(0)
		for range 10 {
			before := v.client.Stats().Snapshots
			v.client.Replay().Seek(time.Duration(r.Int64N(int64(tape.Length()))))
			v.step()
			decoded = max(decoded, v.client.Stats().Snapshots-before)
		}
		if decoded > most || decoded < most/8 {
			t.Errorf("%v: a seek decodes up to %d packets, want at most %d", test.bustle, decoded, most)
		}
	}
}

// BenchmarkSeekP95 seeks 300 times. Its time is the one that 95 of 100 seeks do not exceed: at most
// 15 ms with 8 players, and 30 ms with 64.
func BenchmarkSeekP95(b *testing.B) {
	for _, c := range []bustle{{8, 433}, {64, 433}} {
		b.Run(c.String(), func(b *testing.B) {
			tape := c.match(b).recording(b, 20*tickRate).open(b)
			v := newViewerOf(b, tape, newProtocol(b, netcode.Config{}))
			v.step()
			r := rand.New(rand.NewPCG(1, 1))
			var all []time.Duration
			for b.Loop() {
				all = all[:0]
				for range 300 {
					begin := time.Now()
					v.client.Replay().Seek(time.Duration(r.Int64N(int64(tape.Length()))))
					v.step()
					all = append(all, time.Since(begin))
				}
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)*95/100]), "ns/op")
		})
	}
}

// BenchmarkRecord compares a server that records with one that does not. Its time is the difference
// in a step: at most 0.3 ms with 64 players.
func BenchmarkRecord(b *testing.B) {
	for _, c := range []bustle{{8, 433}, {64, 433}} {
		b.Run(c.String(), func(b *testing.B) {
			plain, records := c.match(b), c.match(b)
			if err := records.server.Record(replay.NewRing(2 * time.Second)); err != nil {
				b.Fatal(err)
			}
			reportDifference(b, func() {}, records.step, plain.step)
		})
	}
}

// BenchmarkClientRecord compares a client that records with one that does not. Its time is the
// difference in a step with a snapshot.
func BenchmarkClientRecord(b *testing.B) {
	m := bustle{8, 433}.match(b)
	all := func(c *netcode.ClientConfig[runner, input]) { c.SnapshotRate = tickRate }
	plain, records := m.join(perfect(), all), m.join(perfect(), all)
	m.run(3*time.Second, nil)
	m.mustPlay()
	if err := records.client.Record(replay.NewRing(2 * time.Second)); err != nil {
		b.Fatal(err)
	}
	const frame = time.Second / tickRate
	reportDifference(b, m.step, func() { records.engine.Update(frame) }, func() { plain.engine.Update(frame) })
}

// reportDifference runs two functions by turns, and reports the median time of the one less that of
// the other.
func reportDifference(b *testing.B, before, one, other func()) {
	var times [2][]time.Duration
	for b.Loop() {
		for range 600 {
			before()
			for i, f := range []func(){one, other} {
				begin := time.Now()
				f()
				times[i] = append(times[i], time.Since(begin))
			}
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	half := len(times[0]) / 2
	b.ReportMetric(float64(times[0][half]-times[1][half]), "ns/op")
}
