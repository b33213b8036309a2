package netcode_test

import (
	"testing"
	"time"
)

// A jump that the server makes with a player is a jump on the player's own screen, too, however
// short it is. It does not count as a correction, which would be drawn as gliding.
func TestTheOwnPlayerJumps(t *testing.T) {
	m := newMatch(t, nil)
	path := perfect()
	path.Send.Delay, path.Receive.Delay = 50*time.Millisecond, 50*time.Millisecond
	a := m.join(path, nil)
	m.run(2*time.Second, nil)
	m.mustPlay()
	for k := range 6 {
		from, to := float32(k)*3, float32(k+1)*3 // less than Game.Snap
		m.of(a).Teleport(runner{X: to, Z: m.of(a).State.Z})
		arrived := false
		m.run(time.Second, func() {
			x := a.visual(a.client.Entity())[0]
			arrived = arrived || x == to
			if want := from; arrived && x != to || !arrived && x != want {
				t.Fatalf("jump %d from %v to %v is seen at %v", k, from, to, x)
			}
		})
		if !arrived {
			t.Fatalf("jump %d is not seen", k)
		}
	}
}
