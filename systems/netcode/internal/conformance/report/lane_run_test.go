package report

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// warmUp is the time after joining that is left out of all measures: three round trips for the
// clock, and a few seconds for the first estimate of the loss.
const warmUp = 5 * time.Second

// runSpec is one run: a body in motion, drawn in all lanes from the same packets.
type runSpec struct {
	Network network
	Motion  *conformance.Motion
	Lanes   []lane
	Length  time.Duration // of server time, warm-up included
	Seed    uint64

	// Watch, if set, is called for every frame of every lane after it was drawn. Step, if set, is
	// called for every fixed step of the lanes that are sampled in it.
	Watch func(lane int, f *laneFrame)
	Step  func(lane int, at, view time.Duration, info *interp.Info)
	Truth func(now time.Duration, t conformance.Truth) // of every frame, at the server's present
}

// laneFrame is the picture of one lane in one frame, with the truth.
type laneFrame struct {
	Now    time.Duration // server time of the frame
	Claim  time.Duration // server time that the picture claims to show
	Drawn  mgl64.Vec3    // in the world; the child's, if there is one
	Turn   mgl64.Quat
	Truth  conformance.Truth // at Claim
	Jumped bool              // drawn as a teleport
	Info   interp.Info
}

// runResult holds the measures of one run.
type runResult struct {
	Lanes []measures
	Bytes float64 // per second from the server, with 28 bytes of IP and UDP a packet
}

const (
	pingEvery  = 250 * time.Millisecond
	tickLength = time.Second / tickRate
	// of a frame, as the engine's default; what is beyond is dropped
	maxDelta = 250 * time.Millisecond
)

// run is the state of a run.
type run struct {
	spec     runSpec
	motion   func(float64) conformance.Truth // shifted by the seed
	child    func(float64) conformance.Truth
	lanes    []fitted
	clocks   *clocks
	up, down *linksim.Link
	top      topSpeeds
	dt       float64 // of a frame, seconds

	// The server.
	tick int64
	wire *wire

	// The client.
	lastPing time.Duration
	step     int64
	phase    time.Duration // of the client's ticks against its clock
	buf      [mtu + 1]byte
}

// runLanes runs a runSpec and returns its measures. The same runSpec gives the same runResult on
// every machine.
func runLanes(spec runSpec) runResult {
	r := &run{spec: spec}
	n := &r.spec.Network
	random := rand.New(rand.NewPCG(spec.Seed, 0x7a4d656d))
	n.Down.Seed, n.Up.Seed = 2*spec.Seed, 2*spec.Seed+1
	r.down, r.up = must(linksim.NewLink(n.Down)), must(linksim.NewLink(n.Up))
	r.phase = n.Epoch + time.Duration(random.Int64N(int64(tickLength)))
	framePhase := time.Duration(random.Int64N(int64(tickLength)))
	shift := random.Float64() * 10 // so every seed begins at another point of the motion

	r.motion = func(t float64) conformance.Truth { return spec.Motion.At(t + shift) }
	r.top, r.wire = newTopSpeeds(r.motion, spec.Length), newWire(1)
	if child := spec.Motion.Child; child != nil {
		r.child = func(t float64) conformance.Truth { return child.At(t + shift) }
		r.top, r.wire = newTopSpeeds(r.world, spec.Length), newWire(2)
	}
	r.clocks = newClocks(n.interval(), tickLength)
	for _, l := range spec.Lanes {
		l.Config.Interval = n.interval()
		if l.Kind == interp.Chase || l.Kind == articles.SeedChase {
			l.Config.Speed = float32(spec.Motion.At(0).Velocity.Len())
		}
		f := fitted{lane: l}
		if l.Clock != clockLocal {
			f.body = articles.New(l.Kind, l.Config)
			f.child = articles.New(l.Kind, l.Config)
		}
		r.lanes = append(r.lanes, f)
	}

	rate := n.frameRate()
	r.dt = 1 / rate
	first := r.local(0) + framePhase
	r.lastPing = first - pingEvery
	r.step = int64((first - r.phase) / tickLength)
	for j := 0; ; j++ {
		local := first + time.Duration(float64(j)/rate*float64(time.Second))
		now := r.trueTime(local)
		if now >= spec.Length {
			break
		}
		if s := n.Suspend; now >= s[0] && now < s[1] {
			continue
		}
		r.frame(local, now)
	}

	res := runResult{Bytes: float64(r.wire.bytes) / spec.Length.Seconds()}
	for i := range r.lanes {
		r.lanes[i].measure.finish()
		res.Lanes = append(res.Lanes, r.lanes[i].measure)
	}
	return res
}

// must returns a value and panics on an error, which the package's own settings never cause.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// frame runs one turn of the client's loop, at a time of its clock.
func (r *run) frame(local, now time.Duration) {
	if calm := r.spec.Network.Calm; calm > 0 && now >= calm {
		r.spec.Network.Calm = 0
		c := r.spec.Network.Down
		c.Loss = 0
		if err := r.down.SetCondition(c); err != nil {
			panic(err)
		}
	}
	r.serve(now)
	r.receive(local, now)
	r.up.Push(now, r.framed(kindPacket, r.wire.acknowledge(local)))
	if local-r.lastPing >= pingEvery {
		r.lastPing = local
		r.buf[0] = kindPing
		binary.LittleEndian.PutUint64(r.buf[1:], uint64(local))
		r.up.Push(now, r.buf[:9])
	}
	r.clocks.frame(local)

	// The engine's clock drops time beyond MaxDelta. Then steps run until the next edge lies ahead
	// of the frame.
	if late := local - r.edge(r.step); late > maxDelta {
		r.step += int64((late - maxDelta) / tickLength)
	}
	for r.edge(r.step) <= local {
		r.step++
		r.fixed(r.edge(r.step))
	}
	r.draw(local, now)
}

// edge returns the start of a step on the client's clock.
func (r *run) edge(k int64) time.Duration {
	return r.phase + time.Duration(k)*time.Second/tickRate
}

// One runSpec gives one runResult, with any other runs at the same time and with any other lanes.
func TestRunIsDeterministic(t *testing.T) {
	spec := runSpec{Network: seeds, Motion: conformance.MotionNamed("M3"), Lanes: allLanes(), Length: 20 * time.Second, Seed: 5}
	a, b := runLanes(spec), runLanes(spec)
	if !reflect.DeepEqual(a, b) {
		t.Error("two runs of one runSpec differ")
	}
	for i, l := range spec.Lanes {
		alone := spec
		alone.Lanes = []lane{l}
		if c := runLanes(alone); !reflect.DeepEqual(c.Lanes[0], a.Lanes[i]) || c.Bytes != a.Bytes {
			t.Errorf("%s is measured otherwise when it is alone", l.Name)
		}
	}
	spec.Seed = 6
	if reflect.DeepEqual(runLanes(spec), a) {
		t.Error("another seed gives the same result")
	}
	rows := []row{{Network: base, Motion: "M1", Length: 7 * time.Second}}
	on := func(processors int) []outcome {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		return compute(rows, lanes(tandem))
	}
	if !reflect.DeepEqual(on(1), on(3)) {
		t.Error("the number of processors changes the result")
	}
}

// A locally simulated body is drawn without error, except for the corners that a step cuts.
func TestLocalLaneIsTheTruth(t *testing.T) {
	for _, tt := range []struct {
		id  string
		max float64
	}{{"M1", 1e-6}, {"M2", 0.0007}, {"M3", 0.05}, {"M6", 1e-6}, {"M7", 1e-6}} {
		m := runLanes(runSpec{Network: base, Motion: conformance.MotionNamed(tt.id), Lanes: lanes("A local body"), Length: 20 * time.Second, Seed: 1}).Lanes[0]
		if m.ErrorMax > tt.max || m.StepMax > 1e-9 || m.Lag50 != 0 || m.Smeared != 0 {
			t.Errorf("%s: error %v, at steps %v, lag %v", tt.id, m.ErrorMax, m.StepMax, m.Lag50)
		}
	}
}

// On a perfect network the default lags by its formula, and its error is the rounding of the wire.
func TestPerfectNetwork(t *testing.T) {
	res := runLanes(runSpec{Network: ideal, Motion: conformance.MotionNamed("M1"), Lanes: lanes(tandem), Length: 20 * time.Second, Seed: 1})
	m := res.Lanes[0]
	want := ideal.interval() + tickLength
	if m.ErrorMax > positionStep || m.Starved != 0 || (m.Lag95-want).Abs() > ms || m.RateMin < 0.9999 || m.RateMax > 1.0001 {
		t.Errorf("error %v, starved %v, lag %v (want %v), rate %v to %v", m.ErrorMax, m.Starved, m.Lag95, want, m.RateMin, m.RateMax)
	}
	if res.Bytes < 30*overhead || res.Bytes > 30*100 {
		t.Errorf("%v bytes per second", res.Bytes)
	}
}

// Only the rate of the client's clock counts. The frame times are those of the run.
func TestWatchSeesEveryFrame(t *testing.T) {
	for _, tt := range []struct {
		rate float64
		want int
	}{{0, 900}, {8, 120}, {144, 2160}} {
		n := base
		n.FrameRate, n.Epoch = tt.rate, 3*time.Hour
		frames, truths := 0, 0
		runLanes(runSpec{
			Network: n, Motion: conformance.MotionNamed("M1"), Lanes: lanes(tandem, naive), Length: warmUp + 15*time.Second, Seed: 1,
			Watch: func(lane int, f *laneFrame) {
				if lane == 0 {
					frames++
				}
				if f.Now < warmUp || f.Now > warmUp+15*time.Second {
					t.Fatalf("a frame at %v", f.Now)
				}
			},
			Truth: func(time.Duration, conformance.Truth) { truths++ },
			Step: func(lane int, at, view time.Duration, info *interp.Info) {
				if at < 3*time.Hour || lane == 0 && view > at-3*time.Hour-100*ms {
					t.Fatalf("at %v the view is at %v", at, view)
				}
			},
		})
		if frames < tt.want-1 || frames > tt.want+1 || truths < frames {
			t.Errorf("%v frames a second: %d frames in 15 s, want %d", tt.rate, frames, tt.want)
		}
	}
}

// A ball on a bad network of the caller's, drawn in the first lane, the default.
func TestBadNetwork(t *testing.T) {
	path := linksim.Condition{Delay: 80 * ms, Jitter: 10 * ms, Loss: 0.02}
	m := runLanes(runSpec{
		Network: network{Down: path, Up: path, SnapshotRate: 20}, Motion: conformance.MotionNamed("M4"),
		Lanes: allLanes()[:1], Length: 30 * time.Second, Seed: 1,
	}).Lanes[0]
	got := fmt.Sprintf("starved %.1f %%, median lag %v, worst jump %.2f m", 100*m.Starved, m.Lag50.Round(10*ms), m.Jump)
	if want := "starved 0.0 %, median lag 200ms, worst jump 0.00 m"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
