package hierarchy

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/affine"
	"github.com/tandem-ecs/tandem/systems/hierarchy/internal/tree"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// space holds the functions of a hierarchy's poses P and world matrices M.
type space[P, M any] struct {
	identity  P
	origin    M
	normalize func(P) P
	mul       func(p, child P) P
	inverse   func(P) P
	singular  func(P) string // why a pose has no inverse; empty: it has one
	finite    func(P) bool
	poseOf    func(M) P
	other     func(w *arche.World) (logical, visual arche.ID) // of poses of the other kind
	// the remedy for an entity with such poses
	advice    string
	newFrames func() frames[P, M]
}

func space3D() space[components.Pose3D, mgl32.Mat4] {
	return space[components.Pose3D, mgl32.Mat4]{
		identity:  components.Identity3D(),
		origin:    mgl32.Ident4(),
		normalize: components.Pose3D.Normalize,
		mul:       components.Pose3D.Mul,
		inverse:   components.Pose3D.Inverse,
		singular:  singular3D,
		finite:    components.Pose3D.IsFinite,
		poseOf:    affine.PoseOf,
		other: func(w *arche.World) (logical, visual arche.ID) {
			return arche.ComponentID[components.Transform2D](w), arche.ComponentID[components.Visual2D](w)
		},
		advice: "its poses are in the plane: use hierarchy.New2D",
		newFrames: func() frames[components.Pose3D, mgl32.Mat4] {
			return newFrames((*affine.Matrix).Set, (*affine.Matrix).To, affine.Compose)
		},
	}
}

func space2D() space[components.Pose2D, mgl32.Mat3] {
	return space[components.Pose2D, mgl32.Mat3]{
		identity:  components.Identity2D(),
		origin:    mgl32.Ident3(),
		normalize: func(p components.Pose2D) components.Pose2D { return p },
		mul:       components.Pose2D.Mul,
		inverse:   components.Pose2D.Inverse,
		singular:  singular2D,
		finite:    components.Pose2D.IsFinite,
		poseOf:    affine.PoseOf2,
		other: func(w *arche.World) (logical, visual arche.ID) {
			return arche.ComponentID[components.Transform3D](w), arche.ComponentID[components.Visual3D](w)
		},
		advice: "its poses are in space: use hierarchy.New3D",
		newFrames: func() frames[components.Pose2D, mgl32.Mat3] {
			return newFrames((*affine.Matrix2).Set, (*affine.Matrix2).To, affine.Compose2)
		},
	}
}

// frames are the local and world matrices of the members of a hierarchy, in their order. The
// functions are methods of matrices, whose third type parameter they hide.
type frames[P, M any] struct {
	// resize makes room for n members. The old matrices are not kept.
	resize func(n int)
	// take takes a member's local pose over.
	take func(at int32, local *P)
	// takeRows takes over the local poses of the rows that belong to members, and adds those to a
	// set.
	takeRows func(o *tree.Order, rows *interpolation.Rows[P], taken []uint64)
	// hold returns a function that writes a member's present local matrix to another place.
	hold func(at int32) (put func(at int32))
	// world returns a member's world matrix.
	world func(at int32) *M
	// compose makes the world matrices of a run of members. Those of their parents before the run
	// must be right.
	compose func(nodes []tree.Node, from, to int32)
	// composeOn makes a member's world matrix below another one, or of its local pose alone if that
	// is nil.
	composeOn func(at int32, above *M)
	// along composes poses on the way down from above, which is nil for a root.
	along func(way []arche.Entity, local func(arche.Entity) *P, above *M) M
}

// matrices are frames whose local matrices are of type A. The operands of a world matrix lie just
// before or beside it.
type matrices[P, M, A any] struct {
	toLocal func(a *A, p *P)
	toWorld func(a *A, m *M)
	mul     func(m, above *M, local *A)

	locals []A
	worlds []M

	// Scratch: variables would be allocated in every call, since functions get pointers to them.
	own        A
	one, other M
}

func newFrames[P, M, A any](toLocal func(a *A, p *P), toWorld func(a *A, m *M), mul func(m, above *M, local *A)) frames[P, M] {
	f := &matrices[P, M, A]{toLocal: toLocal, toWorld: toWorld, mul: mul}
	return frames[P, M]{f.resize, f.take, f.takeRows, f.hold, f.world, f.compose, f.composeOn, f.along}
}

func (f *matrices[P, M, A]) resize(n int) {
	f.locals, f.worlds = slices.Grow(f.locals[:0], n)[:n], slices.Grow(f.worlds[:0], n)[:n]
}

func (f *matrices[P, M, A]) take(at int32, local *P) { f.toLocal(&f.locals[at], local) }

func (f *matrices[P, M, A]) takeRows(o *tree.Order, rows *interpolation.Rows[P], taken []uint64) {
	local, toLocal, visual := f.locals, f.toLocal, rows.Visual
	for k := range rows.Len() {
		r := rows.Row(k)
		if at := o.Index(rows.Owner(r)); at >= 0 {
			toLocal(&local[at], &visual[r])
			taken[at/64] |= 1 << (at % 64)
		}
	}
}

func (f *matrices[P, M, A]) hold(at int32) (put func(at int32)) {
	held := f.locals[at]
	return func(at int32) { f.locals[at] = held }
}

func (f *matrices[P, M, A]) world(at int32) *M { return &f.worlds[at] }

func (f *matrices[P, M, A]) compose(nodes []tree.Node, from, to int32) {
	nodes, local, world := nodes[:to], f.locals[:to], f.worlds[:to]
	mul, toWorld := f.mul, f.toWorld
	for k := int(from); k < len(nodes) && k < len(local) && k < len(world); k++ {
		if up := int(nodes[k].Parent()); up >= 0 {
			mul(&world[k], &world[up], &local[k])
		} else {
			toWorld(&local[k], &world[k])
		}
	}
}

func (f *matrices[P, M, A]) composeOn(at int32, above *M) {
	if above == nil {
		f.toWorld(&f.locals[at], &f.worlds[at])
		return
	}
	f.mul(&f.worlds[at], above, &f.locals[at])
}

func (f *matrices[P, M, A]) along(way []arche.Entity, local func(arche.Entity) *P, above *M) M {
	world, last := &f.one, &f.other
	k := len(way) - 1
	if above == nil {
		f.toLocal(&f.own, local(way[k]))
		f.toWorld(&f.own, world)
		k--
	} else {
		*world = *above
	}
	for ; k >= 0; k-- {
		world, last = last, world
		f.toLocal(&f.own, local(way[k]))
		f.mul(world, last, &f.own)
	}
	return *world
}
