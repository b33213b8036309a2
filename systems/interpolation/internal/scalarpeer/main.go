// Command scalarpeer measures the blend of poses in Go alone, as on processors for which there is
// no assembly. It takes turns with systems/bench, which may not import the kernel: it answers each
// line on its standard input, a size, with a line "tandem.scalar.100pct.SIZE NANOSECONDS" and
// "end".
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/kernel"
)

const (
	fraction = 0.37
	// atLeast is how long one measurement lasts.
	atLeast = time.Millisecond
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		n, err := strconv.Atoi(strings.TrimSpace(in.Text()))
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "scalarpeer: %q is no size\n", in.Text())
			os.Exit(2)
		}
		ns, err := round(n)
		if err != nil {
			fmt.Fprintln(os.Stderr, "scalarpeer:", err)
			os.Exit(1)
		}
		fmt.Printf("tandem.scalar.100pct.%d %.4f\nend\n", n, ns)
	}
}

// round returns the nanoseconds per pose, and checks what was drawn.
func round(n int) (ns float64, err error) {
	dst, a, b := make([]components.Pose3D, n), make([]components.Pose3D, n), make([]components.Pose3D, n)
	for k := range a {
		x := float32(k % 1000)
		a[k], b[k] = components.At3D(x, 0, 0), components.At3D(x, 1, 2)
		b[k].Rotation = mgl32.QuatRotate(float32(k%100)/50, mgl32.Vec3{0, 1, 0})
	}
	var spent time.Duration
	count := 0
	for spent < atLeast {
		start := time.Now()
		kernel.Scalar.Blend3D(dst, a, b, fraction)
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
