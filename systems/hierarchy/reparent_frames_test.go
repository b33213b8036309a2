package hierarchy_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
)

// The picture of a step, with reparenting and shifting, does not depend on the frames before it: it
// is equal bit for bit at every moment at which two schedules meet. Slow writers matter here: their
// arrival must not depend on the frames.
func TestReparentedAlikeByAnyFrames(t *testing.T) {
	for seed := range Few(uint64(150)) {
		meet := Between(0, 100*time.Millisecond, seed)
		var moments []time.Duration
		for at, k := time.Duration(0), 0; k < 40; k++ {
			at += meet(k)
			moments = append(moments, at)
		}
		often := drawnAt(t, seed, moments, Between(0, 10*time.Millisecond, seed))
		seldom := drawnAt(t, seed, moments, Constant(time.Hour))
		for k := range moments {
			if often[k] != seldom[k] {
				t.Fatalf("seed %d, at %v: with many frames\n%v\nand with few\n%v", seed, moments[k], often[k], seldom[k])
			}
		}
	}
}

// drawnAt runs a random program of fixed steps, with frames by the schedule that end at the
// moments, and returns the world poses then.
func drawnAt(t *testing.T, seed uint64, moments []time.Duration, frames Schedule) (drawn [][6]mgl32.Mat4) {
	h := hierarchy.New3D()
	f := &treeStage{Stage: NewStageWith(t, ecs.Config{FixedRate: 20, MaxSteps: 100, MaxDelta: time.Hour}, h), h: h}
	var members [6]arche.Entity
	f.parents = generic.NewMap1[components.Parent](f.W)
	for k := range members {
		members[k] = f.Spawn(At(float64(k), 0, 0))
		if k%2 == 1 {
			f.parents.Assign(members[k], &components.Parent{Entity: members[k-1]})
		}
	}
	r := rand.New(rand.NewPCG(seed, 5))
	f.Fixed(func(ecs.Time) {
		for range 4 {
			e := members[r.IntN(len(members))]
			pose := f.Logical(e).Get()
			pose.Position[r.IntN(3)] += r.Float32()
			pose.Rotation = mgl32.QuatRotate(r.Float32(), mgl32.Vec3{0, 1, 0}).Mul(pose.Rotation)
			switch r.IntN(6) {
			case 0:
				f.Logical(e).Teleport(pose)
			case 1, 2:
				f.Logical(e).SetOver(pose, time.Duration(r.Int64N(int64(200*time.Millisecond))))
			case 3:
				_ = h.Reparent(e, members[r.IntN(len(members))]) // or refused: it would be a cycle
			case 4:
				f.Poses.Shift(MoveX(0.25))
			default:
				f.Logical(e).Set(pose)
			}
		}
	})
	f.Update(0)
	n := 0
	for _, moment := range moments {
		for f.Time().Normal < moment {
			f.Update(min(frames(n), moment-f.Time().Normal))
			n++
		}
		var worlds [6]mgl32.Mat4
		for k, e := range members {
			worlds[k] = h.VisualWorld(e)
		}
		drawn = append(drawn, worlds)
	}
	return drawn
}

// A child of a parent whose correction still fades gets another parent. It continues from the place
// where it is drawn, and does not jump by the rest of the offset.
func TestReparentFromAParentUnderCorrection(t *testing.T) {
	f := newTreeStage(t, 20)
	parent := f.Spawn(At(0, 0, 0))
	child, other := f.child(parent, At(1, 0, 0)), f.Spawn(At(5, 0, 0))
	step := 0
	f.Fixed(func(ecs.Time) {
		switch step++; step {
		case 4:
			f.Poses.Correct(parent, At(3, 0, 0), At(3, 0, 0))
		case 6:
			f.reparent(child, other)
		case 8:
			f.reparent(child, arche.Entity{})
		case 9:
			f.reparent(child, parent)
		}
	})
	last, most := 0.0, 0.0
	for k := range 150 {
		f.Update(10 * time.Millisecond)
		x := f.worldX(child)
		if k > 0 {
			most = max(most, max(x-last, last-x))
		}
		last = x
	}
	// In a frame a tenth of the half-life passes: 3 m shorten by 0.2 m. What is left of it when the
	// child is let go, 1.6 m, takes a step of five frames.
	if most > 0.33 || most < 0.1 {
		t.Errorf("the child moved %.3f m in a frame, want at most 0.32", most)
	}
}
