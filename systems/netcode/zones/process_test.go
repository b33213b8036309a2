package zones_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
)

var processBots = flag.Int("process-bots", 0, "players of each zone in TestProcesses, for minutes of real time; 0: two, for seconds, and one crash")

// TestProcesses runs four zones and three nodes of NATS in processes of their own, in real time,
// and kills and stops them. Figures that depend on the machine's speed are logged only.
func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds of real time")
	}
	f := newFleet(t, cmp.Or(*processBots, 2))
	f.mustPlay()
	f.wait(60*time.Second, "all bots cross borders", func() bool {
		return !slices.ContainsFunc(f.bots, func(b *bot) bool { return b.Stats().Moves == 0 })
	})
	if *processBots == 0 {
		f.killZone("se")
	} else {
		f.run(12 * time.Second) // the clocks come together
		const calm = 20 * time.Second
		late := f.cross(calm)
		f.killZone("se")
		for i := range f.nodes {
			f.killNode(i, calm, late)
		}
		f.stopZone("nw")
	}
	f.mustPlay()
	f.run(3 * time.Second)
	for _, p := range f.zones {
		p.end(syscall.SIGTERM)
	}
	f.checkTicks()
}

func (f *fleet) mustPlay() {
	f.t.Helper()
	f.wait(60*time.Second, "all bots play", func() bool { return f.playing() == len(f.bots) })
}

// cross lets the bots cross borders for a time, measures it, and returns how many steps were late.
func (f *fleet) cross(calm time.Duration) (late int) {
	t := f.t
	before := map[string]zones.Stats{}
	for name, p := range f.zones {
		l, _ := p.newest()
		before[name] = l.Stats
	}
	var start []netcode.ClientStats
	for _, b := range f.bots {
		start = append(start, b.Stats())
	}
	lateBefore, _ := f.late()
	f.longest = 0
	f.run(calm)
	lateCalm, latest := f.late()
	lateCalm -= lateBefore
	var moves, corrections uint64
	worst := 0.0
	for i, b := range f.bots {
		s := b.Stats()
		moves += s.Moves - start[i].Moves
		if s.Corrections != start[i].Corrections {
			corrections, worst = corrections+s.Corrections-start[i].Corrections, max(worst, s.CorrectionError)
		}
	}
	var frozen, latency zones.Ticks
	clocks := time.Duration(0)
	for name, p := range f.zones {
		l, _ := p.newest()
		for i := range frozen {
			frozen[i] += l.Stats.Frozen[i] - before[name].Frozen[i]
			latency[i] += l.Stats.Latency[i] - before[name].Latency[i]
		}
		clocks = max(clocks, l.Stats.ClockError.Abs())
	}
	t.Logf("%d bots in %v, frames up to %v: %d crossings, %d corrections (the last ones up to %.3f m); from offer to first tick p50 %d p99 %d ticks, frozen p99 %d max %d; clocks within %v; %d late steps, the latest by %v",
		len(f.bots), calm, f.longest, moves, corrections, worst, latency.Quantile(0.5), latency.Quantile(0.99), frozen.Quantile(0.99), frozen.Quantile(1), clocks, lateCalm, latest)
	if punctual := lateCalm == 0 && f.longest < time.Second/processRate; punctual && worst > 0.05 {
		t.Errorf("a correction of %.3f m, although all steps and frames were in time", worst)
	}
	return lateCalm
}

// killZone kills the process of a zone and begins it again in its folder.
func (f *fleet) killZone(name string) {
	t := f.t
	old, _ := f.zones[name].newest()
	f.zones[name].end(syscall.SIGKILL)
	killed := time.Now()
	f.begin(name, name)
	f.wait(60*time.Second, "the killed zone is back", func() bool { return f.active(name) })
	again := time.Since(killed)
	f.run(time.Second / 2)
	f.mustPlay()
	t.Logf("zone "+name+" killed, with %d entities: active after %v, all %d bots play after %v; its checkpoint was %v old",
		old.Stats.Owned, again, len(f.bots), time.Since(killed), old.Stats.CheckpointAge)
	f.run(5 * time.Second)
}

// killNode kills a node of NATS and begins it again. late steps were there in a time without it.
func (f *fleet) killNode(i int, calm time.Duration, late int) {
	t := f.t
	n, _ := f.late()
	f.nodes[i].end(syscall.SIGKILL)
	f.run(calm / 2)
	after, latest := f.late()
	if !f.active(all...) {
		t.Errorf("a zone stands since node %d of NATS was killed", i)
	}
	t.Logf("node %d of NATS killed for %v: %d late steps (in %v without: %d), the latest by %v; %d of %d bots play",
		i, calm/2, after-n, calm, late, latest, f.playing(), len(f.bots))
	f.nodes[i] = startNode(f, i)
	f.run(5 * time.Second)
}

// stopZone stops the process of a zone for 20 s. Another one takes the zone meanwhile, in another
// folder.
func (f *fleet) stopZone(name string) {
	t := f.t
	stopped := f.zones[name]
	if err := stopped.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	from := time.Now()
	f.begin(name, name+"-2")
	f.run(20 * time.Second)
	f.wait(60*time.Second, "another process has the stopped zone", func() bool { return f.active(name) })
	t.Logf("zone "+name+" stopped: another process simulates it after less than %v", time.Since(from))
	if err := stopped.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	f.wait(30*time.Second, "the stopped process ends", func() bool {
		select {
		case <-stopped.ended:
			return true
		default:
			return false
		}
	})
	if l, _ := stopped.newest(); !l.Fenced {
		t.Errorf("the stopped process has ended with %q, want ErrFenced", l.Err)
	}
}

// checkTicks checks that no entity was simulated by two processes in one tick, by what all of them
// have written.
func (f *fleet) checkTicks() {
	t := f.t
	doubled, gaps := 0, zones.Ticks{}
	for _, ticks := range f.simulated() {
		for _, n := range ticks {
			if n > 1 {
				doubled++
			}
		}
		sorted := slices.Sorted(maps.Keys(ticks))
		for i := 1; i < len(sorted); i++ {
			gaps[min(int(sorted[i]-sorted[i-1]-1), len(gaps)-1)]++
		}
	}
	if doubled > 0 {
		t.Errorf("%d times an entity was simulated by two processes in one tick", doubled)
	}
	t.Logf("of all ticks, crashes too: no entity had two owners; between two ticks of one were none in %d cases, some in %d, of which 63 or more in %d",
		gaps[0], sum(gaps[1:]), gaps[63])
}

func sum(of []uint32) (n uint32) {
	for _, v := range of {
		n += v
	}
	return n
}

// startNode begins a node of NATS again.
func startNode(f *fleet, i int) *process {
	return start(f.t, "nats", fmt.Sprint("node", i), f.node[i]...)
}
