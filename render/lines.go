package render

import "github.com/go-gl/mathgl/mgl32"

// LineBatch is any number of straight lines in world space, of constant width on the screen. Solid
// instances in front of them hide them.
//
// Use it for tracks, orbits, velocities, and the connection of a logical and a visual pose.
type LineBatch struct {
	Lines []Line
	Width float32 // in points; zero means 1.5
}

// Line is a straight line whose colour changes from one end to the other. It is 32 bytes without
// padding, as backends upload it.
type Line struct {
	From, To           mgl32.Vec3
	FromColor, ToColor Color
}

// Reset empties the batch and keeps its memory.
func (l *LineBatch) Reset() { l.Lines = l.Lines[:0] }

// Add adds a line in one colour.
func (l *LineBatch) Add(from, to mgl32.Vec3, color Color) {
	l.Lines = append(l.Lines, Line{from, to, color, color})
}

// AddFade adds a line whose colour changes from one end to the other.
func (l *LineBatch) AddFade(from, to mgl32.Vec3, fromColor, toColor Color) {
	l.Lines = append(l.Lines, Line{from, to, fromColor, toColor})
}
