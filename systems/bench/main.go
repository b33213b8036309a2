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
	"runtime"
	"slices"
	"strconv"
	"strings"
)

func main() {
	sizes := flag.String("n", "1000,10000,100000,1000000", "entities, separated by commas")
	rounds := flag.Int("rounds", 9, "rounds, of which the medians are shown")
	serve := flag.Bool("serve", false, "answer lines on standard input with rounds of 'name value' lines and 'end'")
	only := flag.String("only", "", "run the workloads whose name contains this")
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
	if len(loads) == 0 {
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
	fmt.Printf("Go %s, %s/%s; ns per entity of all, medians of %d rounds\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, *rounds)
	figures := map[*workload][]float64{}
	for round := range *rounds + 1 {
		for _, l := range loads {
			if v := l.round(); round > 0 { // the first one warms up
				figures[l] = append(figures[l], v)
			}
		}
	}
	check(loads)
	table(loads, figures)
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

// table prints a row per workload name and a column per size, with the factor to the peer below it.
func table(loads []*workload, figures map[*workload][]float64) {
	var names []string
	var sizes []int
	value := map[string]float64{}
	for _, l := range loads {
		if !slices.Contains(names, l.name) {
			names = append(names, l.name)
		}
		if !slices.Contains(sizes, l.n) {
			sizes = append(sizes, l.n)
		}
		f := figures[l]
		slices.Sort(f)
		value[fmt.Sprint(l.name, l.n)] = f[len(f)/2]
	}
	fmt.Printf("%-26s", "")
	for _, n := range sizes {
		fmt.Printf("%16d", n)
	}
	fmt.Println()
	for _, name := range names {
		fmt.Printf("%-26s", name)
		for _, n := range sizes {
			v := value[fmt.Sprint(name, n)]
			cell := fmt.Sprintf("%.3f", v)
			if peer := value[fmt.Sprint(peers[name], n)]; peer > 0 && v > 0 {
				cell += fmt.Sprintf(" (%.0fx)", peer/v)
			}
			fmt.Printf("%16s", cell)
		}
		fmt.Println()
	}
	fmt.Println("\nIn brackets: how many times faster than the query with QuatSlerp at the same share of moving entities.")
}
