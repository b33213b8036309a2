package render

import "github.com/go-gl/mathgl/mgl32"

// LineBatch is any number of straight lines in world space, of constant width on the screen, hidden
// by what is in front of them.
//
// Use it for tracks, orbits, velocities, and the bond between a logical and a visual pose.
type LineBatch struct {
	Lines []Line
	Width float32 // in points; zero means 1.5
}

// Line runs from one point to another and changes its colour on the way. It is 32 bytes without
// padding, as backends upload it.
type Line struct {
	From, To           mgl32.Vec3
	FromColor, ToColor Color
}

// Reset empties the batch and keeps its memory.
func (l *LineBatch) Reset() { l.Lines = l.Lines[:0] }

// Add draws a line in one colour.
func (l *LineBatch) Add(from, to mgl32.Vec3, color Color) {
	l.Lines = append(l.Lines, Line{from, to, color, color})
}

// AddFade draws a line whose colour changes from one end to the other.
func (l *LineBatch) AddFade(from, to mgl32.Vec3, fromColor, toColor Color) {
	l.Lines = append(l.Lines, Line{from, to, fromColor, toColor})
}
