package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// The volume inside a closed surface, by the divergence theorem, is positive only if the triangles
// are wound outwards, and has the known value only if the surface is complete.
func TestGeometryVolumeAndNormals(t *testing.T) {
	const R, r = 0.46, 0.04
	volumes := [MeshCount]float64{
		Cube:     1,
		Sphere:   math.Pi / 6,
		Capsule:  math.Pi/6 + math.Pi/4,
		Cylinder: math.Pi / 4,
		Cone:     math.Pi / 12,
		Ring:     2 * math.Pi * math.Pi * R * r * r,
		Disc:     0,
	}
	for m := Mesh(0); m < MeshCount; m++ {
		for _, coarse := range []bool{false, true} {
			g := NewGeometry(m, coarse)
			var volume float64
			for i := 0; i < len(g.Indices); i += 3 {
				a, b, c := g.Vertices[g.Indices[i]], g.Vertices[g.Indices[i+1]], g.Vertices[g.Indices[i+2]]
				cross := b.Position.Sub(a.Position).Cross(c.Position.Sub(a.Position))
				if cross.Len() < 1e-7 {
					t.Fatalf("%v: triangle %d has no area", m, i/3)
				}
				for _, v := range []Vertex{a, b, c} {
					if cross.Normalize().Dot(v.Normal) < 0.8 {
						t.Fatalf("%v: triangle %d faces %v, its vertex %v", m, i/3, cross.Normalize(), v.Normal)
					}
				}
				volume += float64(a.Position.Dot(b.Position.Cross(c.Position))) / 6
			}
			// A regular polygon of n corners has sin(2 Pi/n)/(2 Pi/n) of its circle's area: 0.955
			// of it for 12, 0.827 for 6, and the ring is made of two.
			tolerance := 0.05 * volumes[m]
			if coarse {
				tolerance = 0.19 * volumes[m]
			}
			if d := math.Abs(volume - volumes[m]); d > tolerance+1e-6 {
				t.Errorf("%v (coarse %v): volume %.4f, want %.4f", m, coarse, volume, volumes[m])
			}
			for i, v := range g.Vertices {
				if l := v.Normal.Len(); math.Abs(float64(l-1)) > 1e-5 {
					t.Fatalf("%v: normal %d has length %g", m, i, l)
				}
			}
		}
	}
}

func TestGeometryExtent(t *testing.T) {
	want := [MeshCount]mgl32.Vec3{
		Cube: {0.5, 0.5, 0.5}, Sphere: {0.5, 0.5, 0.5}, Capsule: {0.5, 1, 0.5}, Cylinder: {0.5, 0.5, 0.5},
		Cone: {0.5, 0.5, 0.5}, Ring: {0.5, 0.5, 0.04}, Disc: {0.5, 0.5, 0},
	}
	for m := Mesh(0); m < MeshCount; m++ {
		var lo, hi mgl32.Vec3
		g := NewGeometry(m, false)
		for _, v := range g.Vertices {
			for i, x := range v.Position {
				lo[i], hi[i] = min(lo[i], x), max(hi[i], x)
			}
		}
		if !hi.ApproxEqualThreshold(want[m], 1e-5) || !lo.Mul(-1).ApproxEqualThreshold(want[m], 1e-5) {
			t.Errorf("%v reaches from %v to %v, want -+%v", m, lo, hi, want[m])
		}
	}
}

// The mirror rule of the shader (a negative scale is a positive one of a mesh turned around X where
// y is negative) needs meshes that are symmetric in x and z.
func TestGeometrySymmetry(t *testing.T) {
	for m := Mesh(0); m < MeshCount; m++ {
		g := NewGeometry(m, false)
		for _, mirror := range []mgl32.Vec3{{-1, 1, 1}, {1, 1, -1}} {
			for _, v := range g.Vertices {
				p := mgl32.Vec3{v.Position[0] * mirror[0], v.Position[1], v.Position[2] * mirror[2]}
				found := false
				for _, w := range g.Vertices {
					if w.Position.Sub(p).Len() < 1e-5 {
						found = true
						break
					}
				}
				if !found {
					t.Fatalf("%v has no vertex at %v, the mirror image of %v", m, p, v.Position)
				}
			}
		}
	}
}
