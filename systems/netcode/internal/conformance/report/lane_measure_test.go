package report

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// measures holds the figures of one lane in one run after the warm-up, or the worst of several
// runs.
type measures struct {
	// metres between what is drawn and the truth at the time that it claims to show
	ErrorRMS, ErrorMax float64
	// the same at fixed steps, without the error of blending between two of them
	StepMax          float64
	TurnRMS, TurnMax float64 // degrees, likewise
	// metres moved in one frame beyond what the body's greatest speed within a quarter of a second
	// explains
	Jump float64
	// rms second difference of the drawn and of the true positions, m/s²
	Rough, TrueRough float64
	Starved          float64 // share of the frames without samples on both sides, 0 to 1
	Lag50, Lag95     time.Duration
	// of the view over fixed steps (frames, for lanes drawn per frame), while it does not wait for
	// data
	RateMin, RateMax float64
	Back             int // steps in which the view ran backwards
	Jumped           int // frames drawn as teleports where the truth has none
	Smeared          int // frames in which a body that teleports is drawn on the way
	Torn             int // steps in which parent and child are shown at different times

	frames             int
	starved            int
	sumSq, turnSq      float64
	roughSq, trueSq    float64
	lags               []int32
	last, before       mgl64.Vec3 // drawn
	lastTrue, beforeTr mgl64.Vec3
	lastClaim          time.Duration
	rated              bool
}

const (
	lagBin  = 100 * time.Microsecond
	lagBins = 20000 // two seconds; the last bin holds all greater lags

	// viewRate is the fastest speed of a view. Extra motion of a body from that speed is not a
	// jump.
	viewRate = 1.1
)

// frame measures one frame of a body whose speed around that time is at most top. dt is the frame's
// length in seconds.
func (m *measures) frame(f *laneFrame, top, dt float64) {
	if m.lags == nil {
		m.lags = make([]int32, lagBins+1)
	}
	m.frames++
	if f.Info.Starved {
		m.starved++
	}

	// The time of a teleport is unknown between the snapshots before and after it. So the position
	// is compared modulo the teleports, and pictures between two positions are counted separately.
	teleports := f.Truth.Discontinuity != 0
	drawn, truth := f.Drawn, f.Truth.Position
	if teleports {
		drawn[2], truth[2] = modulo(drawn[2]), modulo(truth[2])
		if math.Abs(drawn[2]) > 0.01 {
			m.Smeared++
		}
	}
	if f.Jumped && m.frames > 1 && !teleports {
		m.Jumped++
	}

	off := drawn.Sub(truth).Len()
	m.sumSq += off * off
	m.ErrorMax = max(m.ErrorMax, off)
	turn := angle(f.Turn, f.Truth.Rotation)
	m.turnSq += turn * turn
	m.TurnMax = max(m.TurnMax, turn)

	m.lags[min(max((f.Now-f.Claim)/lagBin, 0), lagBins)]++

	if m.frames > 1 && !(teleports && f.Jumped) {
		span := min(max((f.Claim-m.lastClaim).Seconds(), dt), viewRate*dt)
		m.Jump = max(m.Jump, drawn.Sub(m.last).Len()-top*span)
	}
	if m.frames > 2 {
		a := drawn.Sub(m.last.Mul(2)).Add(m.before)
		b := truth.Sub(m.lastTrue.Mul(2)).Add(m.beforeTr)
		m.roughSq += a.Dot(a)
		m.trueSq += b.Dot(b)
		m.Rough, m.TrueRough = 1/(dt*dt), 1/(dt*dt) // the unit, until finish
	}
	m.before, m.last = m.last, drawn
	m.beforeTr, m.lastTrue = m.lastTrue, truth
	m.lastClaim = f.Claim
}

// modulo removes M7's teleports.
func modulo(z float64) float64 { return z - conformance.Teleport*math.Round(z/conformance.Teleport) }

// step measures the error at a fixed step.
func (m *measures) step(off mgl64.Vec3, teleports bool) {
	if teleports {
		off[2] = modulo(off[2])
	}
	m.StepMax = max(m.StepMax, off.Len())
}

// rate measures the speed of the view over one step.
func (m *measures) rate(r float64) {
	if !m.rated {
		m.rated, m.RateMin, m.RateMax = true, r, r
	}
	m.RateMin, m.RateMax = min(m.RateMin, r), max(m.RateMax, r)
	if r < 0 {
		m.Back++
	}
}

func (m *measures) finish() {
	if m.frames == 0 {
		return
	}
	n := float64(m.frames)
	m.ErrorRMS, m.TurnRMS = math.Sqrt(m.sumSq/n), math.Sqrt(m.turnSq/n)
	m.Starved = float64(m.starved) / n
	if m.frames > 2 {
		m.Rough *= math.Sqrt(m.roughSq / (n - 2))
		m.TrueRough *= math.Sqrt(m.trueSq / (n - 2))
	}
	m.Lag50, m.Lag95 = m.percentile(0.50), m.percentile(0.95)
	m.lags = nil
}

func (m *measures) percentile(p float64) time.Duration {
	seen, want := 0, int(p*float64(m.frames))
	for bin, n := range m.lags {
		if seen += int(n); seen > want {
			return time.Duration(bin) * lagBin
		}
	}
	return lagBins * lagBin
}

// worst keeps the worse value of each figure.
func (m *measures) worst(o *measures) {
	m.ErrorRMS, m.ErrorMax, m.StepMax = max(m.ErrorRMS, o.ErrorRMS), max(m.ErrorMax, o.ErrorMax), max(m.StepMax, o.StepMax)
	m.TurnRMS, m.TurnMax = max(m.TurnRMS, o.TurnRMS), max(m.TurnMax, o.TurnMax)
	m.Jump, m.Starved = max(m.Jump, o.Jump), max(m.Starved, o.Starved)
	m.Rough, m.TrueRough = max(m.Rough, o.Rough), max(m.TrueRough, o.TrueRough)
	m.Lag50, m.Lag95 = max(m.Lag50, o.Lag50), max(m.Lag95, o.Lag95)
	m.RateMin, m.RateMax = min(m.RateMin, o.RateMin), max(m.RateMax, o.RateMax)
	m.Back, m.Jumped, m.Smeared, m.Torn = m.Back+o.Back, m.Jumped+o.Jumped, m.Smeared+o.Smeared, m.Torn+o.Torn
}

// angle returns the angle between two rotations in degrees.
func angle(a, b mgl64.Quat) float64 {
	d := a.Conjugate().Mul(b)
	return 2 * math.Atan2(d.V.Len(), math.Abs(d.W)) * 180 / math.Pi
}

// The measures of a lane of made-up frames are as calculated by hand.
func TestMeasure(t *testing.T) {
	var m measures
	const dt = 1.0 / 60
	for i := range 100 {
		at := time.Duration(i) * tickLength
		x := 6 * at.Seconds()
		f := laneFrame{
			Now: at + 200*ms, Claim: at, Drawn: mgl64.Vec3{x, 0, 0}, Turn: upright,
			Truth: conformance.Truth{Position: mgl64.Vec3{x, 0, 0}, Rotation: upright},
		}
		switch {
		case i == 50: // a jump of 0.3 m beyond the motion
			f.Drawn[0] += 0.3
		case i >= 90:
			f.Info.Starved = true
			f.Turn = mgl64.QuatRotate(math.Pi/6, mgl64.Vec3{0, 1, 0})
		}
		f.Jumped = i == 20
		m.frame(&f, 6, dt)
		m.rate([]float64{1, 0.97, 1.04, -0.1}[i%4])
	}
	m.finish()
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
	near("error rms", m.ErrorRMS, 0.03)
	near("error max", m.ErrorMax, 0.3)
	near("rotation", m.TurnMax, 30)
	near("jump", m.Jump, 0.3)
	near("starved", m.Starved, 0.1)
	near("lag", m.Lag50.Seconds(), 0.2)
	near("lag", m.Lag95.Seconds(), 0.2)
	near("slowest", m.RateMin, -0.1)
	near("fastest", m.RateMax, 1.04)
	// The jump there and back gives second differences of 0.3, -0.6, 0.3.
	near("roughness", m.Rough, 60*60*math.Sqrt((0.09+0.36+0.09)/98))
	near("true roughness", m.TrueRough, 0)
	if m.Back != 25 || m.Jumped != 1 || m.Smeared != 0 {
		t.Errorf("%d steps back, %d jumps, %d smeared", m.Back, m.Jumped, m.Smeared)
	}
	var worst measures
	worst.worst(&m)
	if worst.ErrorMax != m.ErrorMax || worst.Jump != m.Jump || worst.Back != m.Back {
		t.Error("the worst of one is not that one")
	}
}

// A picture half way through a teleport is counted. One before or after it is not counted.
func TestMeasureTeleports(t *testing.T) {
	var m measures
	for i, z := range []float64{0, 0, 50, 25, 50, 0} {
		f := laneFrame{Drawn: mgl64.Vec3{0, 0, z}, Turn: upright, Truth: conformance.Truth{Rotation: upright, Discontinuity: 1}, Jumped: i == 2}
		m.frame(&f, 6, 1.0/60)
	}
	m.finish()
	if m.Smeared != 1 || m.Jumped != 0 || m.ErrorMax != 25 {
		t.Errorf("%d smeared, %d jumps, error %v; want 1, 0, 25", m.Smeared, m.Jumped, m.ErrorMax)
	}
}
