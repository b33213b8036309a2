package rates

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/internal/markdown"
)

const remedy = "run `make conformance` (or go run ./systems/netcode/internal/conformance/cmd -rates, under a minute) and commit docs/tuning.md"

func read(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../../../../docs/" + name)
	if err != nil {
		t.Fatalf("%v: %s", err, remedy)
	}
	return string(page)
}

// between returns the lines of a table on the page.
func between(t *testing.T, page, table string) []string {
	t.Helper()
	from, to, err := find(page, table)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(page[from:to]), "\n")
}

// key returns the beginning of a row's line.
func key(r *Row) string { return markdown.Row(r.Labels) }

// The committed page has every row of every table, in order, and nothing else.
func TestCommittedTablesAreComplete(t *testing.T) {
	page := read(t, "tuning.md")
	for _, table := range Tables() {
		lines := between(t, page, table.Name)
		if len(lines) != len(table.Rows)+2 {
			t.Errorf("table %s has %d lines, want %d: %s", table.Name, len(lines), len(table.Rows)+2, remedy)
			continue
		}
		if want := "| " + strings.Join(table.head(), " | ") + " |"; lines[0] != want {
			t.Errorf("table %s begins with %q, want %q: %s", table.Name, lines[0], want, remedy)
		}
		for i := range table.Rows {
			if !strings.HasPrefix(lines[i+2], key(&table.Rows[i])+" ") {
				t.Errorf("table %s, row %d is %q, want %q in front: %s", table.Name, i+1, lines[i+2], key(&table.Rows[i]), remedy)
			}
		}
	}
}

// The committed figures match the code. Some rows are measured again with all their seeds, and must
// be equal to the letter.
func TestCommittedTablesAreTheCodes(t *testing.T) {
	page := read(t, "tuning.md")
	again := []string{"home/30 Hz/10 Hz", "mobile/60 Hz/60 Hz", "actions/Seeds/10 Hz", "games/strategy/10 Hz/5 Hz/10 Hz/150/Home"}
	if testing.Short() {
		again = again[:1]
	}
	for _, name := range again {
		found := false
		for _, table := range Tables() {
			lines := between(t, page, table.Name)
			for i := range table.Rows {
				if table.Name+"/"+strings.Join(table.Rows[i].Labels, "/") != name {
					continue
				}
				found = true
				alone := table
				alone.Rows = table.Rows[i : i+1]
				got := markdown.Row(alone.filled(measure(alone.Rows, nil)).Rows[0])
				if len(lines) <= i+2 || lines[i+2] != got {
					t.Errorf("table %s: the code now gives\n%s\n%s", table.Name, got, remedy)
				}
			}
		}
		if !found {
			t.Errorf("there is no row %s to measure again", name)
		}
	}
}

// The page quotes the kinds of interpolation and the lines from the other page unchanged.
func TestCommittedQuotes(t *testing.T) {
	page, report := read(t, "tuning.md"), read(t, "conformance.md")
	for _, q := range quotes {
		table, err := q.copy(report)
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Rows) < len(pickedKinds) || len(table.Rows[0]) != len(table.Head) {
			t.Errorf("%s: %d rows, the first with the figures %q", q.name, len(table.Rows), table.Rows[0])
		}
		if got := between(t, page, q.name); strings.Join(got, "\n") != table.String() {
			t.Errorf("the %s are not those of conformance.md: %s", q.name, remedy)
		}
	}
}

// cells returns a committed row's figures by column, numbers only.
func cells(t *testing.T, table *Table, line string) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for i, cell := range strings.Split(strings.Trim(line, "| "), " | ") {
		number, _, _ := strings.Cut(cell, " ")
		if v, err := strconv.ParseFloat(number, 64); err == nil {
			values[table.head()[i]] = v
		} else if i >= len(table.Rows[0].Labels) {
			t.Fatalf("table %s: %q is no figure", table.Name, cell)
		}
	}
	return values
}

// The page's rules of thumb hold in every row of its tables.
func TestRulesOfThumbHold(t *testing.T) {
	page := read(t, "tuning.md")
	near := func(what string, got, least, most float64) {
		t.Helper()
		if !(got >= least && got <= most) {
			t.Errorf("%s: %.1f, and the page says %.0f to %.0f", what, got, least, most)
		}
	}
	checked := 0
	for _, table := range Tables() {
		lines := between(t, page, table.Name)
		for i := range table.Rows {
			row, v := &table.Rows[i], cells(t, &table, lines[i+2])
			s := &row.Setting
			what := table.Name + " " + key(row)
			way := s.Network.Path.Delay.Seconds() * 1000
			packets := s.ActionRate
			if packets == 0 {
				packets = s.TickRate
			}
			interval, packet, tick := 1000/float64(s.SnapshotRate), 1000/float64(packets), 1000/float64(s.TickRate)
			if lag, ok := v["lag p50"]; ok && table.Name != "frames" {
				least := waitsFor(&s.Network, s.SnapshotRate).Seconds() * 1000
				near(what+" waits", lag-way, least-5, max(least+35, 3*interval))
				checked++
			}
			if lead, ok := v["lead"]; ok && table.Name != "frames" {
				carried := map[string]float64{"LAN": 1, "Home": 2, "Mobile": 3, "Seeds": 4}[s.Network.Name]
				if early, most := (carried-1)*packet+(packet-tick)+1000.0/60, 32*tick; early > most {
					near(what+" waiting", lead-way-most, 0, 65)
				} else {
					near(what+" jitter and waiting", lead-way-early, 0, 45)
				}
				checked++
			}
			lag, hasLag := v["lag p50"]
			lead, hasLead := v["lead"]
			if hasLag && hasLead {
				near(what+" enemy's age less lead and lag", v["enemy's age"]-lead-lag, -30, 40)
				if p95, ok := v["p95"]; ok {
					lag = p95 // the rewind is a 95th percentile
				}
				near(what+" rewind less lead and lag", v["rewind"]-lead-lag, -30, 40)
				checked++
			}
			if size, ok := v["bytes of a snapshot"]; ok {
				near(what+" bytes against the formula", size-45-3.25*float64(s.Bodies+2), -4, 4)
				near(what+" bytes a second against the formula", v["down"]*1000-float64(s.SnapshotRate)*(66+45+3.25*float64(s.Bodies+2)), -150, 150)
				checked++
			}
			if _, ok := v["rewind"]; ok && len(table.Name) > 2 && s.ActionRate == 0 && table.Name != "frames" {
				short := s.Network.Name == "Seeds" && (s.SnapshotRate < 20 || s.SnapshotRate < 30 && s.TickRate == 30) ||
					s.Network.Name == "Mobile" && s.SnapshotRate < 20 && s.TickRate == 30
				if (v["rewind"] > 500) != short {
					t.Errorf("%s: a rewind of %.0f ms, and the page says of 500 ms that it is enough: %v", what, v["rewind"], !short)
				}
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d figures were checked", checked)
	}
}

// waitsFor is the page's rule for how long a view waits for snapshots.
func waitsFor(n *Network, snapshots int) time.Duration {
	interval := time.Second / time.Duration(snapshots)
	intervals := time.Duration(2)
	switch {
	case n.Path.Loss == 0:
		intervals = 1
	case n.Path.Loss == 0.15 && snapshots >= 30:
		intervals = 4
	case n.Path.Loss == 0.15:
		intervals = 3
	case n.Outage > 0:
		return max(2*interval, n.Outage+interval)
	}
	return intervals * interval
}

func TestFillSaysWhatIsMissing(t *testing.T) {
	report := read(t, "conformance.md")
	if _, err := Fill("", "", nil); err == nil || !strings.Contains(err.Error(), "conformance.md has no line") {
		t.Errorf("without a report: %v", err)
	}
	if _, err := Fill("", report, nil); err == nil || !strings.Contains(err.Error(), "<!-- table kinds") {
		t.Errorf("an empty page: %v", err)
	}
	begin, end := marks("kinds")
	if _, err := Fill(begin+"\n"+end, report, nil); err == nil || !strings.Contains(err.Error(), "<!-- table lines") {
		t.Errorf("a page without the other tables: %v", err)
	}
	first, last := marks("lines")
	if _, err := Fill(begin+"\n"+end+"\n"+first+"\n"+last, report, nil); err == nil || !strings.Contains(err.Error(), "<!-- table lan") {
		t.Errorf("a page without the tables that are measured: %v", err)
	}
	if _, err := put("a\n"+end+"\n"+begin+"\nb", "kinds", markdown.Table{}); err == nil {
		t.Error("marks in the wrong order are taken")
	}
	if got, err := put("a\n"+begin+"\nold\n"+end+"\nb", "kinds", markdown.Table{Head: []string{"new"}}); err != nil || got != fmt.Sprintf("a\n%s\n\n| new |\n|---:|\n\n%s\nb", begin, end) {
		t.Errorf("put gives %q, %v", got, err)
	}
}

// Without loss the cost of a rate can be calculated: the view waits for one interval.
func TestHalvedRateCostsAnInterval(t *testing.T) {
	lag := map[int]float64{}
	for _, rate := range []int{30, 60} {
		f, err := Run(Setting{Network: Networks()[0], TickRate: 60, SnapshotRate: rate, Length: 20 * time.Second, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		lag[rate] = f[Lag50]
		if f[Starved] != 0 || f[Missed] != 0 || f[Corrections] != 0 {
			t.Errorf("at %d Hz on a LAN: %+v", rate, f)
		}
		if least := float64(rate * (overheadDown + 43)); 1000*f[Down] < least {
			t.Errorf("at %d Hz %.0f bytes a second, which is less than the %.0f of empty snapshots", rate, 1000*f[Down], least)
		}
		if testing.Short() {
			continue
		}
		if again, err := Run(Setting{Network: Networks()[0], TickRate: 60, SnapshotRate: rate, Length: 20 * time.Second, Seed: 7}); err != nil || again != f {
			t.Errorf("the same setting gives %+v and %+v", f, again)
		}
	}
	if cost, want := lag[30]-lag[60], 1.0/60; cost < want-0.002 || cost > want+0.002 {
		t.Errorf("30 snapshots instead of 60 cost %v s, want %v", cost, want)
	}
}

func TestImpossibleSettings(t *testing.T) {
	for _, s := range []Setting{{TickRate: 30, SnapshotRate: 60}, {TickRate: 60, SnapshotRate: 30, ActionRate: 61}, {TickRate: 0, SnapshotRate: 30}, {TickRate: 60, SnapshotRate: 30, Bodies: 2}} {
		if _, err := Run(s); err == nil {
			t.Errorf("%+v can be played", s)
		}
	}
}
