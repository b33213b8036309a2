package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// Compare figures of one run only: times depend on the machine and on who else uses it.

var (
	benchSizes = []int{1000, 10_000, 100_000, 1_000_000}
	pathNames  = map[Path]string{Fastest: "fastest", Scalar: "scalar"}
)

// perRow runs f, which handles the given number of rows, and reports the time of one.
func perRow(b *testing.B, name string, rows int, f func()) {
	b.Run(name, func(b *testing.B) {
		f()
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
	})
}

func someRows(n, percent int) []uint32 {
	r := rand.New(rand.NewPCG(uint64(n), uint64(percent)))
	rows := make([]uint32, 0, n)
	for i := range n {
		if r.IntN(100) < percent {
			rows = append(rows, uint32(i))
		}
	}
	return rows
}

func BenchmarkBlend(b *testing.B) {
	for _, n := range benchSizes {
		prev, cur := samples(n, 1)
		dst := make([]pose, n)
		perRow(b, fmt.Sprintf("dense-avx2/%d", n), n, func() { AVX2.Blend3D(dst, prev, cur, 0.37) })
		for path, name := range pathNames {
			perRow(b, fmt.Sprintf("dense-%s/%d", name, n), n, func() { path.Blend3D(dst, prev, cur, 0.37) })
			for _, percent := range []int{100, 10, 1} {
				rows := someRows(n, percent)
				perRow(b, fmt.Sprintf("list%d-%s/%d", percent, name, n), len(rows), func() { path.BlendList3D(rows, dst, prev, cur, 0.37) })
			}
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for _, n := range benchSizes {
		records, seen := make([]poseRecord, n), make([]uint32, n)
		for i := range records {
			*records[i].Value() = components.Identity3D()
		}
		rows := make([]uint32, 0, n)
		for path, name := range pathNames {
			for _, percent := range []int{0, 1, 100} {
				clear(seen)
				for _, r := range someRows(n, percent) {
					seen[r] = 1
				}
				perRow(b, fmt.Sprintf("changed%d-%s/%d", percent, name, n), n, func() {
					rows = path.Changed(0, unsafe.Pointer(records[0].RevisionCell()), unsafe.Sizeof(records[0]), seen, rows[:0])
				})
			}
			clear(seen)
			perRow(b, fmt.Sprintf("equal-%s/%d", name, n), n, func() {
				if !path.AllEqual(seen, 0) {
					b.Fatal("equal stamps differ")
				}
			})
		}
	}
}

// BenchmarkCapture times the capture of a step alone; the writes of the step before it are not
// counted, but leave the cache as gameplay would.
func BenchmarkCapture(b *testing.B) {
	for _, n := range benchSizes {
		for _, percent := range []int{100, 10, 1} {
			rows := someRows(n, percent)
			for path, name := range pathNames {
				for _, unit := range []bool{true, false} {
					if !unit && percent < 100 {
						continue
					}
					c := newCapture(n)
					var out Captured
					capture := func() time.Duration {
						for _, r := range rows {
							l := &c.Logical[r]
							v := *l.Value()
							v.Position[0]++
							if !unit {
								v.Rotation.W *= 1.001
							}
							set(l, v)
						}
						out.Moving, out.Rested, out.Others = out.Moving[:0], out.Rested[:0], out.Others[:0]
						start := time.Now()
						c.Run(path, &out)
						return time.Since(start)
					}
					kind := ""
					if !unit {
						kind = "-notunit"
					}
					b.Run(fmt.Sprintf("capture%d%s-%s/%d", percent, kind, name, n), func(b *testing.B) {
						capture()
						var total time.Duration
						for b.Loop() {
							total += capture()
						}
						if len(out.moving(n)) != len(rows) {
							b.Fatalf("%d of %d captured", len(out.Moving), len(rows))
						}
						b.ReportMetric(float64(total.Nanoseconds())/float64(b.N)/float64(n), "ns/row")
					})
				}
			}
		}
	}
}

func BenchmarkBlendOne(b *testing.B) {
	prev, cur := samples(1, 1)
	for b.Loop() {
		cur[0] = blendOne3D(&prev[0], &cur[0], 0.37)
	}
}

type colour struct{ r, g, b, a float32 }

func mixColours(x, y colour, t float32) colour {
	return colour{x.r + (y.r-x.r)*t, x.g + (y.g-x.g)*t, x.b + (y.b-x.b)*t, x.a + (y.a-x.a)*t}
}

func mixVectors(x, y mgl32.Vec4, t float32) (v mgl32.Vec4) {
	for k := range v {
		v[k] = x[k] + (y[k]-x[k])*t
	}
	return v
}

func mixBatchOfVectors(dst, x, y []mgl32.Vec4, t float32) {
	for i := range dst {
		a, b := &x[i], &y[i]
		for k := range b {
			dst[i][k] = a[k] + (b[k]-a[k])*t
		}
	}
}

func BenchmarkGeneric(b *testing.B) {
	benchValues(b, "colour", Blend[colour], BlendList[colour], mixColours)
	benchValues(b, "pose2d", Blend[components.Pose2D], BlendList[components.Pose2D], components.Blend2D)
	benchValues(b, "vec4", Blend[mgl32.Vec4], BlendList[mgl32.Vec4], mixVectors)
	benchValues(b, "vec4-batch", BlendBatch[mgl32.Vec4], BlendListBatch[mgl32.Vec4], mixBatchOfVectors)
	flat := func(v []mgl32.Vec4) []float32 { return unsafe.Slice(&v[0][0], 4*len(v)) }
	benchValues(b, "vec4-linear", func(dst, prev, cur []mgl32.Vec4, t float32, _ any) {
		BlendLinear(flat(dst), flat(prev), flat(cur), t)
	}, func(rows []uint32, dst, prev, cur []mgl32.Vec4, t float32, _ any) {
		BlendListLinear(rows, flat(dst), flat(prev), flat(cur), 4, t)
	}, nil)
}

func benchValues[T, F any](b *testing.B, name string, dense func(dst, prev, cur []T, t float32, blend F),
	list func(rows []uint32, dst, prev, cur []T, t float32, blend F), blend F) {
	for _, n := range benchSizes {
		prev, cur, dst := make([]T, n), make([]T, n), make([]T, n)
		perRow(b, fmt.Sprintf("%s-dense/%d", name, n), n, func() { dense(dst, prev, cur, 0.37, blend) })
		for _, percent := range []int{100, 10} {
			rows := someRows(n, percent)
			perRow(b, fmt.Sprintf("%s-list%d/%d", name, percent, n), len(rows), func() { list(rows, dst, prev, cur, 0.37, blend) })
		}
	}
}
