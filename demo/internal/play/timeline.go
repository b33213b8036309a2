package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/output"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

// ownBody is the name of the player whose client was captured.
const ownBody = "own"

// Timeline runs a capture again, and tells why a body moved as it did on that screen.
func Timeline(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	set := flags.New("timeline")
	var body, to string
	var from, until time.Duration
	set.StringVar(&body, "body", ownBody, "`name` of the body: own, player-7, crate-12, or the number of an entity; a wrong one lists all")
	set.StringVar(&to, "o", "", "`file` to write: .html for a page with plots, .json for Perfetto's viewer; without it a summary is printed")
	set.DurationVar(&from, "from", 0, "`time` at which the timeline begins")
	set.DurationVar(&until, "to", 0, "`time` at which it ends; 0: the end of the capture")
	name := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	const head = "Why a body moved as it did, from a file of demo client -capture FILE.\n\n    go run ./demo timeline FILE [flags]\n"
	if err := set.Read(args, stdout, head, ""); err != nil {
		return err
	}
	kind := filepath.Ext(to)
	switch {
	case name == "":
		return badf("timeline without a file: name the capture first, as in demo timeline FILE -body player-2")
	case to != "" && kind != ".html" && kind != ".json":
		return badf("-o %s: its name ends in .html or .json", to)
	case from < 0 || until < 0 || until != 0 && until <= from:
		return badf("-from %v -to %v: times in the capture, the lesser one first", from, until)
	}
	tape, err := replay.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return badf("%v", err)
	}
	if err != nil {
		return err
	}
	defer tape.Close()
	if kind := tape.Info().Kind; kind != replay.Exact {
		return fmt.Errorf("%s is a recording of a %s, and a timeline needs a capture: record one with demo client -capture FILE", name, clean(string(kind)))
	}
	log, different, err := bodyTimeline(ctx, tape, body)
	if err != nil {
		return err
	}
	if _, end := log.Span(); from > end {
		return badf("-from %v: the capture is %v long", from, end.Round(100*time.Millisecond))
	} else if from != 0 || until != 0 {
		log = log.Clip(from, cmp.Or(until, end))
	}
	if to == "" {
		summarize(stdout, body, log)
	} else if err := export(log, to, fmt.Sprintf("Why %s moved so: %s", body, filepath.Base(name))); err != nil {
		return err
	} else {
		fmt.Fprintf(stdout, "wrote %s\n", to)
	}
	if different != nil { // all of it may be wrong
		return fmt.Errorf("%w (it was captured by build %s, and this is build %s)", different, clean(tape.Info().Version), buildVersion())
	}
	return nil
}

// bodyTimeline runs a capture twice: to learn which entities a name stands for, and to watch them.
// It also returns the error of a rerun that differs from what was captured.
func bodyTimeline(ctx context.Context, tape *replay.Tape, body string) (log *timeline.Log, different, err error) {
	names := map[string][]netcode.EntityID{ownBody: nil} // a log always has the own player
	if _, err := runCapture(ctx, tape, nil, func(c *view.Client) {
		c.Bodies(func(name string, id netcode.EntityID) {
			if !slices.Contains(names[name], id) {
				names[name] = append(names[name], id)
			}
		})
	}); err != nil {
		return nil, nil, err
	}
	ids, known := names[body]
	if n, err := strconv.ParseUint(body, 10, 32); err == nil && !known {
		for _, all := range names {
			if slices.Contains(all, netcode.EntityID(n)) {
				ids, known = []netcode.EntityID{netcode.EntityID(n)}, true
			}
		}
	}
	if !known {
		return nil, nil, badf("-body %s: there is no such body in the capture; there are %s", body, strings.Join(sortedNames(names), ", "))
	}
	log = timeline.New(logSize(tape.Length(), len(ids)))
	for _, id := range ids {
		log.Names[id] = body
	}
	rerun, err := runCapture(ctx, tape, func(c *view.Client) { c.Net().Watch(log, ids...) }, nil)
	if err != nil {
		return nil, nil, err
	}
	return log, rerun.Err(), nil
}

// sortedNames returns the names in the order of their kinds and numbers.
func sortedNames(names map[string][]netcode.EntityID) []string {
	return slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		kind := func(s string) string { return strings.TrimRight(s, "-0123456789") }
		return cmp.Or(cmp.Compare(kind(a), kind(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// logSize returns a number of events that is enough for a capture. A client writes about 300 a
// second with one body, and a body about 100.
func logSize(length time.Duration, bodies int) int {
	return min(1<<12+int(length.Seconds())*(400+200*bodies), 1<<23)
}

// runCapture runs a capture, with calls before the first frame and after each.
func runCapture(ctx context.Context, tape *replay.Tape, before, each func(c *view.Client)) (*netcode.Rerun, error) {
	c, err := view.New(view.Config{Rerun: tape, Rate: tape.Info().Rate, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if before != nil {
		before(c)
	}
	for d := range c.Net().Rerun().Frames() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.Advance(d); each != nil {
			each(c)
		}
	}
	return c.Net().Rerun(), nil
}

// summarize prints what a timeline holds: how often and how long each thing was, and the least and
// the most of each line.
func summarize(out io.Writer, body string, log *timeline.Log) {
	from, to := log.Span()
	fmt.Fprintf(out, "%s, %.1f to %.1f s\n", body, from.Seconds(), to.Seconds())
	for _, t := range log.Tracks() {
		fmt.Fprintf(out, "%s\n", t.Name)
		for _, row := range t.Rows() {
			n, longest, sum := 0, timeline.Slice{}, time.Duration(0)
			for _, s := range t.Slices {
				if s.Name == row {
					n++
					if sum += s.To - s.From; s.To-s.From > longest.To-longest.From {
						longest = s
					}
				}
			}
			for _, m := range t.Marks {
				if m.Name == row {
					n++
				}
			}
			fmt.Fprintf(out, "  %-14s %6d", row, n)
			if sum > 0 {
				fmt.Fprintf(out, ", the longest %.3f s at %.3f s", (longest.To - longest.From).Seconds(), longest.From.Seconds())
			}
			fmt.Fprintln(out)
		}
		for _, chart := range t.Charts {
			for _, line := range chart.Lines {
				least, most := math.Inf(1), math.Inf(-1)
				for _, p := range line.Points {
					if p.Value == p.Value {
						least, most = min(least, p.Value), max(most, p.Value)
					}
				}
				if least <= most {
					fmt.Fprintf(out, "  %-22s %.4g to %.4g %s\n", strings.TrimSpace(chart.Name+" "+line.Name), least, most, chart.Unit)
				}
			}
		}
	}
}

// export writes a timeline into a file, in the form that the end of its name says.
func export(log *timeline.Log, name, title string) error {
	file, err := os.Create(name)
	if err != nil {
		return &output.BadFile{Flag: "o", Err: err}
	}
	if filepath.Ext(name) == ".json" {
		err = log.WriteChrome(file)
	} else {
		err = log.WriteHTML(file, title)
	}
	return cmp.Or(err, file.Close())
}
