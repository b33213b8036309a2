package conformance_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A ball on a bad network, drawn in the first lane, the default.
func ExampleRun() {
	var ball conformance.Motion
	for _, m := range conformance.Motions() {
		if m.ID == "M4" {
			ball = m
		}
	}
	path := linksim.Condition{Delay: 80 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.02}
	result := conformance.Run(conformance.Spec{
		Network: conformance.Network{Down: path, Up: path, SnapshotRate: 20},
		Motion:  &ball,
		Lanes:   conformance.Lanes()[:1],
		Length:  30 * time.Second,
		Seed:    1,
	})
	m := result.Lanes[0]
	fmt.Printf("starved %.1f %%, median lag %v, worst jump %.2f m\n", 100*m.Starved, m.Lag50.Round(10*time.Millisecond), m.Jump)
	// Output:
	// starved 0.0 %, median lag 200ms, worst jump 0.00 m
}
