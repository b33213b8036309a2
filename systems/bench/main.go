// Command bench measures the cost per entity of one frame and of one fixed step of visual
// synchronisation, through Engine.Update on an arche world. Beside it runs the code that one would
// write without Tandem: an arche query over previous and current poses and mgl32.QuatSlerp.
//
//	go run ./systems/bench
//
// prints a table.
//
// Figures are nanoseconds per entity of all, moving or not. They are medians over rounds in which
// every workload runs in turn, so a drift of the machine's speed meets all of them. Every Visual is
// checked after the timing. tools/bench.sh builds the other programs that take turns, and has the
// page written.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

func main() {
	sizes := flag.String("n", "1000,10000,100000,1000000", "entities, separated by commas")
	rounds := flag.Int("rounds", 9, "rounds, of which the medians are shown")
	only := flag.String("only", "", "run the workloads whose name contains this")
	var beside []string
	flag.Func("peers", "a program to take turns with (tools/bench.sh builds them); may be given several times", func(s string) error {
		beside = append(beside, s)
		return nil
	})
	netcode := flag.String("netcode", "", "take the netcode's figures from this output of go test -bench")
	page := flag.String("page", "", "write the figures to this Markdown page, with a chart beside it")
	against := flag.String("check", "", "compare the ratios with those on this page instead, and fail if one is worse by more than the margin")
	flag.Parse()
	if flag.NArg() > 0 {
		fail("unexpected argument %q; see -h", flag.Arg(0))
	}
	if *rounds < 1 {
		fail("-rounds %d; at least one is needed", *rounds)
	}
	var ns []int
	for _, s := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			fail("-n %q is not a list of positive numbers", *sizes)
		}
		ns = append(ns, n)
	}
	r := newResults()
	if r.load = load(); r.busy() {
		fmt.Fprintf(os.Stderr, "bench: the machine is busy with other things (load %.1f); figures will not be worth much\n", r.load)
	}
	if *netcode != "" {
		var err error
		if r.netcode, err = readNetcode(*netcode); err != nil {
			fail("%v", err)
		}
	}
	var peers []*peer
	for _, program := range beside {
		peers = append(peers, startPeer(program, *sizes))
	}
	measure(r, ns, *rounds, *only, peers)
	if len(r.names) == 0 {
		fail("-only %q matches none of the workloads", *only)
	}
	switch {
	case *against != "":
		again := func() { measure(r, ns, *rounds, *only, peers) }
		if err := r.compare(*against, again); err != nil {
			fail("%v", err)
		}
	case *page != "":
		r.waiting = measureWaiting()
		r.print(os.Stdout)
		if err := r.writePage(*page, *rounds); err != nil {
			fail("%v", err)
		}
		fmt.Println("\nwrote", *page)
	default:
		r.print(os.Stdout)
	}
}

// measure runs the groups of workloads one after the other, since a million entities take some
// hundred megabytes in each. A group holds all workloads that are compared with each other. Within
// a group every workload takes its turn in every round.
func measure(r *results, sizes []int, rounds int, only string, peers []*peer) {
	for _, n := range sizes {
		for k, group := range groups(n) {
			all := group()
			// The others stay open, since two workloads may share an engine.
			loads := slices.DeleteFunc(slices.Clone(all), func(l *workload) bool { return !strings.Contains(l.name, only) })
			for round := range rounds + 1 {
				for _, l := range loads {
					if v := l.round(); round > 0 { // the first one warms up
						r.add(l.name, l.n, v)
					}
				}
				for _, p := range peers {
					if k == 0 {
						p.round(r, n, round > 0)
					}
				}
			}
			finish(loads, all)
		}
	}
}

// groups are functions that make the workloads of one size. Peers take their turns with the first
// group.
func groups(n int) []func() []*workload {
	list := []func() []*workload{func() []*workload { return workloads(n) }}
	for _, shape := range shapes {
		list = append(list, func() []*workload { return hierarchies(n, shape) })
	}
	return list
}

// finish checks the pictures of the measured workloads and gives the memory of all workloads back.
func finish(loads, all []*workload) {
	for _, l := range loads {
		if l.check == nil {
			continue
		}
		if err := l.check(); err != nil {
			fail("%s.%d drew a wrong value: %v", l.name, l.n, err)
		}
	}
	for _, l := range all {
		if l.close != nil {
			l.close()
		}
	}
	clear(loads)
	clear(all)
	runtime.GC()
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
	os.Exit(2)
}
