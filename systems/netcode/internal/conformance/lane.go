package conformance

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// Clock is the way in which a lane chooses the server time to draw.
type Clock uint8

const (
	// Follow is the product's way: interp.Playback, which measures its delay from the arrivals
	// alone and needs no pings.
	Follow Clock = iota
	// Reference is the same measurement behind the reference clock of clocksync, with its View.
	Reference
	// Mirror is Mirror's timeline. It draws once per frame instead of once per step.
	Mirror
	// Log5 is the platformer article's phase-locked loop with counted updates and 200 ms of delay.
	// It draws once per frame.
	Log5
	// Present is the reference clock itself, for lanes that predict.
	Present
	// Local is a body that is simulated on the client, in step with the server. It shows the error
	// that is added by blending between two fixed steps.
	Local
)

// Lane is one way to draw a remote body.
type Lane struct {
	Name   string
	Kind   interp.Kind
	Clock  Clock
	Config interp.Config // Interval is filled in by the run
}

// Lanes returns all lanes, the default first, the negative controls last.
func Lanes() []Lane {
	lane := func(k interp.Kind, c Clock) Lane { return Lane{Name: articles.Display(k), Kind: k, Clock: c} }
	return []Lane{
		lane(interp.Default, Follow),
		{Name: "Default on articles.View", Kind: interp.Default, Clock: Reference},
		lane(interp.GuardedHermite, Follow),
		lane(interp.Linear, Follow),
		lane(interp.EventBuffer, Follow),
		{Name: "Mirror: timing + linear", Kind: interp.Linear, Clock: Mirror, Config: interp.Config{Extrapolation: -1, ResumeAfter: -1}},
		lane(interp.Chase, Present),
		lane(interp.Naive, Present),
		lane(interp.RacerLinear, Present),
		lane(interp.RacerSpline, Present),
		lane(interp.ProjectiveBlend, Present),
		lane(interp.OffsetDecay, Present),
		lane(interp.Hermite, Follow),
		{Name: "Seed: Log #5", Kind: articles.SeedLinear, Clock: Log5},
		lane(articles.SeedChase, Present),
		lane(articles.SeedRacer, Present),
		{Name: "A local body", Clock: Local},
	}
}

// lanes returns the lanes with the given names.
func lanes(names ...string) []Lane {
	var found []Lane
	for _, name := range names {
		for _, l := range Lanes() {
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

// Views reports whether the lane has a view of its own speed. The other lanes show the newest state
// that they hold, or the present.
func (l *Lane) Views() bool { return l.Clock != Present && l.Clock != Local }

// Starves reports whether the lane can pass its newest snapshot.
func (l *Lane) Starves() bool {
	return l.Clock != Local && articles.New(l.Kind, interp.Config{}).Timing() == interp.Delayed
}

// PerFrame reports whether the lane draws once per frame, like its original. The other lanes are
// sampled once per fixed step into a logical pose, and frames are blended from it as for local
// bodies.
func (l *Lane) PerFrame() bool { return l.Clock == Mirror || l.Clock == Log5 }

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
type views [Local + 1]time.Duration

// at returns the times of the clocks that are sampled once per step. It reports whether the clocks
// run.
func (c *clocks) at(local time.Duration) (v views, ok bool) {
	if !c.delay.Ready() {
		return v, false
	}
	v[Present] = c.reference.At(local)
	v[Local] = v[Present]
	v[Reference] = c.view.Advance(local, v[Present], c.delay.Behind())
	v[Follow], _ = c.playback.View(local)
	return v, true
}

// atFrame returns the times of the clocks that are sampled once per frame, likewise.
func (c *clocks) atFrame(local time.Duration) (v views, ok bool) {
	if c.pll == nil {
		return v, false
	}
	v[Mirror], _ = c.mirror.View(local)
	v[Log5] = c.pll.TimeSinceStart(local) - 200*time.Millisecond
	return v, true
}
