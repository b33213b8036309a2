package interpolation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// machine runs a random program on an engine and on the model at once.
type machine struct {
	Chooser
	fatalf func(format string, args ...any)

	e        *ecs.Engine
	w        *arche.World
	ip       *interpolation.Interpolator[components.Pose3D]
	logicals generic.Map1[components.Transform3D]
	visuals  generic.Map1[components.Visual3D]
	stills   generic.Map1[components.NoInterpolation]
	tables   *Shuffler

	bodies   []*modelBody
	disabled bool
	last     [2]time.Duration
	origin   float64
	ops      int
	trace    []string // the newest operations, for the report
	failure  string   // the first; told outside of Update, which would dress it up

	// that were captured, so that a test knows that it tested something
	jumps, moves, mends, departures int
}

const machineHalfLife = 40 * time.Millisecond

func newMachine(c Chooser, fatalf func(string, ...any)) *machine {
	e, err := ecs.New(ecs.Config{FixedRate: 30, MaxSteps: 5})
	if err != nil {
		fatalf("%v", err)
	}
	m := &machine{Chooser: c, fatalf: fatalf, e: e, w: e.World()}
	m.ip = interpolation.New3D()
	m.ip.HalfLife = machineHalfLife
	e.Install(m.ip)
	m.logicals = generic.NewMap1[components.Transform3D](m.w)
	m.visuals = generic.NewMap1[components.Visual3D](m.w)
	m.stills = generic.NewMap1[components.NoInterpolation](m.w)
	m.tables = NewShuffler(m.w, uint64(c.Pick(1000)))
	all := func(f func(b *modelBody)) ecs.System {
		return ecs.SystemFunc(func(*arche.World) {
			for _, b := range m.bodies {
				f(b)
			}
		})
	}
	e.AddAt(ecs.FixedUpdate, ecs.OrderBegin-1, all((*modelBody).settle))
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { m.some(4, true) }))
	e.AddAt(ecs.FixedEnd, ecs.OrderUser, ecs.SystemFunc(func(*arche.World) { m.some(1, false) }))
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture+1, ecs.SystemFunc(func(*arche.World) {
		now := m.e.Time()
		step := [2]time.Duration{now.StepStart, now.StepEnd}
		for _, b := range m.bodies {
			b.capture(m.last, step, now.RealDelta, machineHalfLife)
		}
		m.last = step
	}))
	e.AddAt(ecs.VisualSync, ecs.OrderSync+1, ecs.SystemFunc(func(*arche.World) { m.look() }))
	e.Add(ecs.NormalUpdate, ecs.SystemFunc(func(*arche.World) { m.some(2, false) }))
	return m
}

// frame runs one frame of the program.
func (m *machine) frame() {
	m.some(3, true)
	dt := time.Duration(m.Pick(40)) * time.Millisecond
	switch m.Pick(20) {
	case 0:
		dt = 0
	case 1:
		dt = -dt
	case 2:
		dt *= 10
	case 3, 4, 5:
		dt = time.Duration(m.Pick(3_000_000))
	}
	m.note("update %v", dt)
	m.e.Update(dt)
	defer func() {
		if m.failure != "" {
			m.fatalf("%s", m.failure)
		}
	}()
	if now := m.e.Time(); now.Fixed <= now.Normal {
		m.fail("fixed %v is not ahead of normal %v", now.Fixed, now.Normal)
	}
}

func (m *machine) note(format string, args ...any) {
	m.ops++
	if len(m.trace) == 200 {
		m.trace = append(m.trace[:0], m.trace[100:]...)
	}
	m.trace = append(m.trace, fmt.Sprintf("t%d ", m.e.Time().Tick)+fmt.Sprintf(format, args...))
}

func (m *machine) fail(format string, args ...any) {
	if m.failure == "" {
		m.failure = fmt.Sprintf("%s\nafter:\n  %s", fmt.Sprintf(format, args...), strings.Join(m.trace, "\n  "))
	}
}

// look compares every picture with the model's.
func (m *machine) look() {
	now := m.e.Time()
	for _, b := range m.bodies {
		want := b.draw(now.Normal, now.RealDelta, m.disabled, machineHalfLife)
		if !b.visual {
			continue
		}
		got := m.visuals.Get(b.entity).Get()
		if !b.logical && !b.samples {
			if math.Abs(float64(got.Position[0])-want.x) > 1e-6*(1+math.Abs(want.x)) {
				m.fail("%v, only visual, is drawn at %v, want %v", b.entity, got, want)
			}
			continue
		}
		if !(math.Abs(float64(got.Position[0])-want.x) <= 4e-6*b.size()) {
			m.fail("%v is drawn at %v, want %v\n%+v", b.entity, got, want, *b)
		}
		if !(DegreesApart(got.Rotation, TurnY(want.degrees)) <= 0.02) {
			m.fail("%v is turned to %v, want %v degrees\n%+v", b.entity, got, want.degrees, *b)
		}
		if !b.samples {
			continue
		}
		both, ok := m.ip.Samples(b.entity)
		prev, cur, from, to := both.From, both.To, both.Start, both.End
		if !ok || math.Abs(float64(cur.Position[0])-b.cur.x) > 4e-6*b.size() {
			m.fail("%v has the sample %v, want %v", b.entity, cur, b.cur)
		}
		if now.Normal < b.to && b.from < b.to && b.prev != b.cur {
			if from != b.from || to != b.to || math.Abs(float64(prev.Position[0])-b.prev.x) > 4e-6*b.size() {
				m.fail("%v comes from %v over [%v, %v), want %v over [%v, %v)", b.entity, prev, from, to, b.prev, b.from, b.to)
			}
		}
		if f := DegreesApart(m.logicals.Get(b.entity).Get().Normalize().Rotation, TurnY(b.value.degrees)); !(f < 0.01) {
			m.fail("%v's logical rotation is off by %v degrees", b.entity, f)
		}
	}
}

// some runs up to n operations. Inside FixedUpdate, and between Updates, all are allowed.
func (m *machine) some(n int, everything bool) {
	for range m.Pick(n + 1) {
		if m.Pick(7) == 0 {
			m.control(everything)
			continue
		}
		if len(m.bodies) == 0 || len(m.bodies) < 25 && m.Pick(6) == 0 {
			m.spawn()
			continue
		}
		m.operate(m.bodies[m.Pick(len(m.bodies))], everything)
	}
}

// control turns one of the knobs.
func (m *machine) control(everything bool) {
	switch op := m.Pick(6); op {
	case 0:
		m.disabled = m.Pick(3) == 0
		m.note("disabled %v", m.disabled)
		m.ip.SetEnabled(!m.disabled)
	case 1:
		scale := []float64{0, 0.25, 1, 1, 1, 4}[m.Pick(6)]
		m.note("scale %v", scale)
		m.must(m.e.SetScale(scale))
	case 2:
		rate := []int{20, 30, 60}[m.Pick(3)]
		m.note("rate %v", rate)
		m.must(m.e.SetRate(rate))
	case 3:
		m.note("step")
		m.must(m.e.RequestStep())
	case 4:
		k := m.Pick(len(m.tables.Groups))
		m.note("new group %d", k)
		m.w.RemoveEntity(m.tables.Groups[k])
		m.tables.Groups[k] = m.w.NewEntity()
	case 5:
		if !everything {
			return
		}
		d := float64(m.Pick(33)-16) * 8
		if math.Abs(m.origin+d) > 1024 {
			d = -d
		}
		m.origin += d
		m.note("shift all by %v", d)
		m.ip.Shift(MoveX(d))
		for _, b := range m.bodies {
			b.shift(d)
		}
	}
}

func (m *machine) must(err error) {
	if err != nil {
		m.fail("%v", err)
	}
}

func (m *machine) value(b *modelBody) (modelValue, components.Pose3D) {
	v := modelValue{x: float64(m.Pick(4096)-2048)/16 + m.origin}
	if b.spins {
		v.degrees = float64(m.Pick(170) - 85)
	}
	// Quaternions of any length will do.
	return v, Turned(At(v.x, 0, 0), TurnY(v.degrees).Scale([]float32{1, 1, -1, 1.5}[m.Pick(4)]))
}

func (m *machine) spawn() {
	b := &modelBody{logical: true, visual: true, spins: m.Pick(2) == 0, write: jumps}
	v, pose := m.value(b)
	b.value, b.drawn = v, v
	from := pose
	switch m.Pick(8) {
	case 0: // a server's
		b.visual = false
	case 1: // only to be seen
		b.logical, b.spins = false, false
	case 2, 3: // in motion
		var start modelValue
		start, from = m.value(b)
		b.born, b.write = &start, moves
	}
	b.entity = m.w.NewEntity()
	if b.born != nil {
		l, x := components.InMotion(from, pose)
		m.logicals.Assign(b.entity, &l)
		m.visuals.Assign(b.entity, &x)
		m.bodies = append(m.bodies, b)
		m.note("spawn %v in motion from %v: %+v", b.entity, *b.born, *b)
		return
	}
	if b.logical {
		l := components.NewLogical(pose)
		m.logicals.Assign(b.entity, &l)
	}
	if b.visual {
		x := components.NewVisual(Turned(At(v.x, 0, 0), TurnY(v.degrees)))
		m.visuals.Assign(b.entity, &x)
	}
	m.bodies = append(m.bodies, b)
	m.note("spawn %v %+v", b.entity, *b)
}

// Case 53, many short programs.
func TestCase53RandomProgramsAgainstTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(RapidChooser{T: t}, t.Fatalf)
		for range rapid.IntRange(1, 40).Draw(t, "frames") {
			m.frame()
		}
	})
}

// Case 53, a long one.
func TestCase53LongProgramAgainstTheModel(t *testing.T) {
	for seed := range Few(uint64(4)) {
		m := newMachine(SeededChooser{Rand: rand.New(rand.NewPCG(seed, 53))}, func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d: "+format, append([]any{seed}, args...)...)
		})
		for m.ops < Few(40_000) {
			m.frame()
		}
		if least := Few(100); m.jumps < least || m.moves < least || m.mends < least || m.departures < least/4 {
			t.Errorf("seed %d: only %d jumps, %d slow moves, %d corrections, %d departures; the test shows little", seed, m.jumps, m.moves, m.mends, m.departures)
		}
	}
}
