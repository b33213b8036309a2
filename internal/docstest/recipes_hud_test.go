package docstest

import (
	"fmt"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// The lamp and the score of docs/07-world-state.md.

// goals is the score of the match. Step does not read it.
type goals struct{ Red, Blue uint16 }

// lamp reports whether the lamp over the door is lit: while the door is open.
func (r *rules) lamp() bool { return r.door.Now().Open }

// scoreboard is the text of a HUD.
func (r *rules) scoreboard() string {
	now := r.goals.Now()
	return fmt.Sprintf("%d : %d", now.Red, now.Blue)
}

// scoreBlue gives a goal to the blue team.
func (w *world) scoreBlue() {
	now := w.goals.At(w.server.Tick())
	now.Blue++
	w.goals.Set(now, w.server.Tick()) // from the next tick on
}

// A client that joins late shows the score. Its lamp is lit in the frame in which the door begins
// to move.
func TestLampAndScore(t *testing.T) {
	m, w, join := newGame(t)
	var a, late struct{ lit, moved time.Duration }
	opens := false // from a shut door on
	watch := func(of *struct{ lit, moved time.Duration }) *rules {
		client, r := join(netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return keys{} }})
		doors := generic.NewFilter2[netcode.Replicated, components.Visual3D]()
		client.Engine.Add(ecs.NormalUpdate, ecs.SystemFunc(func(world *arche.World) {
			now := client.Engine.Time().Real
			if of.lit == 0 && r.lamp() {
				of.lit = now
			}
			for query := doors.Query(world); query.Next(); {
				replicated, visual := query.Get()
				if replicated.Archetype == kindDoor && opens && of.moved == 0 && visual.Get().Position[1] > 0 {
					of.moved = now
				}
			}
		}))
		return r
	}
	first := watch(&a)
	m.Run(2*time.Second, nil)
	w.scoreBlue()
	m.Run(time.Second, nil)
	second := watch(&late)
	m.Run(2*time.Second, nil)
	opens = true
	w.door.Set(door{Open: true, Since: m.Server.Tick().Add(30)}, m.Server.Tick().Add(30))
	m.Run(2*time.Second, nil)
	for k, r := range []*rules{first, second} {
		if text := r.scoreboard(); text != "0 : 1" {
			t.Errorf("client %d shows the score %q", k, text)
		}
	}
	for k, of := range []struct{ lit, moved time.Duration }{a, late} {
		// a frame and a step, since the door is still shut at the begin of its first step
		if off := of.moved - of.lit; of.lit == 0 || off < 0 || off > time.Second/30 {
			t.Errorf("client %d: the lamp is lit at %v, the door moves at %v", k, of.lit, of.moved)
		}
	}
}
