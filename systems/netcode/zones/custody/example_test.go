package custody_test

import (
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// Two zones, and an entity that goes from one to the other. The messages travel in memory.
func ExampleLedger() {
	north, _ := custody.Open(custody.Process{Zone: 1, Epoch: 1}, []custody.Zone{2}, nil)
	south, _ := custody.Open(custody.Process{Zone: 2, Epoch: 1}, []custody.Zone{1}, nil)
	ledgers := map[custody.Zone]*custody.Ledger{1: north, 2: south}

	// carry sends all messages, and those that answer them.
	carry := func() {
		for range 4 {
			for _, l := range ledgers {
				for _, m := range l.Outbox() {
					ledgers[m.To.Zone].Receive(m)
				}
			}
		}
	}

	carry() // each has asked the other
	fox := north.Create()
	north.Commit(fox, 2, []byte("a fox"))
	carry()
	for _, e := range south.Arrived() {
		fmt.Printf("south has %s: %v\n", e.State, south.Owns(e.Name))
	}

	// Both write checkpoints. Then nothing of the hand-over needs to be remembered.
	for _, l := range []*custody.Ledger{south, north} {
		number, _ := l.Checkpoint(func(custody.Name) []byte { return []byte("a fox") })
		l.Written(number)
		carry()
	}
	fmt.Println("known elsewhere:", north.Known())
	// Output:
	// south has a fox: true
	// known elsewhere: 0
}
