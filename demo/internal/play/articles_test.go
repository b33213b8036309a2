package play

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// The platformer articles' whole set-up works by the demo's own flags: 30 inputs a second that run
// on arrival, ten snapshots a second, others drawn 400 ms behind, over an ordered stream of 200 ms
// ± 10 % that loses 15 %. Others run steadily on the screen.
func TestTheArticlesWay(t *testing.T) {
	var r rateFlags
	var s serverFlags
	var input clientInputFlags
	set := flags.New("host")
	r.flags(set.FlagSet, snapshotsText)
	s.flags(set, "")
	input.flags(set.FlagSet)
	if err := set.Read([]string{"-hz", "30", "-send-hz", "10", "-on-arrival", "-bank", "1s", "-action-hz", "30", "-delay", "400ms", "-crates", "0"}, io.Discard, "", ""); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.check(5), s.check(), input.check(r.hz)); err != nil {
		t.Fatal(err)
	}
	h, err := newServer(&r, &s, slog.New(slog.DiscardHandler), true)
	if err != nil {
		t.Fatal(err)
	}
	defer h.host.Close()
	v := &virtual{t: t, match: h.match, own: h.local}
	for n := range uint64(2) {
		o := options.NewMatch()
		o.Link, o.Autopilot, o.Peace = seed(n+1), true, true
		o.Link.Ordered = true
		one, err := newClient(&r, &input, o, int(n), func() (transport.Conn, error) { return v.dial(), nil }, h.host.Token())
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		v.clients = append(v.clients, one)
	}
	v.run(5*time.Second, nil)
	for i, one := range v.clients {
		status, reason := one.Net().Status()
		if d := one.Net().Stats().Delay; status != netcode.Playing || d < 450*time.Millisecond {
			t.Fatalf("client %d is %v (%v), and shows others %v late; want 400 ms and the way", i, status, reason, d)
		}
	}
	h.match.Server().Players(func(p *netcode.Player[arena.State, arena.Input]) {
		if s := p.InputStats(); s.Ticks != 0 {
			t.Errorf("%d inputs of player %d have run on their ticks", s.Ticks, p.Number())
		}
	})
	last, moved := [2]map[string]mgl32.Vec3{}, [2]map[string]float32{}
	worst, way := float32(0), float32(0)
	v.run(20*time.Second, func() {
		for i, one := range v.clients {
			now, by := places(one), map[string]float32{}
			for name, at := range now {
				if was, ok := last[i][name]; ok && strings.HasPrefix(name, "player") {
					by[name] = at.Sub(was).Len()
					if before, ok := moved[i][name]; ok && max(by[name], before) < 2 {
						// else it is a portal
						worst, way = max(worst, by[name]-before), way+by[name]
					}
				}
			}
			last[i], moved[i] = now, by
		}
	})
	t.Logf("others run %.0f m, and are %.3f m faster in a frame than in the one before at worst", way, worst)
	// A player that stands and jumps is that much faster.
	if worst > arena.JumpSpeed/60 || way < 100 {
		t.Errorf("others run %.0f m, and are %.3f m faster in a frame than in the one before", way, worst)
	}
	for i, one := range v.clients {
		if c := one.Net().Stats().Corrections; c > 25 {
			t.Errorf("client %d was corrected %d times in 25 s", i, c)
		}
	}
}
