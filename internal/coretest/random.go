package coretest

import (
	"math/rand/v2"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"
)

// chooser makes the decisions of a random program: rapid's, which can be shrunk, or a seeded
// generator's.
type Chooser interface {
	Pick(n int) int // 0 to n-1
}

type RapidChooser struct{ *rapid.T }

func (c RapidChooser) Pick(n int) int { return rapid.IntRange(0, n-1).Draw(c.T, "pick") }

type SeededChooser struct{ *rand.Rand }

func (c SeededChooser) Pick(n int) int { return c.IntN(n) }

// Components that have nothing to do with interpolation, and make an entity change tables.
type (
	Hat   struct{ _ int32 }
	Coat  struct{ _ [40]byte }
	Group struct{ arche.Relation }
)

// shuffler changes the tables of entities at random.
type Shuffler struct {
	*rand.Rand
	w         *arche.World
	Hat, Coat arche.ID
	Group     arche.ID
	Groups    []arche.Entity
}

func NewShuffler(w *arche.World, seed uint64) *Shuffler {
	s := &Shuffler{Rand: rand.New(rand.NewPCG(seed, 5)), w: w}
	s.Hat, s.Coat, s.Group = arche.ComponentID[Hat](w), arche.ComponentID[Coat](w), arche.ComponentID[Group](w)
	for range 4 {
		s.Groups = append(s.Groups, w.NewEntity())
	}
	return s
}

func (s *Shuffler) Shuffle(e arche.Entity) {
	toggle := func(id arche.ID) {
		if s.w.Has(e, id) {
			s.w.Remove(e, id)
		} else {
			s.w.Add(e, id)
		}
	}
	switch s.IntN(5) {
	case 0:
		toggle(s.Hat)
	case 1:
		toggle(s.Coat)
	case 2:
		toggle(s.Group)
	default:
		if !s.w.Has(e, s.Group) {
			s.w.Add(e, s.Group)
		}
		s.w.Relations().Set(e, s.Group, s.Groups[s.IntN(len(s.Groups))])
	}
}

// Few returns how many random worlds or frames a test plays: n, or an eighth of them in short
// tests. Those look for races and for faults of the browser's build, not for wrong values.
func Few[N int | uint64](n N) N {
	if testing.Short() {
		return (n + 7) / 8
	}
	return n
}
