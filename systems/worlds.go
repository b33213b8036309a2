package systems

import (
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// worlds caches world poses of one kind, logical or visual, by entity.
//
// A cached pose is right as long as the local pose is the one it was made from, the parent is the same, and the parent's *world* pose has not been made
// anew since. Celerity compares the parent's local revision instead, so that a sibling stays stale once somebody else has refreshed the parent
// after a grandparent had moved. Comparing the local pose itself, forty bytes, needs no revision and misses no way of writing one.
type worlds struct {
	world  *arche.World
	parent arche.ID
	local  func(e arche.Entity) components.Pose3D // identity for an entity without a pose
	cache  []worldPose                            // by entity id
	serial uint32
	chain  []arche.Entity // scratch: an entity and its ancestors
	onPath []uint32       // by entity id: the walk that has it on its chain
	walk   uint32
}

type worldPose struct {
	world     mgl32.Mat4
	local     components.Pose3D
	entity    arche.Entity // whose it is; the zero entity: nobody's yet
	parent    arche.Entity // the zero entity: a root
	revision  uint32       // differs whenever world was made anew
	parentRev uint32
}

func (w *worlds) grow(id uint32) {
	if n := int(id) + 1; n > len(w.cache) {
		n = max(n, 2*len(w.cache))
		w.cache = append(w.cache, make([]worldPose, n-len(w.cache))...)
		w.onPath = append(w.onPath, make([]uint32, n-len(w.onPath))...)
	}
}

// parentOf returns the parent of a living entity, or the zero entity.
func (w *worlds) parentOf(e arche.Entity) arche.Entity {
	if !w.world.HasUnchecked(e, w.parent) {
		return arche.Entity{}
	}
	return (*components.Parent)(w.world.GetUnchecked(e, w.parent)).Entity
}

// path makes the chain that of an entity and its living ancestors. It returns from where on the chain is a cycle, and its length if it is none.
func (w *worlds) path(e arche.Entity) (cycleFrom int) {
	w.walk++
	w.chain = w.chain[:0]
	for at := e; !at.IsZero() && w.world.Alive(at); at = w.parentOf(at) {
		w.grow(at.ID())
		if w.onPath[at.ID()] == w.walk {
			for k, seen := range w.chain {
				if seen == at {
					return k
				}
			}
		}
		w.onPath[at.ID()] = w.walk
		w.chain = append(w.chain, at)
	}
	return len(w.chain)
}

// of returns the world pose of a living entity: it walks up to the root, then down again, renewing what is stale. The members of a cycle count as roots.
func (w *worlds) of(e arche.Entity) *worldPose {
	cycleFrom := w.path(e)
	for k := len(w.chain) - 1; k >= 0; k-- {
		at := w.chain[k]
		parent := w.parentOf(at)
		if k >= cycleFrom {
			parent = arche.Entity{}
		}
		w.renew(at, parent, w.local(at))
	}
	return &w.cache[e.ID()]
}

// knows reports whether there is a world pose of the entity, right or stale.
func (w *worlds) knows(e arche.Entity) bool {
	return int(e.ID()) < len(w.cache) && w.cache[e.ID()].entity == e
}

// renew makes one entity's world pose right, given that the parent's is. A parent that is dead counts with its last pose.
func (w *worlds) renew(e, parent arche.Entity, local components.Pose3D) {
	c := &w.cache[e.ID()]
	var above *worldPose
	if !parent.IsZero() && w.knows(parent) {
		above = &w.cache[parent.ID()]
	}
	var parentRev uint32
	if above != nil {
		parentRev = above.revision
	}
	if c.entity == e && c.parent == parent && c.parentRev == parentRev && sameBits(&c.local, &local) {
		return
	}
	w.serial++
	c.entity, c.parent, c.local, c.parentRev, c.revision = e, parent, local, parentRev, w.serial
	if above == nil {
		c.world = local.Mat4()
		return
	}
	mulAffine(&c.world, &above.world, &local)
}

// mulAffine sets m to a times the matrix of the pose. Both are affine, so that the last row need not be multiplied.
func mulAffine(m, a *mgl32.Mat4, pose *components.Pose3D) {
	b := pose.Mat4()
	for col := 0; col < 16; col += 4 {
		x, y, z := b[col], b[col+1], b[col+2]
		m[col] = a[0]*x + a[4]*y + a[8]*z
		m[col+1] = a[1]*x + a[5]*y + a[9]*z
		m[col+2] = a[2]*x + a[6]*y + a[10]*z
		m[col+3] = 0
	}
	m[12] += a[12]
	m[13] += a[13]
	m[14] += a[14]
	m[15] = 1
}

// poseOf takes an affine matrix apart. Shear is lost; a mirrored matrix gets its mirror on the x axis.
func poseOf(m *mgl32.Mat4) components.Pose3D {
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
