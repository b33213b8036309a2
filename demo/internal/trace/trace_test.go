package trace_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/trace"
	"github.com/tandem-ecs/tandem/ecs"
)

func ExampleWriter() {
	w := trace.NewWriter(os.Stdout)
	now := ecs.Time{Real: 25 * time.Millisecond, Normal: 20 * time.Millisecond, Fixed: 100 * time.Millisecond, Tick: 1}
	w.Row(0, now, "mover", components.At3D(0.3, 0, 0), components.At3D(0.06, 0, 0))
	if err := w.Flush(); err != nil {
		panic(err)
	}
	// Output:
	// frame,real_ns,normal_ns,fixed_ns,tick,name,lx,ly,lz,lqw,lqx,lqy,lqz,vx,vy,vz,vqw,vqx,vqy,vqz
	// 0,25000000,20000000,100000000,1,mover,0.3,0,0,1,0,0,0,0.06,0,0,1,0,0,0
}

func TestFloatsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float32()
		pose := func(label string) components.Pose3D {
			return components.Pose3D{
				Position: mgl32.Vec3{value.Draw(t, label), value.Draw(t, label), value.Draw(t, label)},
				Rotation: mgl32.Quat{W: value.Draw(t, label), V: mgl32.Vec3{value.Draw(t, label), value.Draw(t, label), value.Draw(t, label)}},
			}
		}
		l, v := pose("logical"), pose("visual")
		var b bytes.Buffer
		w := trace.NewWriter(&b)
		w.Row(7, ecs.Time{Tick: math.MaxUint64, Real: math.MaxInt64}, "x", l, v)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll() // checks that all rows have as many fields
		if err != nil {
			t.Fatal(err)
		}
		if rows[1][0] != "7" || rows[1][1] != "9223372036854775807" || rows[1][4] != "18446744073709551615" {
			t.Fatalf("integers came out as %v", rows[1][:6])
		}
		want := []float32{
			l.Position[0], l.Position[1], l.Position[2], l.Rotation.W, l.Rotation.V[0], l.Rotation.V[1], l.Rotation.V[2],
			v.Position[0], v.Position[1], v.Position[2], v.Rotation.W, v.Rotation.V[0], v.Rotation.V[1], v.Rotation.V[2],
		}
		for i, text := range rows[1][6:] {
			got, err := strconv.ParseFloat(text, 32)
			if err != nil || float32(got) != want[i] {
				t.Fatalf("column %s: %q is not %v", rows[0][6+i], text, want[i])
			}
		}
	})
}

func TestFlushTellsOfErrors(t *testing.T) {
	full := errors.New("disk full")
	w := trace.NewWriter(failing{full})
	for range 10000 {
		w.Row(0, ecs.Time{}, strings.Repeat("n", 10), components.Identity3D(), components.Identity3D())
	}
	if err := w.Flush(); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

var _ io.Writer = failing{}

func TestRowsAllocateNothing(t *testing.T) {
	w := trace.NewWriter(io.Discard)
	pose := components.At3D(1.5, -2.25, 1e6)
	if n := testing.AllocsPerRun(1000, func() { w.Row(1, ecs.Time{}, "mover", pose, pose) }); n != 0 {
		t.Errorf("%v allocations per row", n)
	}
}
