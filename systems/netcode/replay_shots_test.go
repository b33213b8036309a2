package netcode_test

import (
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// After a seek shots of any age are on their paths, also those whose launch is too long ago for the
// eight bits of its tick.
func TestReplayOfOldShots(t *testing.T) {
	protocol := func() *protocol {
		return shotProtocol(t, func(s *netcode.Shots[runner, input, rocket]) {
			s.Fire = func(before, after runner, in input, at netcode.Tick, launch func(rocket)) {
				fireRocket(before, after, in, at, func(r rocket) { r.VZ, r.Ticks = 2, 700; launch(r) })
			}
		})
	}
	m := newMatchOf(t, protocol(), nil)
	m.bot(func(_ *serverPlayer, at netcode.Tick) input { return input{X: 1, Dash: at%160 == 0} })
	tape := &tapeFile{}
	file := replay.NewFile(tape, replay.Info{Game: "test"})
	if err := m.server.Record(file); err != nil {
		t.Fatal(err)
	}
	truth := map[netcode.Tick]map[netcode.EntityID]mgl32.Vec3{}
	m.engine.AddAt(ecs.FixedEnd, ecs.OrderCapture+5, ecs.SystemFunc(func(w *arche.World) {
		now := map[netcode.EntityID]mgl32.Vec3{}
		for _, r := range rockets(w) {
			now[r.ID] = r.at
		}
		truth[m.server.Tick()+1] = now
	}))
	m.run(20*time.Second, nil)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	v := newViewerOf(t, tape.open(t), protocol())
	shots, old := 0, 0
	for at := 30 * time.Millisecond; at < 20*time.Second; at += 310 * time.Millisecond {
		v.client.Replay().Seek(at)
		for range 3 {
			v.step()
			want := truth[v.tick()]
			all := slices.DeleteFunc(rockets(v.engine.World()), func(r inFlight) bool {
				return r.rocket.Born == uint16(v.tick()) // at the muzzle: its flight begins here
			})
			if len(all) != len(want) {
				t.Fatalf("tick %d: %d shots, want %d", v.tick(), len(all), len(want))
			}
			for _, r := range all {
				if d := r.at.Sub(want[r.ID]).Len(); d > 1e-3 {
					t.Fatalf("tick %d: a shot is %.3f m off", v.tick(), d)
				}
				if shots++; uint16(v.tick())-r.rocket.Born > 255 {
					old++
				}
			}
		}
	}
	if shots < 300 || old < 150 {
		t.Errorf("%d shots, %d of them old", shots, old)
	}
}
