package clocksync

import (
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Age is how long before its use an input reached the server, in eighths of a tick. It is positive
// for an early input and negative for a late one. It saturates at 32767 eighths, 4095 ticks: at 60
// Hz more than a minute. (Unity's Netcode for Entities calls it the command age, with the opposite
// sign and 1/256 tick.)
type Age int16

// NoAge stands for an age that is not known: no input has arrived yet.
const NoAge Age = math.MinInt16

// ageSteps is the number of ages in a tick.
const ageSteps = 8

// AgeOf returns a duration as an age, saturated. It rounds down, so a late input is never reported
// as one in time.
func AgeOf(d time.Duration, g Grid) Age {
	d = min(max(d, -g.Edge(2*ageLimit)), g.Edge(2*ageLimit))
	eighths, _ := floorDiv(int64(d)*ageSteps*g.Rate(), int64(time.Second))
	return Age(min(max(eighths, -math.MaxInt16), math.MaxInt16))
}

// Duration returns the age as a duration, and 0 for [NoAge].
func (a Age) Duration(g Grid) time.Duration {
	if a == NoAge {
		return 0
	}
	return time.Duration(a) * time.Second / time.Duration(ageSteps*g.Rate())
}

// ageLimit is how many ticks early or late an input may be to count. It is the range of an [Age].
const ageLimit = math.MaxInt16 / ageSteps

// ageOlder is how many packets in a row have to be older than the newest input before the client's
// clock counts as having jumped back.
const ageOlder = 8

// Report is a server's report about the inputs that have arrived since its last one.
type Report struct {
	// Newest is the newest input, and Age is how early it arrived.
	Newest tick.Tick
	Age    Age
	// Held is how many ticks older than Newest the input is that arrived latest for its use, and
	// HeldAge is how early that input arrived. Held is 0 if no input was delayed by at least a tick
	// more than Newest.
	Held    int
	HeldAge Age
}

// MaxHeld is the largest number in Report.Held.
const MaxHeld = 1<<10 - 1

// AgeMeter measures how early a client's inputs arrive. It is the server's half of the command-age
// feedback. A server has one for each client. It uses the server's clock alone, so a client can
// falsify the result only by sending its inputs at another time.
//
// Pass it the newest input of every packet, and send [AgeMeter.Report] in every snapshot. The
// client computes means and quantiles, since it has the times at which it sent its inputs: see
// [Lead]. Create it with [NewAgeMeter].
type AgeMeter struct {
	grid   Grid
	any    bool
	newest int64
	age    time.Duration
	older  int

	held    int64 // the latest input since the last report
	heldAge time.Duration
}

// NewAgeMeter returns a meter for a server whose ticks are those of the grid.
func NewAgeMeter(grid Grid) *AgeMeter { return &AgeMeter{grid: grid, heldAge: math.MaxInt64} }

// Arrived takes the newest input tick of a packet that arrived at a server time, and reports
// whether it counted. Reordered and repeated packets do not count. Neither does a packet that is
// more than 4095 ticks early or late.
func (m *AgeMeter) Arrived(newest tick.Tick, now time.Duration) bool {
	index := Unwrap(newest, m.grid.Index(now))
	age := m.grid.Edge(index) - now
	if age.Abs() > m.grid.Edge(ageLimit) {
		return false
	}
	if m.any && index <= m.newest {
		// After a jump back of the client's clock all its inputs are older for a while.
		if m.older++; m.older < ageOlder {
			return false
		}
		m.heldAge = math.MaxInt64
	}
	m.any, m.older, m.newest, m.age = true, 0, index, age
	if age <= m.heldAge {
		m.held, m.heldAge = index, age
	}
	return true
}

// Newest returns the newest input and its age, for a meter on another server that goes on with it:
// [AgeMeter.Resume]. It begins no report.
func (m *AgeMeter) Newest() Report {
	if !m.any {
		return Report{Age: NoAge}
	}
	return Report{Newest: m.grid.Tick(m.newest), Age: AgeOf(m.age, m.grid)}
}

// Resume makes the newest input of a meter on another server this meter's, at a time of this
// server's clock.
func (m *AgeMeter) Resume(r Report, now time.Duration) {
	*m = AgeMeter{grid: m.grid, heldAge: math.MaxInt64}
	if r.Age != NoAge {
		m.any, m.newest, m.age = true, Unwrap(r.Newest, m.grid.Index(now)), r.Age.Duration(m.grid)
	}
}

// Report returns the report for a snapshot and begins the next report. Its Age is [NoAge] before
// the first input.
func (m *AgeMeter) Report() Report {
	if !m.any {
		return Report{Age: NoAge}
	}
	r := Report{Newest: m.grid.Tick(m.newest), Age: AgeOf(m.age, m.grid)}
	if away := m.newest - m.held; away > 0 && away <= MaxHeld && m.heldAge < m.age-m.grid.Step() {
		r.Held, r.HeldAge = int(away), AgeOf(m.heldAge, m.grid)
	}
	m.heldAge = math.MaxInt64
	return r
}
