package play

import (
	"log/slog"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// At every rate of steps and of snapshots that the flags allow, a player whose inputs run as they
// come loses none of its time.
func TestPlayersOnArrivalKeepTheirSpeed(t *testing.T) {
	for _, test := range []struct{ hz, send int }{{10, 5}, {10, 7}, {10, 10}, {30, 5}, {60, 5}, {60, 6}, {60, 20}, {60, 60}, {144, 5}, {240, 5}, {240, 9}, {240, 240}} {
		r := rateFlags{hz: test.hz, sendHz: test.send}
		if err := r.check(5); err != nil {
			t.Fatal(err)
		}
		v := newVirtual(t, func(c *rules.Config) { c.Rate, c.SendRate, c.InputMode = test.hz, test.send, netcode.OnArrival })
		s, err := view.New(view.Config{
			Dial: func() (transport.Conn, error) { return v.dial(), nil },
			Rate: test.hz, SendRate: test.send, Link: settings.Link{Latency: 60 * time.Millisecond, Jitter: 10 * time.Millisecond, Seed: 1},
			Controller: scripted(func(netcode.Tick) arena.Input { return arena.Input{} }), Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		v.clients = append(v.clients, s)
		v.run(5*time.Second, nil)
		p := v.match.Server().Player(s.Net().Number())
		if p == nil {
			t.Fatalf("%d Hz, snapshots at %d: not joined: %s", test.hz, test.send, s.Status())
		}
		before := p.ArrivalStats()
		const seconds = 20
		v.run(seconds*time.Second, nil)
		after := p.ArrivalStats()
		ran, lost := after.Run-before.Run, after.Forfeited-before.Forfeited
		if want := uint64(seconds * test.hz); ran < want*98/100 || ran > want*102/100 {
			t.Errorf("%d Hz, snapshots at %d: %d of %d inputs ran, %v were forfeited, %d dropped", test.hz, test.send, ran, want, lost, after.Dropped-before.Dropped)
		}
	}
}
