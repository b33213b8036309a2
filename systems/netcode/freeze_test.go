package netcode_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A machine freezes for any time, any number of times, also while its clocks are still being set.
// It never runs further ahead of the server than a clock that starts over a bad line. Three seconds
// later it has its former lead. It sends nothing that counts against it.
func TestFreezesDoNotUnsettleTheClock(t *testing.T) {
	const (
		// ticks beyond the one-way delay to the server: a quarter of those that the server keeps,
		// which Config.MaxAge of the clocks allows, and one at each end, since ticks are whole
		ever = prediction.Ahead/4 + 2
		// after three seconds: jitter that was measured meanwhile fades more slowly
		after = 12
	)
	rapid.Check(t, func(r *rapid.T) {
		condition := linksim.Condition{
			Delay:  time.Duration(rapid.SampledFrom([]int{0, 15, 50, 100, 200}).Draw(r, "delay")) * time.Millisecond,
			Jitter: time.Duration(rapid.SampledFrom([]int{0, 2, 10, 20}).Draw(r, "jitter")) * time.Millisecond,
			Loss:   rapid.SampledFrom([]float64{0, 0.01, 0.05, 0.15}).Draw(r, "loss"),
			Seed:   rapid.Uint64().Draw(r, "seed"),
		}
		held := rapid.Bool().Draw(r, "what is under way is held up, too")
		m := newMatch(t, nil)
		p := m.join(linksim.Symmetric(condition), nil)
		newest, begun, thaws := netcode.Tick(0), false, time.Duration(0)
		p.input = func(t netcode.Tick) input { newest, begun = t, true; return input{} }
		ahead := func() int { return int(newest.Sub(m.server.Tick())) - int(condition.Delay*tickRate/time.Second) }
		m.run(time.Duration(rapid.SampledFrom([]int{300, 600, 1000, 10000}).Draw(r, "settled for"))*time.Millisecond, nil)
		watch := func() {
			if begun && ahead() > ever {
				r.Fatalf("at %v it is %d ticks ahead beyond the way: %+v", m.now, ahead(), p.client.Stats())
			}
			if !held && m.now < thaws && p.Conn != nil {
				p.Conn.Poll(m.now)
			}
		}
		for range rapid.IntRange(1, 4).Draw(r, "freezes") {
			freeze := time.Duration(rapid.IntRange(50, 6000).Draw(r, "freeze")) * time.Millisecond
			p.Freeze(freeze)
			thaws = m.now + freeze
			gap := time.Duration(rapid.SampledFrom([]int{0, 20, 100, 300, 1000}).Draw(r, "gap")) * time.Millisecond
			m.run(freeze+gap, watch)
		}
		for give := 30 * tickRate; !begun && give > 0; give-- {
			// if the welcome was lost twice, and the client froze meanwhile, it takes some seconds
			m.run(time.Second/tickRate, watch)
		}
		m.run(3*time.Second, watch)
		for range 2 * tickRate {
			m.run(time.Second/tickRate, watch)
			if a := ahead(); a > after || a < 0 {
				r.Fatalf("at %v it is %d ticks ahead beyond the way: %+v", m.now, a, p.client.Stats())
			}
		}
		for _, reason := range m.left {
			if reason.Code == transport.Kicked {
				r.Fatalf("it was removed: %v", reason)
			}
		}
		if s := m.of(p).InputStats(); s.Excess > 0 || s.Early > 0 {
			r.Fatalf("%d inputs came earlier than the server keeps them, %d packets count as too many", s.Early, s.Excess)
		}
	})
}
