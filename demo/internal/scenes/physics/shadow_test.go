package physics_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render"
)

// No light falls through a drum: the shadow of the left one, which is like the right one's, has no
// hole on the ground, however large it is. Bodies, which could cover one by chance, are left out.
func TestShadowOfADrumHasNoHole(t *testing.T) {
	for _, bodies := range []int{3, 150, 700, 3000} {
		t.Run(fmt.Sprint(bodies, " bodies"), func(t *testing.T) {
			view, theme := draw(t, bodies)
			s := shadow{light: theme.Key.Direction, ground: view.Ground.Height, half: 2.6 * view.Shadow.Radius}
			for _, item := range view.Items() {
				if b, ok := item.(*render.Batch); ok && b.Style == render.Solid && (b.Mesh == render.Ring || b.Mesh == render.Cylinder) {
					for _, pose := range b.Poses {
						if pose.Position[0] > 0 {
							continue
						}
						s.cast(render.NewGeometry(b.Mesh, false), func(p mgl32.Vec3) mgl32.Vec3 {
							return pose.Rotation.Rotate(mgl32.Vec3{p[0] * pose.Scale[0], p[1] * pose.Scale[1], p[2] * pose.Scale[2]}).Add(pose.Position)
						})
					}
				}
			}
			dark, holes := s.count()
			if dark < cells*cells/100 {
				t.Fatalf("%d of %d cells are in shadow: where is that of the drum?", dark, cells*cells)
			}
			if holes > 0 {
				t.Errorf("light falls on %d cells amid %d in shadow", holes, dark)
			}
		})
	}
}

// draw returns the scene's first picture.
func draw(t *testing.T, bodies int) (*render.View, render.Theme) {
	set := settings.Default()
	set.Scene, set.Entities = "physics", bodies
	s, err := simulation.New(set, &simulation.VirtualClock{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.Update(0)
	frame := render.NewFrame(render.Daylight())
	frame.Begin(render.Size{Width: 640, Height: 360})
	orbit := s.Scene().Camera(s.Time())
	view := frame.View(orbit.Camera())
	var brush scene.Brush
	s.Scene().Draw(&scene.Picture{View: view, Overlay: &frame.Overlay, Theme: &frame.Theme, Brush: &brush, Now: s.Time()})
	brush.Show(view)
	return view, frame.Theme
}

// cells is the number of cells of a shadow's grid along each side.
const cells = 1200

// shadow is what a parallel light leaves dark on a square of the ground: a grid of cells.
type shadow struct {
	light        mgl32.Vec3 // towards it
	ground, half float32    // height; half the side of the square
	dark         [cells][cells]bool
}

// cast projects triangles onto the ground and darkens the cells whose centres they cover.
func (s *shadow) cast(g render.Geometry, world func(mgl32.Vec3) mgl32.Vec3) {
	at := func(i uint16) mgl32.Vec2 {
		p := world(g.Vertices[i].Position)
		p = p.Sub(s.light.Mul((p[1] - s.ground) / s.light[1]))
		return mgl32.Vec2{p[0] + s.half, p[2] + s.half}.Mul(cells / (2 * s.half))
	}
	for i := 0; i < len(g.Indices); i += 3 {
		s.fill(at(g.Indices[i]), at(g.Indices[i+1]), at(g.Indices[i+2]))
	}
}

func (s *shadow) fill(a, b, c mgl32.Vec2) {
	cross := func(a, b, p mgl32.Vec2) float32 { return (b[0]-a[0])*(p[1]-a[1]) - (b[1]-a[1])*(p[0]-a[0]) }
	if cross(a, b, c) < 0 {
		b, c = c, b
	}
	const tolerance = 1e-2 // of areas, so that no cell is lost on an edge that two triangles share
	from := func(i int) int { return max(0, int(min(a[i], b[i], c[i]))-1) }
	to := func(i int) int { return min(cells-1, int(math.Ceil(float64(max(a[i], b[i], c[i]))))) }
	for y := from(1); y <= to(1); y++ {
		for x := from(0); x <= to(0); x++ {
			p := mgl32.Vec2{float32(x) + 0.5, float32(y) + 0.5}
			if min(cross(a, b, p), cross(b, c, p), cross(c, a, p)) >= -tolerance {
				s.dark[y][x] = true
			}
		}
	}
}

// count returns the cells in shadow, and those in the light that no way through the light joins to
// the edge of the square.
func (s *shadow) count() (dark, holes int) {
	reached := [cells][cells]bool{}
	reached[0][0] = true
	for queue := [][2]int{{0, 0}}; len(queue) > 0; {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, d := range [...][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			y, x := at[0]+d[0], at[1]+d[1]
			if min(x, y) >= 0 && max(x, y) < cells && !s.dark[y][x] && !reached[y][x] {
				reached[y][x] = true
				queue = append(queue, [2]int{y, x})
			}
		}
	}
	for y := range s.dark {
		for x := range s.dark[y] {
			if s.dark[y][x] {
				dark++
			} else if !reached[y][x] {
				holes++
			}
		}
	}
	return dark, holes
}
