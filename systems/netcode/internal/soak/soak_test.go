// Package soak plays a long match of many clients over bad links, in virtual time. It measures the
// server's tick, and fails when memory or goroutines grow.
//
//	go test ./systems/netcode/internal/soak -v -bots 64 -entities 500 -duration 3m -seed 1
//
// The bots run in the same process, over simulated links with delay, jitter and loss. Now and then
// one freezes, loses its connection or leaves. Strangers and players send garbage. Only the
// server's steps are measured, in real time. Without flags the match is small and short.
package soak

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

var (
	bots     = flag.Int("bots", 8, "number of clients, 1 to 1024")
	entities = flag.Int("entities", 60, "number of replicated entities beside the players, three of four of which move; at most 20000")
	duration = flag.Duration("duration", 45*time.Second, "length of the match, in its own time; at least 40s")
	seed     = flag.Uint64("seed", 1, "seed of links, faults and bots")
)

// The heap and the number of goroutines do not grow, and every bot plays at the end.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a minute")
	}
	c := config{*bots, *entities, *duration, *seed}
	if c.bots < 1 || c.bots > 1024 || c.entities < 0 || c.entities > 20000 || c.duration < warmUp+10*time.Second {
		t.Fatalf("use 1 to 1024 bots, up to 20000 entities, and a duration of at least %v", warmUp+10*time.Second)
	}
	if err := run(t, c); err != nil {
		t.Errorf("seed %d: %v", c.seed, err)
	}
}

const tickRate = 60

// warmUp is the time after which all bots are in and every buffer has its size.
const warmUp = 30 * time.Second

func run(t *testing.T, c config) error {
	m, err := newMatch(c)
	if err != nil {
		return err
	}
	if err := m.play(warmUp); err != nil {
		return err
	}
	start := measure()
	ticks, sent := len(m.steps), m.server.Stats().SentBytes
	if err := m.play(c.duration - warmUp); err != nil {
		return err
	}
	m.faults = false
	if err := m.play(15 * time.Second); err != nil { // players that are away come back
		return err
	}
	end := measure()
	steps := slices.Sorted(slices.Values(m.steps[ticks:]))
	budget := time.Second / tickRate
	p50, p99 := steps[len(steps)/2], steps[len(steps)*99/100]
	span := (c.duration - warmUp + 15*time.Second).Seconds()
	s := m.server.Stats()
	t.Logf("%d bots, %d entities, %v of play, seed %d", c.bots, s.Entities, c.duration, c.seed)
	t.Logf("tick: p50 %v, p99 %v, worst %v of a budget of %v (p99 %.0f %%)", p50, p99, steps[len(steps)-1], budget, 100*p99.Seconds()/budget.Seconds())
	t.Logf("bytes down per client and second: %.0f", float64(s.SentBytes-sent)/span/float64(c.bots))
	t.Logf("allocations per tick: %.2f in the server's steps, faults and joins included; %.2f in the quietest half of the seconds", m.allocations(ticks), m.quiet(ticks))
	t.Logf("heap: %.2f MB at the start, %.2f MB at the end; goroutines: %d, %d", mb(start.heap), mb(end.heap), start.goroutines, end.goroutines)
	t.Logf("faults: %d freezes, %d outages, %d leaves, %d garbage datagrams; server: %+v", m.freezes, m.outages, m.leaves, m.garbage, s)
	if grown := int64(end.heap) - int64(start.heap); grown > int64(start.heap)/10+1<<20 {
		return fmt.Errorf("the heap has grown by %.2f MB", float64(grown)/(1<<20))
	}
	if end.goroutines > start.goroutines {
		return fmt.Errorf("%d goroutines at the end, %d at the start", end.goroutines, start.goroutines)
	}
	return m.check()
}

type size struct {
	heap       uint64
	goroutines int
}

func measure() size {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return size{s.HeapAlloc, runtime.NumGoroutine()}
}

func mb(bytes uint64) float64 { return float64(bytes) / (1 << 20) }
