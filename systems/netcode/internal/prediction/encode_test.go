package prediction_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

// encode returns a packet with the unacknowledged inputs.
func encode(p *prediction.Pending[control]) []byte {
	w := packet.NewWriter(make([]byte, 256))
	p.Write(&w, controls{}, prediction.Redundancy{})
	return w.Bytes()
}

// decode reads a packet.
func decode(t testing.TB, datagram []byte, inputs *prediction.Inputs[control]) {
	t.Helper()
	r := packet.NewReader(datagram)
	if err := inputs.Read(&r, controls{}); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// readAll is decode for property tests.
func readAll(t *rapid.T, datagram []byte, inputs *prediction.Inputs[control]) {
	r := packet.NewReader(datagram)
	if err := inputs.Read(&r, controls{}); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func clocksyncAge(t *rapid.T) clocksync.Age {
	if rapid.Bool().Draw(t, "near") {
		return clocksync.Age(rapid.Int16Range(-130, 130).Draw(t, "age"))
	}
	return clocksync.Age(rapid.Int16().Draw(t, "age"))
}
