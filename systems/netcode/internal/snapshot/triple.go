package snapshot

import "github.com/tandem-ecs/tandem/systems/netcode/internal/packet"

// triple holds the codes of the three numbers of a position, rotation or velocity. They are made
// once, for their size and for the packet.
type triple struct {
	code [3]uint64
	n    [3]uint // bits
}

func (c *triple) len() uint { return c.n[0] + c.n[1] + c.n[2] }

// write writes them behind n zeros.
func (c *triple) write(w *packet.Writer, n uint) {
	if n+c.len() > 64 {
		w.Bits(0, n)
		for k := range 3 {
			w.Bits(c.code[k], c.n[k])
		}
		return
	}
	w.Bits((c.code[0]|(c.code[1]|c.code[2]<<c.n[1])<<c.n[0])<<n, n+c.len())
}

// differences returns the codes of the differences between the numbers of a class and the expected
// ones, and notes their sizes.
func (o *coding) differences(class int, v, expected [3]int16) (c triple) {
	for k := range 3 {
		d := packet.Fold(int64(v[k]) - int64(expected[k]))
		o.sizes.add(class, k, d)
		c.code[k], c.n[k] = packet.GolombCode(d, o.orders[class])
	}
	return c
}
