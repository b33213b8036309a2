package netcode_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A client draws by interpolators of another package, and switches between those and its own.
func TestInterpolatorsOfAnotherPackage(t *testing.T) {
	m := newMatch(t, nil)
	crate := m.crate(kindCrate, components.At3D(3, 0, 0))
	made := map[interp.Kind]int{}
	a := m.join(linksim.Symmetric(linksim.Condition{Delay: 20 * time.Millisecond, Seed: 1}), func(c *netcode.ClientConfig[runner, input]) {
		c.Interpolation = articles.SeedLinear
		c.Interpolators = func(k interp.Kind, config interp.Config) interp.Interpolator {
			made[k]++
			return articles.New(k, config)
		}
	})
	for _, k := range []interp.Kind{articles.SeedLinear, articles.SeedChase, articles.SeedRacer, interp.Default} {
		a.client.SetInterpolation(k)
		m.run(2*time.Second, nil)
		m.mustPlay()
		if made[k] == 0 {
			t.Errorf("%s: no interpolator was made", articles.Name(k))
		}
		if x := a.world(a.client.Replica(m.id(crate)))[0]; x < 2.99 || x > 3.01 {
			t.Errorf("%s: the crate is at %v, want 3", articles.Name(k), x)
		}
	}
}
