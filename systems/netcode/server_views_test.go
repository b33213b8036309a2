package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The way down is cut for a moment again and again, so that the view stands and then catches up.
// Each input is stepped much later, by the view with which it was made: Rewind leads to the moment
// that the screen showed then. Where the view has run beyond the newest snapshot, the screen
// shows bodies up to a quarter of the 100 ms of extrapolation earlier.
func TestRewindTakesTheViewOfEachInput(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Rewind = time.Second })
	crate := m.crate(kindCrate, components.At3D(0, 0, 0))
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		m.transform(crate).Set(components.At3D(float32(m.engine.Time().Tick+1)/16, 0, 0))
	}))
	line := linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond, Seed: 5})
	a := m.join(line, func(c *netcode.ClientConfig[runner, input]) {
		c.Redundancy = netcode.Bounds[int]{Min: 6, Max: 6} // inputs arrive early
	})
	m.run(5*time.Second, nil)
	m.mustPlay()
	views, last := map[netcode.Tick]time.Duration{}, time.Duration(0)
	a.input = func(at netcode.Tick) input { views[at] = last; return input{} }
	a.afterStep(func() { last = a.client.View() })
	worst, compared := 0.0, 0
	m.onServer(func() {
		view, ok := views[m.server.Tick()]
		if !ok || view == 0 {
			return
		}
		m.of(a).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
			pose, _ := at(crate)
			compared++
			worst = max(worst, math.Abs(float64(pose.Position[0])*16-view.Seconds()*tickRate))
		})
	})
	for range 3 {
		cut := line
		cut.Receive.Loss = 1
		for _, path := range []linksim.Path{cut, line} {
			if err := a.Conn.SetPath(path); err != nil {
				t.Fatal(err)
			}
			m.run(260*time.Millisecond, nil)
		}
		m.run(2*time.Second, nil)
	}
	// the quarter, and less than the 0.375 ticks by which a second slowdown would add to it
	if limit := 0.025*tickRate + 0.25; worst > limit || compared < 300 {
		t.Errorf("rewound up to %.2f ticks from the view over %d ticks, want at most %.2f", worst, compared, limit)
	}
}

// Rewind follows the extrapolation of a client whose view has passed its newest snapshot.
func TestRewindFollowsTheExtrapolation(t *testing.T) {
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	const newest = 160 // sixteenths of a tick before the input
	for beyond := range int64(8 * 16) {
		body := interp.New(interp.Default, interp.Config{})
		for i := range 4 { // at one unit in each sixteenth of a tick
			at := time.Duration(i) * time.Second / 30
			body.Push(at, interp.Sample{
				Time: at, Position: mgl32.Vec3{float32(i) * 32}, Rotation: mgl32.QuatIdent(), Velocity: mgl32.Vec3{tickRate * 16}, Has: interp.HasVelocity,
			})
		}
		view := time.Second/10 + time.Duration(beyond)*time.Second/(tickRate*16)
		drawn, _ := body.At(view, view)
		want := newest - float64(drawn.Position[0]-96)
		if got := m.of(a).DrawnAgeForTest(newest-beyond, newest); math.Abs(float64(got)-want) > 1.01 {
			t.Errorf("%d sixteenths beyond the newest snapshot: drawn as of %d before, want %.1f", beyond, got, want)
		}
	}
	if got := m.of(a).DrawnAgeForTest(newest+5, newest); got != newest+5 {
		t.Errorf("a view before the newest snapshot is taken as %d, want %d", got, newest+5)
	}
}
