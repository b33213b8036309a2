package settings

import (
	"reflect"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A line by name is as linksim has it, and what else is given is added to it.
func TestLinkWithALine(t *testing.T) {
	for _, line := range linksim.Lines() {
		want := line.Path(3)
		if got := (Link{Line: line.Name, Seed: 3}).Path(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is not as linksim has it: %.200s", line.Name, got)
		}
		l := Link{Line: line.Name, Seed: 3, Latency: 100 * time.Millisecond, Jitter: 8 * time.Millisecond, Loss: 0.5}
		got := l.Path()
		if d := got.Send.Delay - want.Send.Delay; d != 50*time.Millisecond || got.Receive.Jitter-want.Receive.Jitter != 4*time.Millisecond || got.Receive.Loss < 0.5 || got.Receive.Loss > 0.51 {
			t.Errorf("%s with more: %.200s", line.Name, got)
		}
		if _, _, err := got.Links(); err != nil {
			t.Errorf("%s with more: %v", line.Name, err)
		}
		l.Bursts = true
		if l.Path().Send.Burst.Enter == 0 {
			t.Errorf("%s: no bursts", line.Name)
		}
	}
}
