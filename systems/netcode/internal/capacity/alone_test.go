package capacity

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

const (
	warming = 4 * tickRate // ticks before the measuring
	rounds  = 5
	round   = 2 * tickRate // ticks of a round
)

// measured is a scene and its figures.
type measured struct {
	*scene
	megabytes float64
	medians   []time.Duration // of the rounds' ticks
	means     []time.Duration
	used      []time.Duration // of processors, in a tick
	ticks     []time.Duration
	packets   uint64
	bytes     uint64
}

// start makes a scene of a server with workers, and runs it until all play and know what is near.
func start(b *testing.B, c setting, workers int) *measured {
	b.Helper()
	before := heap()
	m := &measured{scene: newScene(b, c, func(_ *scene, c *serverConfig) { c.Workers = workers })}
	for range warming {
		m.tick()
	}
	if n := m.server.Stats().Players; n != c.players {
		b.Fatalf("%d of %d ghosts play", n, c.players)
	}
	m.megabytes = float64(heap()-before) / 1e6
	for _, g := range m.ghosts[:decoding] {
		g.records, g.packets = 0, 0 // of the first snapshots
	}
	return m
}

func heap() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// round runs a round and keeps its figures.
func (m *measured) round() {
	before, used := m.server.Stats(), m.scene.used
	list := make([]time.Duration, round)
	sum := time.Duration(0)
	for i := range list {
		list[i] = m.tick()
		sum += list[i]
	}
	after := m.server.Stats()
	m.used = append(m.used, (m.scene.used-used)/round)
	m.packets += after.Sent - before.Sent
	m.bytes += after.SentBytes - before.SentBytes
	m.ticks = append(m.ticks, list...)
	slices.Sort(list)
	m.medians, m.means = append(m.medians, list[round/2]), append(m.means, sum/round)
}

// records returns the mean number of records in a packet.
func (m *measured) records(b *testing.B) float64 {
	b.Helper()
	records, packets := 0, 0
	for _, g := range m.ghosts[:decoding] {
		if g.broken > 0 {
			b.Fatalf("%d packets could not be decoded", g.broken)
		}
		records, packets = records+g.records, packets+g.packets
	}
	return float64(records) / float64(packets)
}

// report reports the figures of the fastest round. Times of ticks include those without snapshots.
func (m *measured) report(b *testing.B) {
	perTick := float64(slices.Min(m.means))
	slices.Sort(m.ticks)
	snapshots := float64(m.players*snapshotRate) / tickRate
	packets := float64(m.packets) / (rounds * round)
	b.ReportMetric(0, "ns/op") // of the whole scene, which tells nothing
	b.ReportMetric(float64(slices.Min(m.medians))/1e6, "ms/tick")
	b.ReportMetric(float64(slices.Min(m.used))/1e6, "cpu-ms/tick")
	b.ReportMetric(100*float64(m.ticks[len(m.ticks)*99/100])*tickRate/1e9, "%p99")
	b.ReportMetric(perTick/snapshots/1e3, "µs/snapshot")
	b.ReportMetric(perTick/snapshots/float64(m.entities), "ns/entity")
	b.ReportMetric(perTick/packets/m.records(b), "ns/record")
	b.ReportMetric(perTick*rounds*round/float64(m.bytes), "ns/B")
	b.ReportMetric(m.megabytes, "MB")
	b.Logf("hash of all bytes: %016x", m.hash())
}

// BenchmarkServerAlone measures Engine.Update of a server in virtual time, over loopback.
func BenchmarkServerAlone(b *testing.B) {
	for _, players := range []int{64, 128, 256, 500} {
		for _, entities := range []int{500, 2000, 5000} {
			b.Run(fmt.Sprintf("%dx%d", players, entities), func(b *testing.B) {
				alone(b, setting{players: players, entities: entities, sight: 100}, 1)
			})
		}
	}
	b.Run("500x2000,sight=250", func(b *testing.B) { alone(b, setting{players: 500, entities: 2000, sight: 250}, 1) })
	b.Run("500x2000,workers=2", func(b *testing.B) { alone(b, setting{players: 500, entities: 2000, sight: 100}, 1, 2) })
}

// alone measures a scene with some numbers of workers, which take turns. It reports the last one.
func alone(b *testing.B, c setting, workers ...int) {
	for range b.N {
		var all []*measured
		for _, n := range workers {
			all = append(all, start(b, c, n))
		}
		for range rounds {
			for _, m := range all {
				m.round()
			}
		}
		first, last := all[0], all[len(all)-1]
		if first != last {
			b.ReportMetric(float64(slices.Min(last.medians))/float64(slices.Min(first.medians)), "of-one")
		}
		if one, many := first.hash(), last.hash(); one != many {
			b.Errorf("the bytes depend on the number of workers: %x, %x", one, many)
		}
		last.report(b)
		for _, m := range all {
			m.engine.Close()
		}
	}
}
