package tick_test

import (
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// A tick's number wraps after 828 days at 60 Hz, and comparisons survive that.
func ExampleTick_IsNewer() {
	last := tick.Tick(0xffffffff)
	next := last.Add(1)
	fmt.Println(next, next.IsNewer(last), next.Sub(last))
	// Output: 0 true 1
}
