package rates

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/match"
)

// cells returns a committed row's figures by column, numbers only.
func cells(t *testing.T, table *table, line string) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for i, cell := range strings.Split(strings.Trim(line, "| "), " | ") {
		number, _, _ := strings.Cut(cell, " ")
		if v, err := strconv.ParseFloat(number, 64); err == nil {
			values[table.head()[i]] = v
		} else if i >= len(table.rows[0].labels) {
			t.Fatalf("table %s: %q is no figure", table.name, cell)
		}
	}
	return values
}

// The page's rules of thumb hold in every row of its tables.
func TestRulesOfThumbHold(t *testing.T) {
	page := conformance.Page(t, "tuning.md")
	near := func(what string, got, least, most float64) {
		t.Helper()
		if !(got >= least && got <= most) {
			t.Errorf("%s: %.1f, and the page says %.0f to %.0f", what, got, least, most)
		}
	}
	checked := 0
	for _, table := range tables() {
		lines := between(t, page, table.name)
		for i := range table.rows {
			row, v := &table.rows[i], cells(t, &table, lines[i+2])
			s := &row.setting
			what := table.name + " " + key(row)
			way := s.Network.Path.Delay.Seconds() * 1000
			packets := s.ActionRate
			if packets == 0 {
				packets = s.TickRate
			}
			interval, packet, tick := 1000/float64(s.SnapshotRate), 1000/float64(packets), 1000/float64(s.TickRate)
			if lag, ok := v["lag p50"]; ok && table.name != "frames" {
				least := waitsFor(&s.Network, s.SnapshotRate).Seconds() * 1000
				near(what+" waits", lag-way, least-5, max(least+35, 3*interval))
				checked++
			}
			if lead, ok := v["lead"]; ok && table.name != "frames" {
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
			if _, ok := v["rewind"]; ok && len(table.name) > 2 && s.ActionRate == 0 && table.name != "frames" {
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
func waitsFor(n *match.Network, snapshots int) time.Duration {
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
