package netcode_test

import (
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// A struct of numbers needs no codec of its own, and takes as many bits as a codec by hand if its
// tags state the ranges.
func ExampleStructInput() {
	in, before := buttons{X: 1, Fire: true}, buttons{}
	own := netcode.NewWriter(make([]byte, 64))
	buttonsCodec{}.Write(&own, in, before)
	w := netcode.NewWriter(make([]byte, 64))
	codec := netcode.StructInput[buttons]()
	codec.Write(&w, in, before)
	r := netcode.NewReader(w.Bytes())
	fmt.Println(codec.Read(&r, before), w.Len(), "bits, by hand", own.Len())

	// A value of -2 or 2 from a cheater is refused.
	w = netcode.NewWriter(make([]byte, 64))
	w.Bits(3, 2)
	w.Bits(0, 3)
	r = netcode.NewReader(w.Bytes())
	codec.Read(&r, before)
	fmt.Println(r.Err())
	// Output:
	// {1 0 true} 5 bits, by hand 5
	// netcode: a number out of its range, or not finite
}

// States are exact: a client predicts them bit for bit.
func ExampleStructState() {
	h := hero{X: 0.1, Z: -3}
	own := netcode.NewWriter(make([]byte, 64))
	heroCodec{}.Write(&own, h)
	w := netcode.NewWriter(make([]byte, 64))
	codec := netcode.StructState[hero]()
	codec.Write(&w, h)
	r := netcode.NewReader(w.Bytes())
	fmt.Println(codec.Read(&r) == h, w.Len(), "bits, by hand", own.Len())
	// Output: true 64 bits, by hand 64
}
