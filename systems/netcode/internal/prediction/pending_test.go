package prediction_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

func TestPendingKeepsNeededInputs(t *testing.T) {
	p := prediction.NewPending[control](16)
	for i := range 10 {
		p.Push(tick.Tick(i), control{Press: uint8(i)})
	}
	p.Applied(7)     // still to be sent: the server did without them
	p.Acknowledge(3) // no longer
	if p.Len() != 2 || p.Unacknowledged() != 6 {
		t.Errorf("%d to replay, %d to send, want 2 and 6", p.Len(), p.Unacknowledged())
	}
	if _, ok := p.At(3); ok {
		t.Error("input 3 is needed for nothing and still there")
	}
	if in, ok := p.At(4); !ok || in.Press != 4 {
		t.Errorf("input 4 is %v, %v, and still has to be sent", in, ok)
	}
}

func TestPushedOutOfOrderPanics(t *testing.T) {
	p := prediction.NewPending[control](0)
	p.Push(5, control{})
	for _, id := range []tick.Tick{5, 7, 4} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Push(%d) after 5 did not panic", id)
				}
			}()
			p.Push(id, control{})
		}()
	}
}

// The ring must agree with a naive model: a list of all inputs, and their acknowledgements.
func TestPendingIsARing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 16
		p := prediction.NewPending[control](rapid.IntRange(9, size).Draw(t, "history"))
		start := tick.Tick(rapid.Uint32().Draw(t, "first id"))
		var all []control
		applied, acked := 0, 0
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				in := control{Press: rapid.Uint8().Draw(t, "press")}
				p.Push(start.Add(len(all)), in)
				all = append(all, in)
				applied, acked = max(applied, len(all)-size), max(acked, len(all)-size)
			},
			"applied": func(t *rapid.T) {
				n := rapid.IntRange(-3, len(all)+3).Draw(t, "through")
				p.Applied(start.Add(n))
				if n < len(all) {
					applied = max(applied, n+1)
				}
			},
			"acknowledge": func(t *rapid.T) {
				n := rapid.IntRange(-3, len(all)+3).Draw(t, "through")
				p.Acknowledge(start.Add(n))
				if n < len(all) {
					acked = max(acked, n+1)
				}
			},
			"": func(t *rapid.T) {
				if len(all) == 0 {
					return
				}
				if p.Len() != len(all)-applied || p.Unacknowledged() != len(all)-acked {
					t.Fatalf("%d to replay and %d to send, want %d and %d", p.Len(), p.Unacknowledged(), len(all)-applied, len(all)-acked)
				}
				for i := range all {
					in, ok := p.At(start.Add(i))
					if ok != (i >= min(applied, acked)) || ok && in != all[i] {
						t.Fatalf("input %d is %v, %v, of %d with %d applied and %d acknowledged", i, in, ok, len(all), applied, acked)
					}
				}
				var inputs prediction.Inputs[control]
				if datagram := encode(p); len(datagram) > 0 {
					readAll(t, datagram, &inputs)
				}
				if inputs.Count != len(all)-acked {
					t.Fatalf("%d inputs in a packet, want %d", inputs.Count, len(all)-acked)
				}
				for i := range inputs.Count {
					if inputs.At(i) != all[len(all)-1-i] || inputs.Newest != start.Add(len(all)-1) {
						t.Fatalf("input %d before %d is %v in the packet, want %v", i, inputs.Newest, inputs.At(i), all[len(all)-1-i])
					}
				}
			},
		})
	})
}
