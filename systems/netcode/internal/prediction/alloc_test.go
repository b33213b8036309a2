package prediction_test

import (
	"math"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// A whole session allocates nothing once it runs. It includes links, prediction, packets, buffers
// and corrections.
func TestSessionAllocatesNothing(t *testing.T) {
	p := path(t, base+" loss=15% dup=5%", 1)
	s := newSession(t, p, leadFor(p, 0), strafe)
	k := int64(10 * second)
	s.run(0, k)
	if allocs := testing.AllocsPerRun(2000, func() { s.run(k, k+1); k++ }); allocs != 0 {
		t.Errorf("%v allocations per tick, want 0", allocs)
	}
	if s.corrections == 0 {
		t.Error("there was nothing to correct: the test does not cover rollbacks")
	}
}

func BenchmarkPredictAndReconcile(b *testing.B) {
	p := prediction.NewPredictor(prediction.Config[body, control]{Step: step, Distance: distance, Tolerance: 1e-9, Rules: rules})
	p.Start(0, body{})
	for k := range tick.Tick(12) {
		p.Advance(k, strafe(k))
	}
	k := tick.Tick(12)
	b.ReportAllocs()
	for b.Loop() { // 12 ticks replayed in each
		p.Advance(k, strafe(k))
		k++
		p.Reconcile(k.Add(-12), body{X: float64(k)})
	}
}

func BenchmarkInputs(b *testing.B) {
	p := prediction.NewPending[control](0)
	for k := range tick.Tick(12) {
		p.Push(k, strafe(k))
	}
	buf := make([]byte, 128)
	w, r := packet.NewWriter(buf), packet.NewReader(nil)
	var inputs prediction.Inputs[control]
	b.Run("write 12", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w = packet.NewWriter(buf)
			p.Write(&w, controls{}, prediction.Redundancy{})
		}
		b.ReportMetric(float64(len(w.Bytes())), "B/packet")
	})
	b.Run("read 12", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r = packet.NewReader(w.Bytes())
			if inputs.Read(&r, controls{}) != nil {
				b.Fatal(r.Err())
			}
		}
	})
	b.Run("receive 12 and run 1", func(b *testing.B) {
		buffer := prediction.NewBuffer(math.MaxUint32, prediction.BufferConfig[control]{Rules: rules})
		b.ReportAllocs()
		k := int64(math.MaxUint32)
		for b.Loop() {
			inputs.Newest = buffer.Tick().Add(3)
			buffer.Receive(&inputs, grid.Edge(k))
			buffer.Next()
			k++
		}
	})
}
