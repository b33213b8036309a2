// Command soak plays a long match of many clients over bad links, in virtual time. It measures the
// server's tick and fails when memory or goroutines grow.
//
//	go run ./systems/netcode/internal/soak -bots 64 -entities 500 -duration 3m -seed 1
//
// The bots run in the same process, over simulated links with delay, jitter and loss. Now and then
// one freezes, loses its connection or leaves. Strangers and players send garbage. Only the
// server's steps are measured, in real time. The program prints the figures. It ends with status 1
// if the heap or the number of goroutines has grown, or if a bot does not play at the end.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

func main() {
	c := config{}
	flag.IntVar(&c.bots, "bots", 64, "number of clients")
	flag.IntVar(&c.entities, "entities", 500, "number of replicated entities beside the players, three of four of which move")
	flag.DurationVar(&c.duration, "duration", 3*time.Minute, "length of the match, in its own time")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of links, faults and bots")
	flag.Parse()
	if c.bots < 1 || c.bots > 1024 || c.entities < 0 || c.entities > 20000 || c.duration < warmUp+10*time.Second {
		fmt.Fprintf(os.Stderr, "soak: use 1 to 1024 bots, up to 20000 entities, and a duration of at least %v\n", warmUp+10*time.Second)
		os.Exit(2)
	}
	if err := run(c); err != nil {
		fmt.Fprintf(os.Stderr, "soak: seed %d: %v\n", c.seed, err)
		os.Exit(1)
	}
}

const tickRate = 60

// warmUp is the time after which all bots are in and every buffer has its size.
const warmUp = 30 * time.Second

func run(c config) error {
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
	fmt.Printf("%d bots, %d entities, %v of play, seed %d\n", c.bots, s.Entities, c.duration, c.seed)
	fmt.Printf("tick: p50 %v, p99 %v, worst %v of a budget of %v (p99 %.0f %%)\n", p50, p99, steps[len(steps)-1], budget, 100*p99.Seconds()/budget.Seconds())
	fmt.Printf("bytes down per client and second: %.0f\n", float64(s.SentBytes-sent)/span/float64(c.bots))
	fmt.Printf("allocations per tick: %.2f in the server's steps, faults and joins included; %.2f in the quietest half of the seconds\n", m.allocations(ticks), m.quiet(ticks))
	fmt.Printf("heap: %.2f MB at the start, %.2f MB at the end; goroutines: %d, %d\n", mb(start.heap), mb(end.heap), start.goroutines, end.goroutines)
	fmt.Printf("faults: %d freezes, %d outages, %d leaves, %d garbage datagrams; server: %+v\n", m.freezes, m.outages, m.leaves, m.garbage, s)
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
