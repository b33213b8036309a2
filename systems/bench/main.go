// Command bench measures what one frame and one fixed step of visual synchronisation cost per entity, through Engine.Update on an arche world, side by side
// with what one would write without Tandem: an arche query over previous and current poses and mgl32.QuatSlerp.
//
//	go run ./systems/bench                     a table
//	go run ./systems/bench -serve              answers each line on standard input with one round of figures, then "end":
//	                                           for a harness that interleaves several programs in one run
//
// All figures are nanoseconds per entity of all, moving or not; medians over rounds in which every workload runs in turn, so that drifts of the machine's
// speed meet all of them. Every Visual is checked after the timing.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	sizes := flag.String("n", "1000,10000,100000,1000000", "entities, separated by commas")
	rounds := flag.Int("rounds", 9, "rounds, of which the medians are shown")
	serve := flag.Bool("serve", false, "answer lines on standard input with rounds of 'name value' lines and 'end'")
	only := flag.String("only", "", "run the workloads whose name contains this")
	beside := flag.String("peers", "", "a program that answers lines as with -serve, to take turns with (tools/bench.sh builds the C++ one)")
	page := flag.String("page", "", "write the figures to this Markdown page, with a chart beside it")
	against := flag.String("check", "", "compare the ratios with those on this page instead, and fail if one is worse by more than a quarter")
	flag.Parse()
	if flag.NArg() > 0 {
		fail("unexpected argument %q; see -h", flag.Arg(0))
	}
	if *rounds < 1 {
		fail("-rounds %d; at least one is needed", *rounds)
	}
	var loads []*workload
	for _, s := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			fail("-n %q is not a list of positive numbers", *sizes)
		}
		loads = append(loads, workloads(n)...)
		loads = append(loads, hierarchies(n)...)
	}
	loads = slices.DeleteFunc(loads, func(l *workload) bool { return !strings.Contains(l.name, *only) })
	if len(loads) == 0 && *beside == "" {
		fail("-only %q matches none of the workloads", *only)
	}
	if *serve {
		in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
		for in.Scan() {
			for _, l := range loads {
				fmt.Fprintf(out, "%s.%d %.4f\n", l.name, l.n, l.round())
			}
			fmt.Fprintln(out, "end")
			out.Flush()
		}
		check(loads)
		return
	}
	var peer *peer
	if *beside != "" {
		peer = startPeer(*beside, *sizes)
	}
	r := newResults()
	for round := range *rounds + 1 {
		for _, l := range loads {
			if v := l.round(); round > 0 { // the first one warms up
				r.add(l.name, l.n, v)
			}
		}
		if peer != nil {
			peer.round(r, round > 0)
		}
	}
	check(loads)
	r.print(os.Stdout)
	if *against != "" {
		if err := r.compare(*against); err != nil {
			fail("%v", err)
		}
	}
	if *page != "" {
		if err := r.writePage(*page, *rounds); err != nil {
			fail("%v", err)
		}
		fmt.Println("\nwrote", *page)
	}
}

func check(loads []*workload) {
	for _, l := range loads {
		if err := l.check(); err != nil {
			fail("%s.%d drew a wrong value: %v", l.name, l.n, err)
		}
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
	os.Exit(2)
}
