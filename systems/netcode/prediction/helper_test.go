package prediction_test

import (
	"github.com/tandem-ecs/tandem/systems/netcode/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/prediction"
)

// encode returns a packet with the unacknowledged inputs.
func encode(p *prediction.Pending[control]) []byte {
	w := packet.NewWriter(make([]byte, 256))
	p.Write(&w, controls{}, prediction.Redundancy{})
	return w.Bytes()
}
