// Package trace writes the poses of a run as a table: one row per frame and named entity.
package trace

import (
	"bufio"
	"io"
	"strconv"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

// Header is the table's first line, without its line feed: times in nanoseconds, then the logical
// pose (l) and the visual one (v) in world space, positions in units and rotations as unit
// quaternions.
const Header = "frame,real_ns,normal_ns,fixed_ns,tick,name,lx,ly,lz,lqw,lqx,lqy,lqz,vx,vy,vz,vqw,vqx,vqy,vqz"

// Writer writes a trace as comma-separated values. Floats are written with the fewest digits that
// give the same float32 again.
//
// [Writer.Flush] returns errors of the underlying writer.
type Writer struct {
	out  *bufio.Writer
	line []byte
}

// NewWriter writes the header to w and returns a writer for the rows.
func NewWriter(w io.Writer) *Writer {
	t := &Writer{out: bufio.NewWriterSize(w, 1<<16)}
	t.out.WriteString(Header + "\n")
	return t
}

// Row writes one line. The time is the engine's after an Update; frame counts Updates from 0. The
// name must contain neither comma, quote nor line feed.
func (t *Writer) Row(frame int, now ecs.Time, name string, logical, visual components.Pose3D) {
	b := t.line[:0]
	b = strconv.AppendInt(b, int64(frame), 10)
	for _, ns := range [...]int64{int64(now.Real), int64(now.Normal), int64(now.Fixed)} {
		b = append(b, ',')
		b = strconv.AppendInt(b, ns, 10)
	}
	b = append(b, ',')
	b = strconv.AppendUint(b, now.Tick, 10)
	b = append(b, ',')
	b = append(b, name...)
	b = appendPose(b, logical)
	b = appendPose(b, visual)
	b = append(b, '\n')
	t.out.Write(b)
	t.line = b
}

func appendPose(b []byte, p components.Pose3D) []byte {
	for _, v := range [...]float32{
		p.Position[0], p.Position[1], p.Position[2],
		p.Rotation.W, p.Rotation.V[0], p.Rotation.V[1], p.Rotation.V[2],
	} {
		b = append(b, ',')
		b = strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	}
	return b
}

// Flush writes buffered rows and returns the first error of all writes.
func (t *Writer) Flush() error { return t.out.Flush() }
