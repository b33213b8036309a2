package kernel

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

var serve = flag.Bool("serve", false, "take turns with systems/bench, over the standard input and output")

// The blend of poses in Go alone, as on processors for which there is no assembly, is measured and
// right. With -serve the test takes turns with systems/bench, which may not import this package.
func TestScalarPeer(t *testing.T) {
	if !*serve {
		if err := answer(strings.NewReader("100\n"), t.Output()); err != nil {
			t.Error(err)
		}
		return
	}
	if err := answer(os.Stdin, os.Stdout); err != nil {
		log.Fatal("scalar peer: ", err) // the standard output is for answers alone
	}
}

// answer answers each line, a size, with a line "tandem.scalar.100pct.SIZE NANOSECONDS" and "end".
func answer(questions io.Reader, answers io.Writer) error {
	in := bufio.NewScanner(questions)
	for in.Scan() {
		n, err := strconv.Atoi(strings.TrimSpace(in.Text()))
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no size", in.Text())
		}
		ns, err := measureScalar(n)
		if err != nil {
			return err
		}
		fmt.Fprintf(answers, "tandem.scalar.100pct.%d %.4f\nend\n", n, ns)
	}
	return in.Err()
}

// measureScalar returns the nanoseconds per pose, and checks what was drawn.
func measureScalar(n int) (ns float64, err error) {
	dst, a, b := make([]components.Pose3D, n), make([]components.Pose3D, n), make([]components.Pose3D, n)
	for k := range a {
		x := float32(k % 1000)
		a[k], b[k] = components.At3D(x, 0, 0), components.At3D(x, 1, 2)
		b[k].Rotation = mgl32.QuatRotate(float32(k%100)/50, mgl32.Vec3{0, 1, 0})
	}
	const (
		fraction = 0.37
		atLeast  = time.Millisecond
	)
	var spent time.Duration
	count := 0
	for spent < atLeast {
		start := time.Now()
		Scalar.Blend3D(dst, a, b, fraction)
		spent += time.Since(start)
		count++
	}
	for k := range dst {
		want := components.Blend3D(a[k], b[k], fraction)
		if d := dst[k].Position.Sub(want.Position).Len() + float32(math.Abs(float64(1-dst[k].Rotation.Dot(want.Rotation)))); d > 1e-4 {
			return 0, fmt.Errorf("pose %d is %v, want %v", k, dst[k], want)
		}
	}
	return float64(spent.Nanoseconds()) / float64(count) / float64(n), nil
}
