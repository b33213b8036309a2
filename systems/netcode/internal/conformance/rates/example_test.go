package rates_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/rates"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The example measures 20 snapshots a second on a path of the caller's.
func ExampleRun() {
	satellite := rates.Network{Name: "satellite", Path: linksim.Condition{Delay: 300 * time.Millisecond, Jitter: 5 * time.Millisecond}}
	f, err := rates.Run(rates.Setting{Network: satellite, TickRate: 60, SnapshotRate: 20, Length: 30 * time.Second, Seed: 1})
	if err != nil {
		panic(err)
	}
	rounded := func(seconds float64) time.Duration {
		return time.Duration(seconds * float64(time.Second)).Round(50 * time.Millisecond)
	}
	fmt.Printf("others are shown %v late and have pressed %v ago\n", rounded(f[rates.Lag50]), rounded(f[rates.Age]))
	// Output:
	// others are shown 350ms late and have pressed 700ms ago
}
