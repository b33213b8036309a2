package snapshot_test

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// health is a component that is sent as a difference.
type health int32

type healthCodec struct{}

func (healthCodec) Quantize(v health) health { return v }

func (healthCodec) Encode(w *packet.Writer, v health, base *health) {
	if base != nil {
		w.SignedGolomb(int64(v-*base), 3)
		return
	}
	w.Bits(uint64(uint32(v)), 32)
}

func (healthCodec) Decode(r *packet.Reader, base *health) health {
	if base != nil {
		return *base + health(r.SignedGolomb(3))
	}
	return health(r.Bits(32))
}

// colour is a component that loses precision: four bits each.
type colour struct{ r, g, b uint8 }

type colourCodec struct{}

func (colourCodec) Quantize(v colour) colour { return colour{v.r &^ 15, v.g &^ 15, v.b &^ 15} }

func (colourCodec) Encode(w *packet.Writer, v colour, _ *colour) {
	w.Bits(uint64(v.r>>4), 4)
	w.Bits(uint64(v.g>>4), 4)
	w.Bits(uint64(v.b>>4), 4)
}

func (colourCodec) Decode(r *packet.Reader, _ *colour) colour {
	return colour{uint8(r.Bits(4) << 4), uint8(r.Bits(4) << 4), uint8(r.Bits(4) << 4)}
}
