package snapshot

import "github.com/tandem-ecs/tandem/systems/netcode/internal/packet"

// triple holds the codes of the three numbers of a position, rotation or velocity. They are made
// once, for their size and for the packet.
type triple struct {
	code [3]uint64
	n    [3]uint // bits
}

// fold maps a signed number to the unsigned one that SignedGolomb writes.
func fold(d int32) uint64 { return uint64(uint32(d<<1 ^ d>>31)) }

func (c *triple) len() uint { return c.n[0] + c.n[1] + c.n[2] }

// write writes them behind n bits of head.
func (c *triple) write(w *packet.Writer, head uint64, n uint) {
	if n+c.len() > 64 {
		w.Bits(head, n)
		for k := range 3 {
			w.Bits(c.code[k], c.n[k])
		}
		return
	}
	w.Bits(head|(c.code[0]|(c.code[1]|c.code[2]<<c.n[1])<<c.n[0])<<n, n+c.len())
}

// differences returns the codes of the differences between the numbers of a class and the expected
// ones, and counts their sizes.
func (t *tally) differences(class int, v, expected [3]int16) (c triple) {
	for k := range 3 {
		d := fold(int32(v[k]) - int32(expected[k]))
		t.add(class, d)
		c.code[k], c.n[k] = packet.GolombCode(d, t.orders[class])
	}
	return c
}
