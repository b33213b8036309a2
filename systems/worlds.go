package systems

import (
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/internal/census"
)

// ancestry walks from entities to their roots, by the parents that they have at the moment.
type ancestry struct {
	world  *arche.World
	parent arche.ID
	living census.Census  // a Parent may come from a saved game or from another world
	chain  []arche.Entity // of the last walk: an entity and its ancestors
}

// parentOf returns the parent of a living entity, or the zero entity.
func (a *ancestry) parentOf(e arche.Entity) arche.Entity {
	if p := (*components.Parent)(a.world.GetUnchecked(e, a.parent)); p != nil {
		return p.Entity
	}
	return arche.Entity{}
}

// path makes the chain that of an entity and its living ancestors, each once. It returns from where on the chain is a cycle, and its length if it is none.
//
// Cycles are found as by Brent (1980): the walk comes back to an ancestor of whom it has taken a note, and notes are twice as far apart every time.
func (a *ancestry) path(e arche.Entity) (cycleFrom int) {
	a.chain = a.chain[:0]
	var noted arche.Entity
	note := 1 // how long the chain is at the next one
	for at := e; (a.living.Known(at) || a.living.Find(at)) && a.world.Alive(at); at = a.parentOf(at) {
		if at == noted {
			notedAt := note/2 - 1
			round := len(a.chain) - notedAt
			for cycleFrom < notedAt && a.chain[cycleFrom] != a.chain[cycleFrom+round] {
				cycleFrom++
			}
			a.chain = a.chain[:cycleFrom+round]
			return cycleFrom
		}
		a.chain = append(a.chain, at)
		if len(a.chain) == note {
			noted, note = at, 2*note
		}
	}
	return len(a.chain)
}

// upward returns the part of the chain up to the first that counts as a root, as the members of a cycle do. If that is because a dead one is next, it returns who died. The chain is
// valid until the next walk.
func (a *ancestry) upward(e arche.Entity) (chain []arche.Entity, gone arche.Entity) {
	n := a.path(e)
	switch {
	case n < len(a.chain): // a cycle
		return a.chain[:n+1], arche.Entity{}
	case n == 0:
		return nil, e
	default:
		return a.chain, a.parentOf(a.chain[n-1])
	}
}

// worldOf composes the world pose of a living entity on the way down from its root, or from the last world pose of an ancestor who is dead.
func (a *ancestry) worldOf(e arche.Entity, local func(arche.Entity) *components.Pose3D, last func(arche.Entity) mgl32.Mat4) mgl32.Mat4 {
	chain, gone := a.upward(e)
	k := len(chain) - 1
	var own affine
	var one, other mgl32.Mat4
	world, above := &one, &other
	if gone.IsZero() {
		own.set(local(chain[k]))
		own.to(world)
		k--
	} else {
		*world = last(gone)
	}
	for ; k >= 0; k-- {
		world, above = above, world
		own.set(local(chain[k]))
		compose(world, above, &own)
	}
	return *world
}

var identity = affine{0: 1, 4: 1, 8: 1}

// affine is a matrix without its last row, column by column: three axes and a translation.
type affine [12]float32

// set makes it that of a pose. A rotation that is not of unit length is normalised.
func (a *affine) set(p *components.Pose3D) {
	x, y, z, w := p.Rotation.V[0], p.Rotation.V[1], p.Rotation.V[2], p.Rotation.W
	// As in components.NormalizeQuat, which is too large to be inlined.
	if d := float32(w*w) + float32(x*x) + float32(y*y) + float32(z*z) - 1; !(d < 3e-7 && d > -3e-7) {
		q := components.NormalizeQuat(p.Rotation)
		x, y, z, w = q.V[0], q.V[1], q.V[2], q.W
	}
	sx, sy, sz := p.Scale[0], p.Scale[1], p.Scale[2]
	a[0], a[1], a[2] = (1-2*(y*y+z*z))*sx, 2*(x*y+w*z)*sx, 2*(x*z-w*y)*sx
	a[3], a[4], a[5] = 2*(x*y-w*z)*sy, (1-2*(x*x+z*z))*sy, 2*(y*z+w*x)*sy
	a[6], a[7], a[8] = 2*(x*z+w*y)*sz, 2*(y*z-w*x)*sz, (1-2*(x*x+y*y))*sz
	a[9], a[10], a[11] = p.Position[0], p.Position[1], p.Position[2]
}

// to writes the whole matrix.
func (a *affine) to(m *mgl32.Mat4) {
	m[0], m[1], m[2], m[3] = a[0], a[1], a[2], 0
	m[4], m[5], m[6], m[7] = a[3], a[4], a[5], 0
	m[8], m[9], m[10], m[11] = a[6], a[7], a[8], 0
	m[12], m[13], m[14], m[15] = a[9], a[10], a[11], 1
}

// compose sets m to the world pose of what stands in b in the frame of a. Both are affine, so that the last row need not be multiplied.
//
// It is written out, without an array passed by value: those go through memory, and wait there for each of their parts.
func compose(m, a *mgl32.Mat4, b *affine) {
	x0, x1, x2 := a[0], a[1], a[2]
	y0, y1, y2 := a[4], a[5], a[6]
	z0, z1, z2 := a[8], a[9], a[10]
	x, y, z := b[0], b[1], b[2]
	m[0], m[1], m[2], m[3] = x0*x+y0*y+z0*z, x1*x+y1*y+z1*z, x2*x+y2*y+z2*z, 0
	x, y, z = b[3], b[4], b[5]
	m[4], m[5], m[6], m[7] = x0*x+y0*y+z0*z, x1*x+y1*y+z1*z, x2*x+y2*y+z2*z, 0
	x, y, z = b[6], b[7], b[8]
	m[8], m[9], m[10], m[11] = x0*x+y0*y+z0*z, x1*x+y1*y+z1*z, x2*x+y2*y+z2*z, 0
	x, y, z = b[9], b[10], b[11]
	m[12], m[13], m[14], m[15] = x0*x+y0*y+z0*z+a[12], x1*x+y1*y+z1*z+a[13], x2*x+y2*y+z2*z+a[14], 1
}

// poseOf takes an affine matrix apart. Shear is lost; a mirrored matrix gets its mirror on the x axis.
func poseOf(m mgl32.Mat4) components.Pose3D {
	x, y, z := m.Col(0).Vec3(), m.Col(1).Vec3(), m.Col(2).Vec3()
	scale := mgl32.Vec3{x.Len(), y.Len(), z.Len()}
	if x.Cross(y).Dot(z) < 0 {
		scale[0] = -scale[0]
	}
	axis := func(v mgl32.Vec3, s float32) mgl32.Vec3 {
		if s == 0 {
			return mgl32.Vec3{}
		}
		return v.Mul(1 / s)
	}
	x, y, z = axis(x, scale[0]), axis(y, scale[1]), axis(z, scale[2])
	rotation := mgl32.Mat4ToQuat(mgl32.Mat4FromCols(x.Vec4(0), y.Vec4(0), z.Vec4(0), mgl32.Vec4{0, 0, 0, 1}))
	return components.Pose3D{Position: m.Col(3).Vec3(), Rotation: components.NormalizeQuat(rotation), Scale: scale}
}

// posePointer reads a column cell that holds a pose first: a Visual, or a Logical's record.
func posePointer(p unsafe.Pointer) *components.Pose3D { return (*components.Pose3D)(p) }
