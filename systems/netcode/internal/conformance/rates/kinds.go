package rates

import (
	"fmt"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// kindsTable is the name of the table that is not measured here but copied from
// docs/conformance.md.
const kindsTable = "kinds"

// pickedKinds are the kinds that a game may choose between. The others are there for comparison.
var pickedKinds = []interp.Kind{interp.Default, interp.Linear, interp.Naive, interp.Chase, interp.RacerSpline, interp.ProjectiveBlend, interp.OffsetDecay}

// The beginnings of the headings of the sections of docs/conformance.md that are copied.
const (
	smoothCircle = "base: 100±10 ms · M2,"
	smoothFlips  = "base: 100±10 ms · M3,"
	lossyFlips   = "seeds: 100±10 ms, 15 % loss · M3,"
)

// kindLines copies the figures of the kinds of interpolation from the page that `make conformance`
// writes beside this one.
func kindLines(conformance string) ([]string, error) {
	lines := []string{
		"| kind | drawn | lag p50 | circle | flips | flips at 15 % loss | jump at 15 % loss |",
		"|---|---|---:|---:|---:|---:|---:|",
	}
	for _, k := range pickedKinds {
		var cells [3][]string
		for i, row := range []string{smoothCircle, smoothFlips, lossyFlips} {
			_, section, _ := strings.Cut(conformance, "\n### "+row)
			section, _, _ = strings.Cut(section, "\n### ")
			_, line, found := strings.Cut(section, "\n| "+k.Display()+" | ")
			if line, _, _ = strings.Cut(line, " |\n"); !found {
				return nil, fmt.Errorf("rates: conformance.md has no line %q under %q; make it anew first", k.Display(), row)
			}
			cells[i] = strings.Split(line, " | ")
			if len(cells[i]) < 10 {
				return nil, fmt.Errorf("rates: the line %q under %q of conformance.md has %d figures", k.Display(), row, len(cells[i]))
			}
		}
		const worst, jump, lag = 1, 4, 8 // columns behind the name
		drawn := "newest"
		switch interp.New(k, interp.Config{}).Timing() {
		case interp.Delayed:
			drawn = "the past"
		case interp.Predictive:
			drawn = "the present"
		}
		lines = append(lines, "| "+strings.Join([]string{
			"`" + k.String() + "`", drawn, cells[1][lag], cells[0][worst], cells[1][worst], cells[2][worst], cells[2][jump],
		}, " | ")+" |")
	}
	return lines, nil
}
