package matchstate

import (
	"errors"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// FuzzRead passes the fuzzer's packets, each 40 bytes long, to a client. No packet may panic. The
// changes that are kept must stay in the order of their ticks, and be within reach.
func FuzzRead(f *testing.F) {
	h, sent := New(0), Sent{}
	var all []byte
	for i := range 12 {
		now := tick.Tick(30 * i)
		h.Set(i, 8, now.Add(25*(i%4)), now)
		w := packet.NewWriter(make([]byte, 40))
		h.Write(&w, plain{8}, &sent, packet.Number(i+1), now.Add(1), Limits{Bits: 128, Past: 60})
		one := append(w.Bytes(), make([]byte, 40)...)[:40]
		f.Add(one)
		all = append(all, one...)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, data []byte) {
		client := New(0)
		var received Received[int]
		for n := packet.Number(1); len(data) > 0; n++ {
			one := data[:min(40, len(data))]
			data = data[len(one):]
			after := tick.Tick(n) * 30
			r := packet.NewReader(one)
			if received.Read(&r, plain{8}); r.Err() != nil {
				if !errors.Is(r.Err(), packet.ErrShort) && !errors.Is(r.Err(), packet.ErrMalformed) {
					t.Fatal(r.Err())
				}
				continue
			}
			before := client
			since, news := received.Apply(&client, n, after)
			if news && before.At(since) == client.At(since) {
				t.Fatalf("the value of tick %d is the same, and counts as news", since)
			}
			if !news && before.At(after) != client.At(after) {
				t.Fatalf("the value of tick %d is another one, and does not count as news", after)
			}
			if client.n < 1 || client.n > 1+Kept {
				t.Fatalf("%d changes are kept", client.n)
			}
			for i := 2; i < client.n; i++ {
				if a, b := client.changes[i-1].from, client.changes[i].from; !b.IsNewer(a) {
					t.Fatalf("a change in tick %d behind one in tick %d", b, a)
				}
			}
			if d := client.newest().from.Sub(after); client.n > 1 && (d > 2*Ahead || d < -2*Ahead-1) {
				t.Fatalf("a change %d ticks away is kept", d)
			}
		}
	})
}
