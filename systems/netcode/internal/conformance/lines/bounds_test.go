package lines

import (
	"math"
	"sync"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Every case is within its bounds with a seed that is not on the page. A short run plays one case.
func TestBounds(t *testing.T) {
	var group sync.WaitGroup
	defer group.Wait()
	for _, c := range Cases() {
		if testing.Short() && c.Name != "codel" {
			continue
		}
		group.Go(func() {
			f := Measure(&c, 11)
			for _, check := range c.checks(&f) {
				if !check.Held {
					t.Errorf("%s: %s is %s, want %s", check.Condition, check.What, check.Measured, check.Text())
				}
			}
		})
	}
}

// A bottleneck with enough capacity costs a client no byte. The rate falls only if the line cannot
// carry the data.
func TestWideLineLosesNoByte(t *testing.T) {
	if testing.Short() {
		t.Skip("plays four minutes")
	}
	for _, bodies := range []int{0, 98} {
		c := Cases()[0]
		if c.Name != "clean" {
			t.Fatal("the first case is not the clean one")
		}
		c.Bodies = bodies
		wide := Measure(&c, 3)
		path := c.path
		c.path = func(seed uint64) (p linksim.Path) {
			p = path(seed)
			for _, d := range []*linksim.Condition{&p.Send, &p.Receive} {
				d.Rate, d.Packets = 0, 0
			}
			return p
		}
		if none := Measure(&c, 3); math.Abs(wide[Down]/none[Down]-1) > 0.001 || math.Abs(wide[Up]/none[Up]-1) > 0.001 {
			t.Errorf("%d bodies: %.3f kB a second down and %.3f up, %.3f and %.3f without a bottleneck", c.bodies(), wide[Down], wide[Up], none[Down], none[Up])
		}
	}
}
