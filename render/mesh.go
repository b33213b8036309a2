package render

// Mesh is one of the built-in shapes. All are centred at the origin and fit a unit cube, except
// the capsule, which is two units high.
type Mesh uint8

const (
	Cube     Mesh = iota // edge length 1; drawn with softly bevelled edges
	Sphere               // diameter 1
	Capsule              // along Y: diameter 1, height 2 with its caps
	Cylinder             // along Y: diameter 1, height 1
	Cone                 // along Y, tip upwards: base diameter 1, height 1
	Ring                 // a torus around Z: outer diameter 1, tube diameter 0.08
	Disc                 // flat, facing +Z and -Z: diameter 1

	MeshCount = iota
)

// String returns the mesh's name in lower case.
func (m Mesh) String() string {
	names := [MeshCount]string{"cube", "sphere", "capsule", "cylinder", "cone", "ring", "disc"}
	if int(m) < len(names) {
		return names[m]
	}
	return "unknown mesh"
}
