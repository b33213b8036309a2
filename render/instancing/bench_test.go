package instancing_test

import (
	"fmt"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// BenchmarkUpdate measures a batcher's work for a step in which all bodies move, without the
// capture and the upload.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newStage(b, true)
			defer s.engine.Close()
			var spawned []arche.Entity
			for k := range n {
				spawned = append(spawned, s.spawn(float32(k%200)))
			}
			for _, e := range spawned {
				s.mark(e, true)
			}
			s.allRise()
			s.batcher.Paint = nil
			var spent time.Duration
			for i := range b.N + 3 {
				s.engine.Update(50 * time.Millisecond)
				begun := time.Now()
				s.batcher.Update()
				if i >= 3 {
					spent += time.Since(begun)
				}
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N)/float64(n), "ns/instance")
		})
	}
}
