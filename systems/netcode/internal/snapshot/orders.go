package snapshot

import "math/bits"

// The numbers in a packet are in Golomb codes whose orders the packet states: one for each class of
// numbers.
const (
	classGap = iota // between the slots of neighbouring records
	classPosition
	classRotation
	classVelocity
	classAngular
	classes
)

// sizes are the bit lengths of the numbers of a change: five bits for each of the three of every
// class but that of gaps, one more than the length. 0: there is no such number.
type sizes uint64

// mostSize is the largest length that sizes hold. Positions take at most 28 bits.
const mostSize = 30

func (z *sizes) add(class, k int, v uint64) {
	*z |= sizes(min(bits.Len64(v), mostSize)+1) << (5 * (3*(class-classPosition) + k))
}

// coding holds the orders in which the numbers of a change are written, and their sizes.
type coding struct {
	orders [classes]uint
	sizes  sizes
}

// tally follows the sizes of the numbers of each class and chooses orders that make them short.
type tally struct {
	sizes  [classes][32]uint32 // how many numbers of each bit length, plus one as in sizes
	orders [classes]uint
}

func newTally() tally {
	return tally{orders: [classes]uint{classGap: 1, classPosition: 8, classRotation: 5, classVelocity: 4, classAngular: 4}}
}

func (t *tally) add(class int, v uint64) {
	t.sizes[class][bits.Len64(v)+1]++
}

// count adds the numbers of a change that is sent.
func (t *tally) count(z sizes) {
	for class := classPosition; z != 0; class++ {
		n := &t.sizes[class] // of which the first counts numbers that there are not
		n[z%32]++
		n[z>>5%32]++
		n[z>>10%32]++
		z >>= 15
	}
}

// take moves the counts of another tally to this one.
func (t *tally) take(from *tally) {
	for c := range classes {
		for i, n := range from.sizes[c] {
			t.sizes[c][i] += n
		}
	}
	from.sizes = [classes][32]uint32{}
}

// adapt chooses new orders once there are enough numbers, and discards half of the counts.
func (t *tally) adapt() {
	for c := range classes {
		total := uint32(0)
		for _, n := range t.sizes[c][1:] {
			total += n
		}
		if total < 256 {
			continue
		}
		best, least := t.orders[c], t.cost(c, t.orders[c])
		for _, order := range [2]uint{best - 1, best + 1} {
			if order > 15 { // also when 0-1 wraps
				continue
			}
			if cost := t.cost(c, order); cost < least {
				t.orders[c], least = order, cost
			}
		}
		for i := range t.sizes[c] {
			t.sizes[c][i] /= 2
		}
	}
}

// cost returns about sixteen times the bits that the numbers of a class take with an order.
func (t *tally) cost(class int, order uint) (sum uint64) {
	for size, n := range t.sizes[class][1:] {
		if n == 0 {
			continue
		}
		cost := 16 * (1 + order)
		if uint(size) > order {
			// 2^m <= v>>order < 2^(m+1); one in 2^m of them takes two bits more
			m := uint(size) - 1 - order
			cost = 16*(2*m+1+order) + 32>>m
		}
		sum += uint64(n) * uint64(cost)
	}
	return sum
}
