package netcode

import "github.com/tandem-ecs/tandem/systems/netcode/packet"

// WriteHelloForTest writes the greeting of a newcomer.
func (p *Protocol[S, I]) WriteHelloForTest(w *packet.Writer) {
	h := hello{}
	h.write(w, p.schema)
}
