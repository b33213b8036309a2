package systems_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

// Components that have nothing to do with interpolation, and make an entity change tables.
type (
	hat   struct{ _ int32 }
	coat  struct{ _ [40]byte }
	group struct{ arche.Relation }
)

// shuffler changes the tables of entities at random.
type shuffler struct {
	*rand.Rand
	w         *arche.World
	hat, coat arche.ID
	group     arche.ID
	groups    []arche.Entity
}

func newShuffler(w *arche.World, seed uint64) *shuffler {
	s := &shuffler{Rand: rand.New(rand.NewPCG(seed, 5)), w: w}
	s.hat, s.coat, s.group = arche.ComponentID[hat](w), arche.ComponentID[coat](w), arche.ComponentID[group](w)
	for range 4 {
		s.groups = append(s.groups, w.NewEntity())
	}
	return s
}

func (s *shuffler) shuffle(e arche.Entity) {
	toggle := func(id arche.ID) {
		if s.w.Has(e, id) {
			s.w.Remove(e, id)
		} else {
			s.w.Add(e, id)
		}
	}
	switch s.IntN(5) {
	case 0:
		toggle(s.hat)
	case 1:
		toggle(s.coat)
	case 2:
		toggle(s.group)
	default:
		if !s.w.Has(e, s.group) {
			s.w.Add(e, s.group)
		}
		s.w.Relations().Set(e, s.group, s.groups[s.IntN(len(s.groups))])
	}
}

// Entities in every kind of motion change tables between capture and frames, in steps, and in frames without a step: rows become stale, pictures must not.
func TestTableMovesBetweenCaptureAndFrame(t *testing.T) {
	for _, when := range []string{"in steps", "between updates", "between frames without a step", "in every stage"} {
		t.Run(when, func(t *testing.T) {
			s := newStage(t, 10)
			sh := newShuffler(s.w, 11)
			const n = 60
			var all, idle []arche.Entity
			for k := range n {
				all = append(all, s.spawn(at(0, float64(k), 0)))
			}
			for range 30 { // come and go
				idle = append(idle, s.spawn(at(77, 0, 0)))
			}
			shuffle := func() {
				for range 10 {
					sh.shuffle(all[sh.IntN(n)])
				}
				if k := sh.IntN(len(idle)); sh.IntN(2) == 0 {
					s.w.RemoveEntity(idle[k])
					idle[k] = s.spawn(at(77, 0, 0))
					s.visuals.Get(idle[k]).Set(at(77, 0, 0)) // if this is after VisualSync
				} else {
					sh.shuffle(idle[k])
				}
			}
			// Body k moves in ordinary steps, slowly in threes, jumps, or rests.
			s.fixed(func(now ecs.Time) {
				for k, e := range all {
					x := 10 * seconds(now.StepEnd)
					switch k % 4 {
					case 0:
						s.logical(e).Set(at(x, float64(k), 0))
					case 1:
						if now.Tick%3 == 0 {
							s.logical(e).SetOver(at(x+2, float64(k), 0), 300*time.Millisecond)
						}
					case 2:
						if now.Tick%8 == 0 {
							s.logical(e).Teleport(at(x, float64(k), 0))
						} else if now.Tick%8 == 4 {
							s.logical(e).Set(at(x, float64(k), 0))
						}
					}
				}
				if when == "in steps" || when == "in every stage" {
					shuffle()
				}
			})
			if when == "in every stage" {
				for _, stage := range []ecs.Stage{ecs.FixedEnd, ecs.VisualSync, ecs.NormalUpdate, ecs.Render} {
					for _, order := range []ecs.Order{ecs.OrderSync - 10, ecs.OrderSync + 10, ecs.OrderUser, ecs.OrderCapture + 10} {
						s.AddAt(stage, order, ecs.SystemFunc(func(*arche.World) { shuffle() }))
					}
				}
			}
			s.run(700, fps(97, 1), func(now ecs.Time) {
				for k, e := range all {
					steps := 10 * seconds(now.Normal)
					want := steps
					switch k % 4 {
					case 2:
						phase := float64(int(steps)/8*8) + 1
						want = phase
						if in := steps - phase - 3; in >= 0 {
							want += 4 * min(1, in)
						}
					case 3:
						want = 0
					}
					if v := s.visual(e); v.Position[1] != float32(k) {
						t.Fatalf("body %d is drawn in the place of another: %v", k, v)
					}
					s.near(fmt.Sprintf("body %d", k), s.x(e), want, 2e-5)
				}
				for _, e := range idle {
					s.near("idle", s.x(e), 77, 0)
				}
				if when == "between updates" || when == "between frames without a step" && now.Steps == 0 {
					shuffle()
				}
			})
		})
	}
}

// Everything moves and everything is in one table, which is followed as a whole: a row that leaves and one that comes must be noticed, though
// the number of rows stays.
func TestOneForOneExchangeOfRows(t *testing.T) {
	s := newStage(t, 10)
	id := arche.ComponentID[hat](s.w)
	var in, out []arche.Entity
	for k := range 20 {
		e := s.spawn(at(0, float64(k), 0))
		if k%2 == 0 {
			s.w.Add(e, id)
			out = append(out, e)
		} else {
			in = append(in, e)
		}
	}
	resting := false
	s.fixed(func(now ecs.Time) {
		resting = now.Tick%2 == 1
		for _, e := range append(append([]arche.Entity(nil), in...), out...) {
			p := s.logical(e).Get()
			p.Position[0] = float32(now.Tick + 1)
			if int(p.Position[1])%2 == 0 || !resting {
				s.logical(e).Set(p)
			}
		}
	})
	r := rand.New(rand.NewPCG(1, 1))
	s.run(600, fps(60, 1), func(now ecs.Time) {
		steps := 10 * seconds(now.Normal)
		for _, list := range [][]arche.Entity{in, out} {
			for _, e := range list {
				want := steps
				if y := int(s.visual(e).Position[1]); y%2 == 1 { // in steps 0, 2, 4
					start := float64(now.Tick) - 1
					if want = start; now.Tick%2 == 1 {
						want = max(0, start-1) + (steps-start)*(start+1-max(0, start-1))
					}
				}
				s.near("path", s.x(e), want, 1e-4)
			}
		}
		j, k := r.IntN(len(in)), r.IntN(len(out))
		s.w.Add(in[j], id)
		s.w.Remove(out[k], id)
		in[j], out[k] = out[k], in[j]
	})
}

// Few move, and two of them, which go at different speeds, exchange their tables between two frames: in both tables as many rows as before are in motion, and
// the very same ones, but others stand in them.
func TestMoversExchangeRows(t *testing.T) {
	s := newStage(t, 10)
	id := arche.ComponentID[hat](s.w)
	const idle, moving = 50, 4
	var in, out []arche.Entity
	for k := range 2 * (idle + moving) {
		e := s.spawn(at(0, float64(k/2), 0))
		if k%2 == 0 {
			s.w.Add(e, id)
			out = append(out, e)
		} else {
			in = append(in, e)
		}
	}
	movers := func() []arche.Entity { return append(slices.Clone(in[idle:]), out[idle:]...) }
	speed := map[arche.Entity]float64{}
	for k, e := range movers() {
		speed[e] = float64(k + 1)
	}
	s.fixed(func(now ecs.Time) {
		for e, v := range speed {
			p := s.logical(e).Get()
			p.Position[0] = float32(v * float64(now.Tick+1))
			s.logical(e).Set(p)
		}
	})
	r := rand.New(rand.NewPCG(1, 1))
	s.run(600, fps(60, 1), func(now ecs.Time) {
		for _, e := range movers() {
			s.near("path", s.x(e), speed[e]*10*seconds(now.Normal), 1e-3)
		}
		for k := range idle {
			s.near("at rest", s.x(in[k]), 0, 0)
			s.near("at rest", s.x(out[k]), 0, 0)
		}
		j, k := idle+r.IntN(moving), idle+r.IntN(moving)
		s.w.Add(in[j], id)
		s.w.Remove(out[k], id)
		in[j], out[k] = out[k], in[j]
	})
}

// A second engine on a world that the first has given back starts with the logical values, wherever the first was in drawing them.
func TestWorldTakenOverFromAClosedEngine(t *testing.T) {
	h := systems.Hierarchy3D()
	s := newStage(t, 10, h)
	moving, slow := s.spawn(at(0, 0, 0)), s.spawn(at(0, 0, 0))
	parents := generic.NewMap1[components.Parent](s.w)
	child := s.spawn(at(1, 0, 0))
	parents.Assign(child, &components.Parent{Entity: moving})
	s.fixed(func(now ecs.Time) {
		s.logical(moving).Set(at(float64(now.Tick)+1, 0, 0))
		s.logical(slow).SetOver(at(100, 0, 0), time.Hour)
	})
	s.run(33, constant(13*time.Millisecond), nil)
	s.Close()
	x := float64(s.logical(moving).Get().Position[0])

	h2 := systems.Hierarchy3D()
	s2 := newStageWith(t, ecs.Config{FixedRate: 10, World: s.w}, h2)
	s2.run(50, constant(13*time.Millisecond), func(ecs.Time) {
		s2.near("moving", s2.x(moving), x, 0)
		s2.near("slow", s2.x(slow), 100, 0)
		s2.near("child", float64(h2.VisualWorld(child)[12]), x+1, 0)
	})
	s2.fixed(func(now ecs.Time) { s2.logical(moving).Set(at(x+float64(now.Tick), 0, 0)) })
	tick := float64(s2.Time().Tick)
	s2.run(50, constant(13*time.Millisecond), func(now ecs.Time) {
		if steps := 10 * seconds(now.Normal); steps > tick+1 {
			s2.near("moving again", s2.x(moving), x+steps-1, 1e-4)
		}
	})
}

func TestInstallingWhileRunning(t *testing.T) {
	e, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		t.Fatal(err)
	}
	w := e.World()
	m := generic.NewMap2[components.Transform3D, components.Visual3D](w)
	body := m.New()
	l, _ := m.Get(body)
	*l = components.NewLogical(at(0, 0, 0))
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		l, _ := m.Get(body)
		l.Set(at(10*seconds(e.Time().StepEnd), 0, 0))
	}))
	for range 20 {
		e.Update(13 * time.Millisecond)
	}
	e.Install(systems.Interpolation3D())
	settled := e.Time().Fixed
	for range 100 {
		e.Update(13 * time.Millisecond)
		now := e.Time()
		_, v := m.Get(body)
		x, want := float64(v.Get().Position[0]), 10*seconds(now.Normal)
		if now.Normal < settled {
			want = 10 * seconds(settled)
		}
		if x-want > 1e-4 || want-x > 1e-4 {
			t.Fatalf("at %v drawn at %v, want %v", now.Normal, x, want)
		}
	}
}
