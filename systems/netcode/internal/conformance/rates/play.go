package rates

import (
	"math"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
)

// play returns the inputs of a player at a tick rate. The player runs to and fro, each way for
// about half a second, and turns its head. The turn changes the input in every tick, as a mouse
// does, so no input equals the one before.
func play(rate int) func(t netcode.Tick) testgame.Input {
	return func(t netcode.Tick) testgame.Input {
		now := float64(t) / float64(rate)
		in := testgame.Input{X: 1, Yaw: uint16(2048 + 600*math.Sin(1.7*now) + 150*math.Sin(7.1*now)), Fire: math.Mod(now, 1.3) < 0.1}
		if math.Mod(now, 1.014) > 0.507 {
			in.X = -1
		}
		return in
	}
}
