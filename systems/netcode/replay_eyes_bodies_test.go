package netcode_test

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// By a player's eyes bodies that move past the player, and appear and end there, are on their ways
// between the view and the present. They are there as long as they were at both.
func TestEyesOfBodiesThatComeAndGo(t *testing.T) {
	m := newMatchOf(t, eyesProtocol(t), nil)
	m.protocol = eyesProtocol(t)
	a := m.join(seeds(902), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	tape := &tapeFile{}
	file := replay.NewFile(tape, replay.Info{Game: "test"})
	if err := m.server.Record(file); err != nil {
		t.Fatal(err)
	}
	type moving struct {
		e    arche.Entity
		born int
	}
	var all []moving
	step := 0
	m.onServer(func() {
		// A box that moves at 6 m/s along z, through the reach of the player, which stands. It
		// lasts from 60 to 240 ticks.
		if step++; step%30 == 0 {
			all = append(all, moving{m.box(box{X: 3, Z: -12 + float32(step/30%3)*5}), step})
		}
		for i := 0; i < len(all); i++ {
			b, age := all[i], step-all[i].born
			if age > 60+(b.born/30*37)%180 {
				m.engine.World().RemoveEntity(b.e)
				all = append(all[:i], all[i+1:]...)
				i--
				continue
			}
			m.boxOf(b.e).VZ = 6 + boxDrag/tickRate
		}
	})
	truth := map[netcode.Tick]map[netcode.EntityID]mgl32.Vec3{}
	m.engine.AddAt(ecs.FixedEnd, ecs.OrderCapture+5, ecs.SystemFunc(func(w *arche.World) {
		now := map[netcode.EntityID]mgl32.Vec3{}
		filter := generic.NewFilter2[components.Transform3D, netcode.Replicated]()
		for q := filter.Query(w); q.Next(); {
			if l, rep := q.Get(); rep.Archetype == kindBox {
				now[rep.ID] = l.Get().Position
			}
		}
		truth[m.server.Tick()+1] = now
	}))
	m.run(12*time.Second, nil)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	v := newViewerOf(t, tape.open(t), eyesProtocol(t))
	v.client.Replay().FollowEyes(a.client.Number())
	v.client.Replay().Seek(2 * time.Second)
	v.step()
	last := map[netcode.EntityID]float32{}
	fading, drawn, appeared := 0, 0, 0
	for v.client.Replay().At() < v.client.Replay().Length() {
		v.step()
		at := v.tick()
		late := int(int64(at) - int64(v.client.View()*tickRate/time.Second))
		if late < 2 || late > 60 {
			t.Fatalf("tick %d: the view is %d ticks late", at, late)
		}
		shown := map[netcode.EntityID]float32{}
		for key, p := range screenOf(v.engine.World()) {
			if key.shot == (rocket{}) {
				shown[key.id] = p[2]
			}
		}
		for id, present := range truth[at] {
			z, ok := shown[id]
			whole := true // it has been there all the time since the view
			for k := range late + 2 {
				_, was := truth[at.Add(-k)][id]
				whole = whole && was
			}
			if !ok && whole {
				t.Fatalf("tick %d: %v is not shown", at, id)
			}
			if !ok {
				continue
			}
			drawn++
			behind := float64(present[2]-z) * tickRate / 6 // in ticks
			if behind < -0.1 || behind > float64(late)+1.1 {
				t.Fatalf("tick %d: %v is drawn %.1f ticks before the present, and the view %d", at, id, behind, late)
			}
			if behind > 1.5 && behind < float64(late)-1.5 {
				fading++
			}
		}
		for id, z := range shown {
			_, now := truth[at][id]
			_, then := truth[at.Add(-late-2)][id]
			before, known := last[id]
			if own := id == m.id(m.of(a).Entity); own {
				continue
			}
			if !known {
				appeared++
			}
			if !now && !then {
				t.Fatalf("tick %d: %v is shown, and has ended before the view", at, id)
			}
			if known && (z < before-0.01 || z > before+2*6.0/tickRate) {
				t.Fatalf("tick %d: %v moves by %.3f m in a step", at, id, z-before)
			}
		}
		last = shown
	}
	if fading < 60 || drawn < 1000 || appeared < 10 {
		t.Errorf("%d steps in between the moments, %d drawn, %d appearances", fading, drawn, appeared)
	}
}
