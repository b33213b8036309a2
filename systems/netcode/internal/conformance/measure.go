package conformance

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// Measure holds the figures of one lane in one run after the warm-up, or the worst of several runs.
type Measure struct {
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
func (m *Measure) frame(f *Frame, top, dt float64) {
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
func modulo(z float64) float64 { return z - teleport*math.Round(z/teleport) }

// step measures the error at a fixed step.
func (m *Measure) step(off mgl64.Vec3, teleports bool) {
	if teleports {
		off[2] = modulo(off[2])
	}
	m.StepMax = max(m.StepMax, off.Len())
}

// rate measures the speed of the view over one step.
func (m *Measure) rate(r float64) {
	if !m.rated {
		m.rated, m.RateMin, m.RateMax = true, r, r
	}
	m.RateMin, m.RateMax = min(m.RateMin, r), max(m.RateMax, r)
	if r < 0 {
		m.Back++
	}
}

func (m *Measure) finish() {
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

func (m *Measure) percentile(p float64) time.Duration {
	seen, want := 0, int(p*float64(m.frames))
	for bin, n := range m.lags {
		if seen += int(n); seen > want {
			return time.Duration(bin) * lagBin
		}
	}
	return lagBins * lagBin
}

// worst keeps the worse value of each figure.
func (m *Measure) worst(o *Measure) {
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
