package play

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// A cheater that requests a push with every byte that it may send does not block other players,
// and pushes no more often than others.
func TestPushesOfOthersAreHeard(t *testing.T) {
	pushed := map[uint16]int{}
	v := newVirtual(t, func(c *rules.Config) {
		c.MaxPlayers = 2
		c.Pushed = func(p *rules.Player) { pushed[p.Number()]++ }
	})
	stand := scripted(func(netcode.Tick) arena.Input { return arena.Input{} })
	cheater, honest := v.join(settings.Link{}, stand), v.join(settings.Link{}, stand)
	v.run(time.Second, nil)
	const pushes = 5
	for range pushes {
		if err := honest.Net().Send(arena.PushMessage()); err != nil {
			t.Fatal(err)
		}
		v.run(time.Second, func() {
			for cheater.Net().Send(arena.PushMessage()) == nil {
			}
		})
	}
	if n := pushed[honest.Net().Number()]; n != pushes {
		t.Errorf("of %d pushes of the honest player %d were heard", pushes, n)
	}
	if n := pushed[cheater.Net().Number()]; n < pushes || n > 2*pushes+1 {
		t.Errorf("the cheater pushed %d times in %d s, want once in half a second", n, pushes)
	}
}
