// Package bench measures the cost per entity of one frame and of one fixed step of visual
// synchronisation, through Engine.Update on an arche world. Beside it runs the code that one would
// write without Tandem: an arche query over previous and current poses and mgl32.QuatSlerp.
//
//	go test ./systems/bench -run Measure -v -sizes 1000,100000 -rounds 9
//
// prints a table. Without flags the workloads run once, with few entities.
//
// Figures are nanoseconds per entity of all, moving or not. They are medians over rounds in which
// every workload runs in turn, so a drift of the machine's speed meets all of them. Every Visual is
// checked after the timing. tools/bench.sh builds the other programs that take turns, and has the
// page written.
package bench

import (
	"flag"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

var (
	sizeList     = flag.String("sizes", "100", "entities, separated by commas")
	rounds       = flag.Int("rounds", 1, "rounds, of which the medians are shown")
	peerCommands []string
	netcodePath  = flag.String("netcode", "", "take the netcode's figures from this output of go test -bench")
	serverPath   = flag.String("server", "", "take the figures of a server alone from such an output")
	browserPath  = flag.String("browser", "", "take the figures of frames in a browser from such an output")
	pagePath     = flag.String("page", "", "write the figures to this Markdown page, with a chart beside it")
	checkPath    = flag.String("check", "", "compare the ratios with those on this page instead, and fail if one is worse by more than the margin")
)

func init() {
	flag.Func("peers", "a command to take turns with (tools/bench.sh builds them); may be given several times", func(s string) error {
		peerCommands = append(peerCommands, s)
		return nil
	})
}

// Every workload draws the right values. With flags the test measures.
func TestMeasure(t *testing.T) {
	if *rounds < 1 {
		t.Fatalf("-rounds %d; at least one is needed", *rounds)
	}
	var sizes []int
	for _, s := range strings.Split(*sizeList, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			t.Fatalf("-sizes %q is not a list of positive numbers", *sizeList)
		}
		sizes = append(sizes, n)
	}
	r := newResults()
	if r.load = load(); r.busy() {
		t.Logf("the machine is busy with other things (load %.1f); figures will not be worth much", r.load)
	}
	for path, list := range map[string]*[]benchmark{*netcodePath: &r.netcode, *serverPath: &r.server, *browserPath: &r.browser} {
		if path == "" {
			continue
		}
		var err error
		if *list, err = readBenchmarks(path); err != nil {
			t.Fatal(err)
		}
	}
	var peers []*peer
	for _, command := range peerCommands {
		peers = append(peers, startPeer(t, command, *sizeList))
	}
	measure := func() { r.measure(t, sizes, peers) }
	measure()
	switch {
	case *checkPath != "":
		if err := r.compare(t.Output(), *checkPath, measure); err != nil {
			t.Fatal(err)
		}
	case *pagePath != "":
		r.waiting = measureWaiting(t)
		r.print(t.Output())
		if err := r.writePage(*pagePath, *rounds); err != nil {
			t.Fatal(err)
		}
		t.Log("wrote", *pagePath)
	default:
		r.print(t.Output())
	}
}

// measure runs the groups of workloads one after the other, since a million entities take some
// hundred megabytes in each. Peers take their turns with the first group.
func (r *results) measure(t *testing.T, sizes []int, peers []*peer) {
	for _, n := range sizes {
		r.group(t, n, workloads(t, n), peers)
		for _, s := range shapes {
			r.group(t, n, s.workloads(t, n), nil)
		}
	}
}

// group measures all workloads that are compared with each other. Each takes its turn in every
// round. The memory of all of them is given back at the end.
func (r *results) group(t *testing.T, n int, list []*workload, peers []*peer) {
	for round := range *rounds + 1 {
		keep := round > 0 // the first one warms up
		for _, l := range list {
			if v := l.round(); keep {
				r.add(l.name, n, v)
			}
		}
		for _, p := range peers {
			p.round(t, r, n, keep)
		}
	}
	for _, l := range list {
		if l.check == nil {
			continue
		}
		if err := l.check(); err != nil {
			t.Fatalf("%s.%d drew a wrong value: %v", l.name, n, err)
		}
	}
	for _, l := range list {
		if l.close != nil {
			l.close()
		}
	}
	clear(list)
	runtime.GC()
}
