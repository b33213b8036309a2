package netcode_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// bullet has a path of 90 bits: a muzzle and a direction.
type bullet struct {
	X, Y, Z    int16 // 1/32 m
	Yaw, Pitch int16
	Ticks      uint16 `range:"0,1023"`
}

func bulletPath(b bullet, age float64) (components.Pose3D, bool) {
	return components.At3D(float32(b.X)/32+float32(age), float32(b.Y)/32, float32(b.Z)/32), age <= float64(b.Ticks)
}

// A second of a shot at 20 Hz takes the 90 bits of its path, once, and 76 of its record and the
// packet's codes. The same flight takes 2345 bits as poses.
func TestShotsAreSentOnce(t *testing.T) {
	p := newProtocolFor(t, netcode.Config{}, runnerGame())
	netcode.PredictShots(p, "bullet", netcode.Shots[runner, input, bullet]{
		Archetype: kindRocket, Path: bulletPath, Fire: func(_, _ runner, _ input, _ netcode.Tick, _ func(bullet)) {},
	})
	total := func(poseless bool) (bits int) {
		w := snapshot.NewWorld(p.SchemaForTest())
		e := snapshot.NewEncoder(w)
		spawn := w.Spawn
		if poseless {
			spawn = w.SpawnPoseless
		}
		id, err := spawn(kindRocket)
		if err != nil {
			t.Fatal(err)
		}
		w.SetOwner(id, 3)
		e.SetRelevance(id, 1)
		for i := range 20 {
			now := netcode.Tick(103 + 3*i)
			if poseless {
				netcode.SetShotForTest(p, w, id, bullet{1, 2, 3, 4, 5, 60}, 100, 100, 0, false, false)
			} else { // a grenade
				s := float32(i) / 20
				w.SetState(id, snapshot.State{
					Position: mgl32.Vec3{20 * s, 5 * s * (1 - s), 3 * s}, Velocity: mgl32.Vec3{20, 5 - 10*s, 3},
					Rotation: mgl32.QuatRotate(s, mgl32.Vec3{0, 1, 0}),
				})
			}
			w.Commit()
			empty := packet.NewWriter(make([]byte, 200))
			snapshot.NewEncoder(w).Encode(&empty, 1, now) // nothing is relevant: a header
			out := packet.NewWriter(make([]byte, 200))
			n := packet.Number(i + 1)
			if e.Encode(&out, n, now); out.Len() > empty.Len() {
				bits += out.Len() - empty.Len()
			}
			if i > 3 { // acknowledged a fifth of a second later
				e.Delivered(n - 4)
			}
		}
		return bits
	}
	once, posed := total(true), total(false)
	t.Logf("%d bits, with poses %d", once, posed)
	if once > 90+76 || posed < 2000 {
		t.Errorf("a second of a shot takes %d bits, with poses %d", once, posed)
	}
}
