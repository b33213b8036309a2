package interpolation_test

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
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Entities in every kind of motion change tables between capture and frames, in steps, and in
// frames without a step: rows become stale, pictures must not.
func TestTableMovesBetweenCaptureAndFrame(t *testing.T) {
	for _, when := range []string{"in steps", "between updates", "between frames without a step", "in every stage"} {
		t.Run(when, func(t *testing.T) {
			s := NewStage(t, 10)
			sh := NewShuffler(s.W, 11)
			const n = 60
			var all, idle []arche.Entity
			for k := range n {
				all = append(all, s.Spawn(At(0, float64(k), 0)))
			}
			for range 30 { // come and go
				idle = append(idle, s.Spawn(At(77, 0, 0)))
			}
			shuffle := func() {
				for range 10 {
					sh.Shuffle(all[sh.IntN(n)])
				}
				if k := sh.IntN(len(idle)); sh.IntN(2) == 0 {
					s.W.RemoveEntity(idle[k])
					idle[k] = s.Spawn(At(77, 0, 0))
					s.Visuals.Get(idle[k]).Set(At(77, 0, 0)) // if this is after VisualSync
				} else {
					sh.Shuffle(idle[k])
				}
			}
			// Body k moves in ordinary steps, slowly in threes, jumps, or rests.
			s.Fixed(func(now ecs.Time) {
				for k, e := range all {
					x := 10 * Seconds(now.StepEnd)
					switch k % 4 {
					case 0:
						s.Logical(e).Set(At(x, float64(k), 0))
					case 1:
						if now.Tick%3 == 0 {
							s.Logical(e).SetOver(At(x+2, float64(k), 0), 300*time.Millisecond)
						}
					case 2:
						if now.Tick%8 == 0 {
							s.Logical(e).Teleport(At(x, float64(k), 0))
						} else if now.Tick%8 == 4 {
							s.Logical(e).Set(At(x, float64(k), 0))
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
			s.Run(Few(700), FPS(97, 1), func(now ecs.Time) {
				for k, e := range all {
					steps := 10 * Seconds(now.Normal)
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
					if v := s.Visual(e); v.Position[1] != float32(k) {
						t.Fatalf("body %d is drawn in the place of another: %v", k, v)
					}
					s.Near(fmt.Sprintf("body %d", k), s.X(e), want, 2e-5)
				}
				for _, e := range idle {
					s.Near("idle", s.X(e), 77, 0)
				}
				if when == "between updates" || when == "between frames without a step" && now.Steps == 0 {
					shuffle()
				}
			})
		})
	}
}

// Everything moves and everything is in one table, which is followed as a whole: a row that leaves
// and one that comes must be noticed, though the number of rows stays.
func TestOneForOneExchangeOfRows(t *testing.T) {
	s := NewStage(t, 10)
	id := arche.ComponentID[Hat](s.W)
	var in, out []arche.Entity
	for k := range 20 {
		e := s.Spawn(At(0, float64(k), 0))
		if k%2 == 0 {
			s.W.Add(e, id)
			out = append(out, e)
		} else {
			in = append(in, e)
		}
	}
	resting := false
	s.Fixed(func(now ecs.Time) {
		resting = now.Tick%2 == 1
		for _, e := range append(append([]arche.Entity(nil), in...), out...) {
			p := s.Logical(e).Get()
			p.Position[0] = float32(now.Tick + 1)
			if int(p.Position[1])%2 == 0 || !resting {
				s.Logical(e).Set(p)
			}
		}
	})
	r := rand.New(rand.NewPCG(1, 1))
	s.Run(600, FPS(60, 1), func(now ecs.Time) {
		steps := 10 * Seconds(now.Normal)
		for _, list := range [][]arche.Entity{in, out} {
			for _, e := range list {
				want := steps
				if y := int(s.Visual(e).Position[1]); y%2 == 1 { // in steps 0, 2, 4
					start := float64(now.Tick) - 1
					if want = start; now.Tick%2 == 1 {
						want = max(0, start-1) + (steps-start)*(start+1-max(0, start-1))
					}
				}
				s.Near("path", s.X(e), want, 1e-4)
			}
		}
		j, k := r.IntN(len(in)), r.IntN(len(out))
		s.W.Add(in[j], id)
		s.W.Remove(out[k], id)
		in[j], out[k] = out[k], in[j]
	})
}

// Few move, and two of them, which go at different speeds, exchange their tables between two
// frames: in both tables as many rows as before are in motion, and the very same ones, but others
// stand in them.
func TestMoversExchangeRows(t *testing.T) {
	s := NewStage(t, 10)
	id := arche.ComponentID[Hat](s.W)
	const idle, moving = 50, 4
	var in, out []arche.Entity
	for k := range 2 * (idle + moving) {
		e := s.Spawn(At(0, float64(k/2), 0))
		if k%2 == 0 {
			s.W.Add(e, id)
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
	s.Fixed(func(now ecs.Time) {
		for e, v := range speed {
			p := s.Logical(e).Get()
			p.Position[0] = float32(v * float64(now.Tick+1))
			s.Logical(e).Set(p)
		}
	})
	r := rand.New(rand.NewPCG(1, 1))
	s.Run(600, FPS(60, 1), func(now ecs.Time) {
		for _, e := range movers() {
			s.Near("path", s.X(e), speed[e]*10*Seconds(now.Normal), 1e-3)
		}
		for k := range idle {
			s.Near("at rest", s.X(in[k]), 0, 0)
			s.Near("at rest", s.X(out[k]), 0, 0)
		}
		j, k := idle+r.IntN(moving), idle+r.IntN(moving)
		s.W.Add(in[j], id)
		s.W.Remove(out[k], id)
		in[j], out[k] = out[k], in[j]
	})
}

// A second engine on a world that the first has given back starts with the logical values, wherever
// the first was in drawing them.
func TestWorldTakenOverFromAClosedEngine(t *testing.T) {
	h := hierarchy.New3D()
	s := NewStage(t, 10, h)
	moving, slow := s.Spawn(At(0, 0, 0)), s.Spawn(At(0, 0, 0))
	parents := generic.NewMap1[components.Parent](s.W)
	child := s.Spawn(At(1, 0, 0))
	parents.Assign(child, &components.Parent{Entity: moving})
	s.Fixed(func(now ecs.Time) {
		s.Logical(moving).Set(At(float64(now.Tick)+1, 0, 0))
		s.Logical(slow).SetOver(At(100, 0, 0), time.Hour)
	})
	s.Run(33, Constant(13*time.Millisecond), nil)
	s.Close()
	x := float64(s.Logical(moving).Get().Position[0])

	h2 := hierarchy.New3D()
	s2 := NewStageWith(t, ecs.Config{FixedRate: 10, World: s.W}, h2)
	s2.Run(50, Constant(13*time.Millisecond), func(ecs.Time) {
		s2.Near("moving", s2.X(moving), x, 0)
		s2.Near("slow", s2.X(slow), 100, 0)
		s2.Near("child", float64(h2.VisualWorld(child)[12]), x+1, 0)
	})
	s2.Fixed(func(now ecs.Time) { s2.Logical(moving).Set(At(x+float64(now.Tick), 0, 0)) })
	tick := float64(s2.Time().Tick)
	s2.Run(50, Constant(13*time.Millisecond), func(now ecs.Time) {
		if steps := 10 * Seconds(now.Normal); steps > tick+1 {
			s2.Near("moving again", s2.X(moving), x+steps-1, 1e-4)
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
	*l = components.NewLogical(At(0, 0, 0))
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		l, _ := m.Get(body)
		l.Set(At(10*Seconds(e.Time().StepEnd), 0, 0))
	}))
	for range 20 {
		e.Update(13 * time.Millisecond)
	}
	e.Install(interpolation.New3D())
	settled := e.Time().Fixed
	for range 100 {
		e.Update(13 * time.Millisecond)
		now := e.Time()
		_, v := m.Get(body)
		x, want := float64(v.Get().Position[0]), 10*Seconds(now.Normal)
		if now.Normal < settled {
			want = 10 * Seconds(settled)
		}
		if x-want > 1e-4 || want-x > 1e-4 {
			t.Fatalf("at %v drawn at %v, want %v", now.Normal, x, want)
		}
	}
}
