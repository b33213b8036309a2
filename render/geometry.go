package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Vertex is a corner of a mesh: 24 bytes without padding.
type Vertex struct{ Position, Normal mgl32.Vec3 }

// Geometry is a mesh as triangles, three indices each, counter-clockwise seen from outside. For
// backends.
type Geometry struct {
	Vertices []Vertex
	Indices  []uint16
}

// NewGeometry builds a mesh. Coarse meshes have about a quarter of the triangles, for batches so
// large that each instance is small.
func NewGeometry(m Mesh, coarse bool) Geometry {
	around, rings := 24, 12
	if coarse {
		around, rings = 12, 6
	}
	var g Geometry
	switch m {
	case Cube:
		g.cube()
	case Sphere:
		g.revolve(around, arcProfile(rings, 0))
	case Capsule:
		g.revolve(around, arcProfile(rings, 0.5))
	case Cylinder:
		g.revolve(around, []profilePoint{
			{0, 0.5, 0, 1}, {0.5, 0.5, 0, 1},
			{0.5, 0.5, 1, 0}, {0.5, -0.5, 1, 0},
			{0.5, -0.5, 0, -1}, {0, -0.5, 0, -1}})
	case Cone:
		slope := float32(1 / math.Sqrt(5)) // of the normal: the side falls by one over half
		g.revolve(around, []profilePoint{
			{0, 0.5, 2 * slope, slope}, {0.5, -0.5, 2 * slope, slope},
			{0.5, -0.5, 0, -1}, {0, -0.5, 0, -1}})
	case Ring:
		g.torus(2*around, rings)
	case Disc:
		g.disc(around)
	}
	return g
}

// profilePoint is a point of the outline that is revolved around Y, from top to bottom: radius and
// height, and the normal in that plane.
type profilePoint struct{ r, y, nr, ny float32 }

// arcProfile is a half circle of diameter 1, pulled apart at its middle by half in each direction.
func arcProfile(rings int, half float32) []profilePoint {
	var p []profilePoint
	for i := 0; i <= rings; i++ {
		s, c := math.Sincos(math.Pi * float64(i) / float64(rings))
		if i == rings || i == 0 {
			s = 0
		}
		nr, ny := float32(s), float32(c)
		if half > 0 && 2*i == rings {
			p = append(p, profilePoint{nr / 2, half, 1, 0})
		}
		offset := half
		if 2*i >= rings {
			offset = -half
		}
		p = append(p, profilePoint{nr / 2, ny/2 + offset, nr, ny})
	}
	return p
}

func (g *Geometry) revolve(around int, profile []profilePoint) {
	for _, p := range profile {
		for i := 0; i <= around; i++ {
			s, c := math.Sincos(2 * math.Pi * float64(i%around) / float64(around))
			sin, cos := float32(s), float32(c)
			g.Vertices = append(g.Vertices, Vertex{
				mgl32.Vec3{p.r * sin, p.y, p.r * cos},
				mgl32.Vec3{p.nr * sin, p.ny, p.nr * cos}})
		}
	}
	g.strips(len(profile), around+1, func(row int) (skip, upperPoint, lowerPoint bool) {
		a, b := profile[row], profile[row+1]
		// Two rows at the same place are a crease of the outline.
		return a.r == b.r && a.y == b.y, a.r == 0, b.r == 0
	})
}

// strips connects a grid of vertices with rows from top to bottom. A row that is a single point
// gets one triangle per cell instead of two.
func (g *Geometry) strips(rows, columns int, kind func(row int) (skip, upperPoint, lowerPoint bool)) {
	for r := 0; r+1 < rows; r++ {
		skip, upper, lower := kind(r)
		if skip {
			continue
		}
		for c := 0; c+1 < columns; c++ {
			i := uint16(r*columns + c)
			j := i + uint16(columns)
			if !upper {
				g.Indices = append(g.Indices, i, j, i+1)
			}
			if !lower {
				g.Indices = append(g.Indices, i+1, j, j+1)
			}
		}
	}
}

func (g *Geometry) cube() {
	for axis := 0; axis < 3; axis++ {
		for _, sign := range [2]float32{1, -1} {
			var n, u, v mgl32.Vec3
			n[axis] = sign
			u[(axis+1)%3] = sign
			v[(axis+2)%3] = 1
			first := uint16(len(g.Vertices))
			for _, c := range [4][2]float32{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
				p := n.Add(u.Mul(c[0])).Add(v.Mul(c[1])).Mul(0.5)
				g.Vertices = append(g.Vertices, Vertex{p, n})
			}
			g.Indices = append(g.Indices, first, first+1, first+2, first, first+2, first+3)
		}
	}
}

func (g *Geometry) torus(around, rings int) {
	const tube = 0.04
	for r := 0; r <= rings; r++ {
		st, ct := math.Sincos(-2 * math.Pi * float64(r%rings) / float64(rings))
		for i := 0; i <= around; i++ {
			s, c := math.Sincos(2 * math.Pi * float64(i%around) / float64(around))
			n := mgl32.Vec3{float32(c * ct), float32(s * ct), float32(st)}
			p := mgl32.Vec3{float32(c), float32(s), 0}.Mul(0.5 - tube).Add(n.Mul(tube))
			g.Vertices = append(g.Vertices, Vertex{p, n})
		}
	}
	g.strips(rings+1, around+1, func(int) (skip, upper, lower bool) { return })
}

func (g *Geometry) disc(around int) {
	for _, sign := range [2]float32{1, -1} {
		n := mgl32.Vec3{0, 0, sign}
		first := uint16(len(g.Vertices))
		g.Vertices = append(g.Vertices, Vertex{mgl32.Vec3{}, n})
		for i := 0; i < around; i++ {
			s, c := math.Sincos(2 * math.Pi * float64(i) / float64(around))
			g.Vertices = append(g.Vertices, Vertex{mgl32.Vec3{float32(c) / 2 * sign, float32(s) / 2, 0}, n})
			g.Indices = append(g.Indices, first, first+1+uint16(i), first+1+uint16((i+1)%around))
		}
	}
}
