package arena

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// Half is half the edge length of the floor of [NewLevel].
const Half = 20

// Box is an upright cuboid.
type Box struct{ Min, Max mgl32.Vec3 }

// Center and Size return the middle and the edge lengths of the box.
func (b Box) Center() mgl32.Vec3 { return b.Min.Add(b.Max).Mul(0.5) }
func (b Box) Size() mgl32.Vec3   { return b.Max.Sub(b.Min) }

// reaches reports whether a place is inside the box, seen from above, or no farther from it than
// the margin along either axis.
func (b Box) reaches(at mgl32.Vec3, margin float32) bool {
	return at[0] > b.Min[0]-margin && at[0] < b.Max[0]+margin && at[2] > b.Min[2]-margin && at[2] < b.Max[2]+margin
}

func block(x, z, width, depth, height float32) Box {
	return Box{mgl32.Vec3{x - width/2, 0, z - depth/2}, mgl32.Vec3{x + width/2, height, z + depth/2}}
}

// Portal is a pad on the floor. A player on it is moved to the exit of its partner.
type Portal struct {
	Place mgl32.Vec3
	To    int        // the partner's index
	Exit  mgl32.Vec3 // arrival place of players from the partner
}

// PortalRadius is the distance from a pad's middle at which it takes effect.
const PortalRadius = 0.9

// throughPortal reports whether a portal leads from one pose to another: no step leads as far.
func throughPortal(before, after components.Pose3D) bool {
	return after.Position.Sub(before.Position).Len() > 4
}

// Path returns the middle of a platform, seconds after tick 0.
type Path func(seconds float64) mgl32.Vec3

// Edge lengths of every platform.
const (
	PlatformWidth  = 3.4
	PlatformHeight = 0.4
)

// Level is the fixed part of the arena: things that stand still or move by the clock alone. All
// calls of [NewLevel] return equal levels.
type Level struct {
	Half      float32 // half the edge length of the square floor, whose middle is the origin
	Blocks    []Box
	Doors     []Doorway
	Portals   []Portal
	Platforms []Path
	Spawns    []mgl32.Vec3
}

// NewLevel returns the arena.
func NewLevel() *Level {
	l := &Level{
		Half: Half,
		Blocks: []Box{
			block(0, 0, 5, 5, 1.2), block(0, 0, 2.4, 2.4, 2.6),
			block(-11, -8, 1, 7, 1.6), block(11, 8, 1, 7, 1.6),
			block(-8, 11, 7, 1, 1.6), block(8, -11, 7, 1, 1.6),
			block(-13.5, 9.5, 3, 3, 2.2), block(13.5, -9.5, 3, 3, 2.2),
		},
		Platforms: []Path{
			// A shuttle along the front, a lift behind the middle, a carousel around the middle:
			// all above the crates, and the carousel above all else.
			func(t float64) mgl32.Vec3 { return mgl32.Vec3{wave(t, 10) * 7, 1.35, 7} },
			func(t float64) mgl32.Vec3 { return mgl32.Vec3{0, 1.9 + 0.65*wave(t, 7), -4.3} },
			func(t float64) mgl32.Vec3 {
				sin, cos := math.Sincos(t * 2 * math.Pi / 18)
				return mgl32.Vec3{float32(9.5 * cos), 3.1, float32(-3 + 6*sin)}
			},
		},
	}
	for side := float32(-1); side <= 1; side += 2 {
		l.doorway(-3*side, 11*side)
	}
	for i, at := range [...]mgl32.Vec3{{-16, 0, 4}, {16, 0, -3}, {-3, 0, -16}, {4, 0, 17}} {
		inward := at.Mul(-1).Normalize()
		l.Portals = append(l.Portals, Portal{Place: at, To: i ^ 1, Exit: at.Add(inward.Mul(2))})
	}
	// Wherever a player begins, its first picture shows a portal and a platform.
	for side := float32(-1); side <= 1; side += 2 {
		l.Spawns = append(l.Spawns, mgl32.Vec3{side * 9, 0, 5}, mgl32.Vec3{side * 9.5, 0, -2.5}, mgl32.Vec3{side * 6, 0, -8}, mgl32.Vec3{side * 11, 0, 1}, mgl32.Vec3{side * 4, 0, 9}, mgl32.Vec3{side * 5, 0, 13})
	}
	return l
}

// NewWorld returns a level of four arenas side by side, without walls between them. One gate of
// each arena has no door, because there is room for the match states of six doors. All calls return
// equal levels.
func NewWorld() *Level {
	w := &Level{Half: 2 * Half}
	for _, by := range [...]mgl32.Vec3{{-Half, 0, -Half}, {Half, 0, -Half}, {-Half, 0, Half}, {Half, 0, Half}} {
		l, first := NewLevel(), len(w.Portals)
		for _, b := range l.Blocks {
			w.Blocks = append(w.Blocks, b.moved(by))
		}
		for _, d := range l.Doors[:1] {
			w.Doors = append(w.Doors, Doorway{d.Shut.moved(by), [2]mgl32.Vec3{d.Plates[0].Add(by), d.Plates[1].Add(by)}})
		}
		for _, p := range l.Portals {
			w.Portals = append(w.Portals, Portal{p.Place.Add(by), first + p.To, p.Exit.Add(by)})
		}
		for _, path := range l.Platforms {
			w.Platforms = append(w.Platforms, func(t float64) mgl32.Vec3 { return path(t).Add(by) })
		}
		for _, at := range l.Spawns {
			w.Spawns = append(w.Spawns, at.Add(by))
		}
	}
	return w
}

// moved returns the box at another place.
func (b Box) moved(by mgl32.Vec3) Box { return Box{b.Min.Add(by), b.Max.Add(by)} }

// doorway adds a door, its posts, and the wall on its right, seen from the middle.
func (l *Level) doorway(x, z float32) {
	side := float32(math.Copysign(1, float64(z)))
	l.Blocks = append(l.Blocks, block(x+3*side, z, 3, 1, 1.6), block(x+1.7*side, z, 0.4, 1.2, 2.6), block(x-1.7*side, z, 0.4, 1.2, 2.6))
	l.Doors = append(l.Doors, Doorway{Shut: block(x, z, 3, 0.4, DoorHeight), Plates: [2]mgl32.Vec3{{x, 0, z - 2.5}, {x, 0, z + 2.5}}})
}

// wave swings between -1 and 1 once in a period, in seconds.
func wave(t, period float64) float32 { return float32(math.Sin(t * 2 * math.Pi / period)) }

// Platform returns the pose of a platform, by its index, seconds after tick 0.
func (l *Level) Platform(i int, seconds float64) components.Pose3D {
	p := l.Platforms[i](seconds)
	return components.At3D(p[0], p[1], p[2])
}
