package netcode

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"github.com/tandem-ecs/tandem/internal/column"
)

// defaultTolerance is the Game.Tolerance of the default Distance: a millimetre, if the unit of
// length is a metre.
const defaultTolerance = 0.001

// apart compares two states of a type by their numbers: the largest difference of a floating-point
// number, or infinity if anything else differs. It is made once for a type.
type apart struct {
	floats []number
	exact  [][2]uintptr // bytes of all other fields: from, to
}

// structDistance returns the default of Game.Distance, or an error that names the field of S for
// which there is none.
func structDistance[S any]() (func(a, b S) float64, error) {
	l := layoutMaker{most: maxStruct, in: "a packet"}
	t := reflect.TypeFor[S]()
	if err := l.add(t, 0, "", ""); err != nil {
		return nil, fmt.Errorf("netcode: a Game needs a Distance for %v: %w; or set Distance", t, err)
	}
	var c apart
	for _, n := range l.layout {
		last := len(c.exact) - 1
		switch {
		case n.kind == reflect.Float32 || n.kind == reflect.Float64:
			c.floats = append(c.floats, n)
		case last >= 0 && c.exact[last][1] == n.offset:
			c.exact[last][1] += n.size
		default:
			c.exact = append(c.exact, [2]uintptr{n.offset, n.offset + n.size})
		}
	}
	return func(a, b S) float64 { return c.distance(column.Numbers[byte](&a), column.Numbers[byte](&b)) }, nil
}

// distance compares the memory of two states.
func (c *apart) distance(a, b []byte) float64 {
	for _, r := range c.exact {
		if !bytes.Equal(a[r[0]:r[1]], b[r[0]:r[1]]) {
			return math.Inf(1)
		}
	}
	most := 0.0
	for i := range c.floats {
		n := &c.floats[i]
		var d float64
		if n.size == 4 {
			x, y := binary.NativeEndian.Uint32(a[n.offset:]), binary.NativeEndian.Uint32(b[n.offset:])
			if x == y {
				continue // also for infinities
			}
			d = math.Abs(float64(math.Float32frombits(x)) - float64(math.Float32frombits(y)))
		} else {
			x, y := binary.NativeEndian.Uint64(a[n.offset:]), binary.NativeEndian.Uint64(b[n.offset:])
			if x == y {
				continue
			}
			d = math.Abs(math.Float64frombits(x) - math.Float64frombits(y))
		}
		if d != d {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}
