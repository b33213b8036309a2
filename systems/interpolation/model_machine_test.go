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

	jumps, moves, mends int // that were captured, so that a test knows that it tested something
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
	switch m.Pick(8) {
	case 0: // a server's
		b.visual = false
	case 1: // only to be seen
		b.logical, b.spins = false, false
	}
	b.entity = m.w.NewEntity()
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

// operate does something to one body.
func (m *machine) operate(b *modelBody, everything bool) {
	switch m.Pick(10) {
	case 0:
		m.rebuild(b)
		return
	case 1:
		m.note("table of %v", b.entity)
		m.tables.Shuffle(b.entity)
		return
	}
	if !b.logical {
		if b.visual && !b.samples {
			// with samples that are only about to go it still is the interpolator's
			v, pose := m.value(b)
			m.note("draw %v at %v", b.entity, v)
			m.visuals.Get(b.entity).Set(pose)
			b.drawn = v
		}
		return
	}
	l := m.logicals.Get(b.entity)
	v, pose := m.value(b)
	switch op := m.Pick(12); op {
	case 0, 1, 2, 3:
		m.note("set %v %v", b.entity, v)
		l.Set(pose)
		b.note(moves, 0)
	case 4, 5, 6:
		over := time.Duration(m.Pick(300_000)-3000) * time.Microsecond
		if m.Pick(4) == 0 { // to the end of this step, or of the next ones
			over = m.e.Time().FixedDelta * time.Duration(m.Pick(4))
		}
		m.note("set %v %v over %v", b.entity, v, over)
		l.SetOver(pose, over)
		b.note(arrives, over)
	case 7:
		m.note("teleport %v %v", b.entity, v)
		l.Teleport(pose)
		b.note(jumps, 0)
	case 8, 9:
		if b.spins { // offsets of more than half a turn are ambiguous
			return
		}
		if op == 8 || !everything {
			m.note("correct %v %v", b.entity, v)
			l.Correct(pose)
			b.note(mended, 0)
			break
		}
		start, startPose := m.value(b)
		m.note("correct %v %v to %v", b.entity, start, v)
		sampled := b.samples && b.visual
		if m.ip.Correct(b.entity, startPose, pose) != sampled {
			m.fail("Correct of %v did not report %v", b.entity, sampled)
		}
		if sampled {
			b.note(mended, 0)
			b.start = &start
		}
	case 10:
		m.note("overwrite %v %v", b.entity, v)
		*l = components.NewLogical(pose)
		b.write, b.borrowed = jumps, false
	case 11:
		other := m.bodies[m.Pick(len(m.bodies))]
		// A value that was lent and comes back to its owner before a capture is the owner's own
		// again, with all that was written to it meanwhile.
		if other == b || !other.logical || other.borrowed || other.spins && !b.spins {
			return
		}
		m.note("copy %v to %v", other.entity, b.entity)
		*l = *m.logicals.Get(other.entity)
		b.write, b.borrowed = jumps, true
		v = other.value
	}
	b.value = v
}

// rebuild changes what a body has.
func (m *machine) rebuild(b *modelBody) {
	switch m.Pick(7) {
	case 0:
		m.note("despawn %v", b.entity)
		m.w.RemoveEntity(b.entity)
		m.jumps, m.moves, m.mends = m.jumps+b.jumpsSeen, m.moves+b.movesSeen, m.mends+b.mends
		for k, o := range m.bodies {
			if o == b {
				m.bodies = append(m.bodies[:k], m.bodies[k+1:]...)
				return
			}
		}
	case 1, 2:
		if b.still {
			m.stills.Remove(b.entity)
		} else {
			m.stills.Add(b.entity)
		}
		b.still = !b.still
		m.note("still %v %v", b.entity, b.still)
	case 3, 4: // without a logical value it is only visual, and stays where it was drawn
		if b.logical {
			m.note("logical removed from %v", b.entity)
			m.logicals.Remove(b.entity)
			b.logical = false
			if b.visual {
				p := m.visuals.Get(b.entity).Get()
				b.drawn = modelValue{x: float64(p.Position[0])}
			}
			return
		}
		v, pose := m.value(b)
		m.note("logical %v given to %v", v, b.entity)
		l := components.NewLogical(pose)
		m.logicals.Assign(b.entity, &l)
		b.logical, b.value, b.write, b.borrowed = true, v, jumps, false
	case 5, 6:
		if b.visual {
			m.note("visual removed from %v", b.entity)
			m.visuals.Remove(b.entity)
			b.visual = false
			return
		}
		if b.samples {
			return // within one stage a new visual value is not told from the old one
		}
		m.note("visual given to %v", b.entity)
		m.visuals.Add(b.entity)
		b.visual = true
		b.drawn = modelValue{}
	}
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
	for seed := range uint64(4) {
		m := newMachine(SeededChooser{Rand: rand.New(rand.NewPCG(seed, 53))}, func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d: "+format, append([]any{seed}, args...)...)
		})
		for m.ops < 40_000 {
			m.frame()
		}
		if m.jumps < 100 || m.moves < 100 || m.mends < 100 {
			t.Errorf("seed %d: only %d jumps, %d slow moves, %d corrections; the test shows little", seed, m.jumps, m.moves, m.mends)
		}
	}
}
