package fifo_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/fifo"
)

// The queue equals a naive model, a slice of copies.
func TestIsABoundedQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type entry struct {
			note  int
			bytes []byte
		}
		limit := rapid.IntRange(1, 20).Draw(t, "limit")
		q, model, size, notes := fifo.New[int](limit), []entry{}, 0, 0
		buf := make([]byte, 8)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				b := rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "datagram")
				notes++
				full := len(model) == limit
				if q.Full() != full || q.Push(notes, b) == full {
					t.Fatalf("with %d of %d waiting Full is %v", len(model), limit, q.Full())
				}
				if !full {
					model = append(model, entry{notes, bytes.Clone(b)})
					size += len(b)
				}
				clear(b) // it was copied
			},
			"pop": func(t *rapid.T) {
				n, note, ok := q.Pop(buf)
				if ok != (len(model) > 0) || ok && (note != model[0].note || !bytes.Equal(buf[:n], model[0].bytes)) {
					t.Fatalf("popped %v with note %d, %v, want %v", buf[:n], note, ok, model)
				}
				if ok {
					size -= n
					model = model[1:]
				}
			},
			"drop": func(*rapid.T) {
				q.Pop(nil)
				if len(model) > 0 {
					size -= len(model[0].bytes)
					model = model[1:]
				}
			},
			"release": func(*rapid.T) {
				q.Release()
				model, size = nil, 0
			},
			"": func(t *rapid.T) {
				if q.Len() != len(model) || q.Bytes() != size {
					t.Fatalf("%d datagrams of %d bytes, want %d of %d", q.Len(), q.Bytes(), len(model), size)
				}
			},
		})
	})
}

func TestPopTruncates(t *testing.T) {
	q := fifo.New[struct{}](2)
	q.Push(struct{}{}, []byte("long"))
	q.Push(struct{}{}, []byte("next"))
	buf := make([]byte, 2)
	if n, _, _ := q.Pop(buf); n != 2 || string(buf) != "lo" {
		t.Errorf("popped %q", buf[:n])
	}
	if n, _, _ := q.Pop(buf); string(buf[:n]) != "ne" {
		t.Errorf("popped %q: what was cut off came back", buf[:n])
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	q, datagram, buf := fifo.New[int](64), make([]byte, 1200), make([]byte, 1200)
	step := func() {
		for i := range 10 {
			q.Push(i, datagram)
		}
		for range 10 {
			q.Pop(buf)
		}
	}
	for range 20 {
		step()
	}
	if allocs := testing.AllocsPerRun(1000, step); allocs != 0 {
		t.Errorf("%v allocations per step, want 0", allocs)
	}
}
