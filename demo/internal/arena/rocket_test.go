package arena

import (
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// A player fires its three rockets 0.7 s apart, and then one each time that one is back, in 2.5 s.
func TestRocketsReload(t *testing.T) {
	r := rules()
	s, at := State{Pos: mgl32.Vec3{-15, 0, 13}, Grounded: true}, []int{}
	for k := range 600 {
		before := s
		s = r.Step(s, Input{Rocket: true}, netcode.Tick(k))
		r.fireRocket(before, s, Input{}, netcode.Tick(k), func(p Rocket) {
			at = append(at, k)
			if p.N != s.Rockets || p.From[2] >= s.Pos[2] || abs(r.RocketEnd(p)[2]-11) > 1e-3 {
				t.Errorf("rocket %d of %d flies from %v to %v", p.N, s.Rockets, p.From, r.RocketEnd(p))
			}
		})
	}
	if want := []int{0, 42, 84, 150, 300, 450}; !slices.Equal(at, want) {
		t.Errorf("rockets in the ticks %v, want %v", at, want)
	}
	for range 600 {
		s = r.Step(s, Input{}, 600)
	}
	if s.Spent != 0 {
		t.Errorf("ten seconds later %d rockets are missing", s.Spent)
	}
}
