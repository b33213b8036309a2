package dtls_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
)

// An honest client has the worst of lines: 15 % of its datagrams are lost, 20 % arrive late and
// behind others, a third arrives twice or three times, and an attacker replays all datagrams and
// forges records with the connection's id. The connection must not end, and datagrams must still
// arrive once.
func TestHonestClientOnABadLine(t *testing.T) {
	for _, untrusted := range []bool{false, true} { // with a tenth of the budget
		l := listen(t, open(dtls.Config{}))
		r := newRelay(t, l.Addr())
		random := rand.New(rand.NewPCG(3, 4))
		type late struct {
			b  []byte
			up bool
		}
		var mu sync.Mutex
		var held []late
		r.setDrop(func(b []byte, up bool) bool {
			mu.Lock()
			defer mu.Unlock()
			chance := random.IntN(100)
			for range max(0, chance-97) + max(0, chance/34-1) {
				held = append(held, late{bytes.Clone(b), up})
			}
			if chance < 15 {
				return true
			}
			if chance < 35 {
				held = append(held, late{bytes.Clone(b), up})
			}
			return chance < 35
		})
		client, server := join(t, l, r.addr(), dtls.Config{})
		transport.SetUntrusted(server, untrusted)
		there, back := newFlow(client, server), newFlow(server, client)
		for i := range 120 {
			there.carry(t, 1)
			back.carry(t, 1)
			mu.Lock()
			due := held
			held = nil
			random.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
			mu.Unlock()
			for _, d := range due {
				r.inject(d.b, d.up)
			}
			if i%50 == 30 {
				up, down := r.recorded()
				for _, b := range up[max(0, len(up)-150):] {
					r.inject(b, true)
					forged := bytes.Clone(b)
					forged[len(forged)-1] ^= 1
					r.inject(forged, true)
				}
				for _, b := range down[max(0, len(down)-150):] {
					r.inject(b, false)
				}
			}
		}
		for _, c := range []transport.Conn{client, server} {
			if c.Poll(0); c.State() != transport.Open {
				t.Errorf("untrusted %v: an honest client was closed: %v", untrusted, c.CloseReason())
			}
		}
	}
}
