package report

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// These are the names of the lanes that have bounds.
const (
	tandem  = "Tandem (default)"
	linear  = "Linear buffer"
	guarded = "Hermite, guarded"
	hermite = "Hermite, plain"
	mirror  = "Mirror: timing + linear"
	log5    = "Seed: Log #5"
	racers  = "Seed: Racer"
	chases  = "Seed: chase"
	naive   = "Naive: newest"
	onView  = "Default on articles.View"

	racerLinear     = "Racer, linear"
	racerSpline     = "Racer, spline"
	projectiveBlend = "Projective blending"
	offsetDecay     = "Offset decay"
)

// rowBounds checks the rows against the bounds of their cases.
func rowBounds(outcomes []outcome) []check {
	var checks []check
	on := func(number string, n network, id, lane, what string, u conformance.Unit, limit float64, control bool, value func(*measures) float64) {
		key := (&row{Network: n, Motion: id}).key()
		at := slices.IndexFunc(outcomes, func(o outcome) bool { return o.key() == key })
		if at < 0 {
			return
		}
		b := bound{Lane: lane, What: what, Unit: u, Limit: limit, Control: control, Why: why[number+" "+id+" "+what]}
		checks = append(checks, b.check(number, key, value(outcomes[at].lane(lane))))
	}
	errorMax := func(m *measures) float64 { return m.ErrorMax }
	stepMax := func(m *measures) float64 { return m.StepMax }
	jump := func(m *measures) float64 { return m.Jump }
	starved := func(m *measures) float64 { return m.Starved }
	lag50 := func(m *measures) float64 { return m.Lag50.Seconds() }
	lag95 := func(m *measures) float64 { return m.Lag95.Seconds() }
	turn := func(m *measures) float64 { return m.TurnMax }

	interval := ideal.interval().Seconds()
	for _, id := range []string{"M1", "M2", "M3", "M4", "M5", "M6"} {
		on("1", ideal, id, tandem, "error at steps: one quantum", tenthsOfMillimetres, positionStep, false, stepMax)
		on("1", ideal, id, tandem, "lag p95: 2 intervals and 1 tick", conformance.Millis, 2*interval+1.0/tickRate, false, lag95)
	}
	on("1", ideal, "M6", tandem, "rotation", degrees, 0.1, false, turn)

	on("2", base, "M2", tandem, "error", conformance.Metres, 0.005, false, errorMax)
	on("2", base, "M2", linear, "error", conformance.Metres, 0.02, false, errorMax)
	on("2", base, "M2", tandem, "starved", conformance.Percents, 0, false, starved)
	on("2", base, "M2", tandem, "jump", conformance.Metres, 0.001, false, jump)

	on("3", at10(base), "M2", tandem, "error", conformance.Metres, 0.01, false, errorMax)
	on("3", at10(base), "M2", linear, "error", conformance.Metres, 0.05, false, errorMax)
	on("3", at10(base), "M2", tandem, "roughness against the truth's", factors, 1.1, false, func(m *measures) float64 { return m.Rough / m.TrueRough })

	for _, id := range []string{"M3", "M4", "M5"} {
		on("4", at10(base), id, tandem, "error on the screen", conformance.Metres, 0.05, false, errorMax)
		on("4", at10(base), id, tandem, "error at steps", conformance.Metres, 0.05, false, stepMax)
	}
	on("4", at10(base), "M3", linear, "error on the screen", conformance.Metres, 0.05, true, errorMax)
	on("4", at10(base), "M3", guarded, "error on the screen", conformance.Metres, 0.05, true, errorMax)
	on("4", at10(base), "M3", hermite, "error on the screen", conformance.Metres, 0.05, true, errorMax)
	on("4", at10(base), "M4", hermite, "error on the screen", conformance.Metres, 0.05, true, errorMax)
	on("4", at10(base), "M5", hermite, "error on the screen", conformance.Metres, 0.05, true, errorMax)

	for _, id := range []string{"M1", "M2", "M3", "M4", "M5"} {
		on("5", seeds, id, tandem, "starved", conformance.Percents, 0.008, false, starved)
		on("5", seeds, id, tandem, "median lag", conformance.Millis, 0.260, false, lag50)
		on("5", seeds, id, tandem, "jump", conformance.Metres, 0.05, false, jump)
	}
	on("5", seeds, "M1", log5, "starved", conformance.Percents, 0.008, true, starved)
	on("5", seeds, "M1", log5, "jump", conformance.Metres, 0.05, true, jump)
	on("5", seeds, "M1", mirror, "starved", conformance.Percents, 0.008, true, starved)
	on("5", seeds, "M1", mirror, "jump", conformance.Metres, 0.05, true, jump)
	on("5", seeds, "M3", racers, "jump", conformance.Metres, 0.05, true, jump)
	on("5", seeds, "M6", racers, "rotation", degrees, 20, true, turn)

	on("6", ordered, "M1", tandem, "starved", conformance.Percents, 0.10, false, starved)
	on("6", ordered, "M1", tandem, "lag p95", conformance.Millis, 0.900, false, lag95)
	on("6", ordered, "M1", log5, "starved", conformance.Percents, 0.10, true, starved)

	on("7", bursts, "M1", tandem, "jump", conformance.Metres, 0.1, false, jump)
	on("7", bursts, "M2", tandem, "jump", conformance.Metres, 0.35, false, jump)
	on("7", bursts, "M1", mirror, "jump", conformance.Metres, 0.1, true, jump)

	for _, id := range []string{"M2", "M3"} {
		on("8", jittery, id, tandem, "starved", conformance.Percents, 0.001, false, starved)
		on("8", jittery, id, tandem, "median lag", conformance.Millis, 0.250, false, lag50)
		on("8", jittery, id, tandem, "view slower than real time by", factors, 0.05, false, func(m *measures) float64 { return 1 - m.RateMin })
		on("8", jittery, id, tandem, "view faster than real time by", factors, 0.05, false, func(m *measures) float64 { return m.RateMax - 1 })
	}
	on("8", jittery, "M2", log5, "starved (ring of eight slots)", conformance.Percents, 0.001, true, starved)

	smeared := func(m *measures) float64 { return float64(m.Smeared) }
	for _, n := range []network{base, seeds} {
		on("19", n, "M7", tandem, "frames drawn on the way of a teleport", conformance.Counts, 0, false, smeared)
	}
	on("19", base, "M7", log5, "frames drawn on the way of a teleport", conformance.Counts, 0, true, smeared)
	on("19", base, "M7", racers, "frames drawn on the way of a teleport", conformance.Counts, 0, true, smeared)
	on("19", base, "M7", chases, "frames drawn on the way of a teleport", conformance.Counts, 0, true, smeared)
	return checks
}

// why gives the reasons for bounds that are restated or missed, by case, motion and measure.
var why = map[string]string{
	"5 M1 median lag": "It was 240 ms, here and for M2 to M5, with a delay after the mean loss. The delay after the ages of the newest snapshots waits longer with " +
		"seeds that lose three snapshots in a row more often than the mean says, and starves less.",
	"7 M2 jump": "It was 0.1 m while the view caught up at 1.1 of real speed at most. At 20 m/s 1.5 of real speed, with which a view does so that is more than 100 ms late, " +
		"are 0.17 m more in a frame; what is left is the body's way to its place after a burst of losses, within 0.4 s.",
}

// route is the time of the scripted changes of the route. The time to absorb them is measured from
// it.
const route = 60 * time.Second
