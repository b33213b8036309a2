package report

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// laneClock is the way in which a lane chooses the server time to draw.
type laneClock uint8

const (
	// clockFollow is the product's way: interp.Playback, which measures its delay from the arrivals
	// alone and needs no pings.
	clockFollow laneClock = iota
	// clockReference is the same measurement behind the reference clock of clocksync, with its
	// View.
	clockReference
	// clockMirror is Mirror's timeline. It draws once per frame instead of once per step.
	clockMirror
	// clockLog5 is the platformer article's phase-locked loop with counted updates and 200 ms of
	// delay. It draws once per frame.
	clockLog5
	// clockPresent is the reference clock itself, for lanes that predict.
	clockPresent
	// clockLocal is a body that is simulated on the client, in step with the server. It shows the
	// error that is added by blending between two fixed steps.
	clockLocal
)

// lane is one way to draw a remote body.
type lane struct {
	Name   string
	Kind   interp.Kind
	Clock  laneClock
	Config interp.Config // Interval is filled in by the run
}

// allLanes returns all lanes, the default first, the negative controls last.
func allLanes() []lane {
	of := func(k interp.Kind, c laneClock) lane { return lane{Name: articles.Display(k), Kind: k, Clock: c} }
	return []lane{
		of(interp.Default, clockFollow),
		{Name: "Default on articles.View", Kind: interp.Default, Clock: clockReference},
		of(interp.GuardedHermite, clockFollow),
		of(interp.Linear, clockFollow),
		of(interp.EventBuffer, clockFollow),
		{Name: "Mirror: timing + linear", Kind: interp.Linear, Clock: clockMirror, Config: interp.Config{Extrapolation: -1, ResumeAfter: -1}},
		of(interp.Chase, clockPresent),
		of(interp.Naive, clockPresent),
		of(interp.RacerLinear, clockPresent),
		of(interp.RacerSpline, clockPresent),
		of(interp.ProjectiveBlend, clockPresent),
		of(interp.OffsetDecay, clockPresent),
		of(interp.Hermite, clockFollow),
		{Name: "Seed: Log #5", Kind: articles.SeedLinear, Clock: clockLog5},
		of(articles.SeedChase, clockPresent),
		of(articles.SeedRacer, clockPresent),
		{Name: "A local body", Clock: clockLocal},
	}
}

// lanes returns the lanes with the given names.
func lanes(names ...string) []lane {
	var found []lane
	for _, name := range names {
		for _, l := range allLanes() {
			if l.Name == name {
				found = append(found, l)
			}
		}
	}
	if len(found) != len(names) {
		panic("conformance: a lane is misspelt; use the names that Lanes gives")
	}
	return found
}

// views reports whether the lane has a view of its own speed. The other lanes show the newest state
// that they hold, or the present.
func (l *lane) views() bool { return l.Clock != clockPresent && l.Clock != clockLocal }

// starves reports whether the lane can pass its newest snapshot.
func (l *lane) starves() bool {
	return l.Clock != clockLocal && articles.New(l.Kind, interp.Config{}).Timing() == interp.Delayed
}

// perFrame reports whether the lane draws once per frame, like its original. The other lanes are
// sampled once per fixed step into a logical pose, and frames are blended from it as for local
// bodies.
func (l *lane) perFrame() bool { return l.Clock == clockMirror || l.Clock == clockLog5 }

// clocks holds every clock of a client. All lanes of a run share them.
type clocks struct {
	reference *clocksync.Reference
	delay     *interp.Delay // in the reference's time
	view      *articles.View
	playback  *interp.Playback
	mirror    *articles.MirrorEngine
	pll       *articles.PLL // nil until the first update

	pllFirst time.Duration // stamp of the first update: the zero of the loop's own time
	pllLabel time.Duration // of the newest update
}

func newClocks(interval, tick time.Duration) *clocks {
	c := interp.DelayConfig{Interval: interval, Tick: tick}
	return &clocks{
		reference: clocksync.NewReference(),
		view:      articles.NewView(),
		delay:     interp.NewDelay(c),
		playback:  interp.NewPlayback(c),
		mirror:    articles.NewMirrorEngine(interval),
	}
}

// arrive handles a snapshot that reached the client at one local time and was read in a frame at
// another. Mirror's clock uses only the latter.
func (c *clocks) arrive(local, read, stamp, interval time.Duration, number uint16) {
	if c.reference.Ready() {
		c.delay.Arrive(c.reference.At(local), stamp, number)
	}
	c.playback.Arrive(local, stamp, number)
	c.mirror.Arrive(read, stamp)
	if c.pll == nil {
		c.pll = articles.NewPLL(local)
		c.pll.ServerStep = interval.Seconds() * 1000
		c.pll.Restart(local)
		c.pllFirst = stamp
	} else {
		c.pll.OnServerUpdate(local)
	}
	c.pllLabel = c.pll.ServerDelta(0)
}

// frame updates the clocks. It is called once per frame, after the arrivals.
func (c *clocks) frame(local time.Duration) {
	c.delay.Update(c.reference.At(local))
	c.playback.Update(local)
}

// views are the server times to draw at one local time, by clock.
type views [clockLocal + 1]time.Duration

// at returns the times of the clocks that are sampled once per step. It reports whether the clocks
// run.
func (c *clocks) at(local time.Duration) (v views, ok bool) {
	if !c.delay.Ready() {
		return v, false
	}
	v[clockPresent] = c.reference.At(local)
	v[clockLocal] = v[clockPresent]
	v[clockReference] = c.view.Advance(local, v[clockPresent], c.delay.Behind())
	v[clockFollow], _ = c.playback.View(local)
	return v, true
}

// atFrame returns the times of the clocks that are sampled once per frame, likewise.
func (c *clocks) atFrame(local time.Duration) (v views, ok bool) {
	if c.pll == nil {
		return v, false
	}
	v[clockMirror], _ = c.mirror.View(local)
	v[clockLog5] = c.pll.TimeSinceStart(local) - 200*time.Millisecond
	return v, true
}

func TestLaneNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range allLanes() {
		if seen[l.Name] {
			t.Errorf("two lanes are called %q", l.Name)
		}
		seen[l.Name] = true
	}
	kinds := map[interp.Kind]bool{}
	for _, l := range allLanes() {
		if l.Clock != clockLocal {
			kinds[l.Kind] = true
		}
	}
	for _, k := range articles.Kinds() {
		if !kinds[k] {
			t.Errorf("%s is in no lane", articles.Name(k))
		}
	}
}
