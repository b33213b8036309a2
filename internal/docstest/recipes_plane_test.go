package docstest

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// ship is the state of a player in the plane.
type ship struct{ X, Y, Heading float32 }

type helm struct {
	Turn int8 `range:"-1,1"`
}

func poseShip(s ship) components.Pose3D {
	flat := components.At2D(s.X, s.Y)
	flat.Rotation = s.Heading
	return flat.In3D()
}

// A game in the plane: a client draws the other ship flat, at its heading.
func TestRecipesPlane(t *testing.T) {
	newProtocol := func() *netcode.Protocol[ship, helm] {
		protocol, err := netcode.NewProtocol(netcode.Config{
			Position: netcode.Grid{Min: mgl32.Vec3{-500, -500, 0}, Max: mgl32.Vec3{500, 500, 0}, Resolution: 1.0 / 512},
		}, netcode.Game[ship, helm]{
			Step: func(s ship, h helm, _ netcode.Tick) ship {
				s.Heading += 0.01 * float32(h.Turn)
				sin, cos := math.Sincos(float64(s.Heading))
				return ship{s.X + 0.1*float32(cos), s.Y + 0.1*float32(sin), s.Heading}
			},
			Pose: poseShip,
		})
		if err != nil {
			t.Fatal(err)
		}
		return protocol
	}
	m := netcodetest.New(t, netcodetest.Config[ship, helm]{Protocol: newProtocol, Server: func(e *ecs.Engine) netcode.ServerConfig[ship, helm] {
		ships := generic.NewMap2[components.Transform3D, netcode.Replicated](e.World())
		return netcode.ServerConfig[ship, helm]{Joined: func(*netcode.Player[ship, helm]) (ship, arche.Entity) {
			at := components.NewLogical(poseShip(ship{}))
			return ship{}, ships.NewWith(&at, &netcode.Replicated{Archetype: 1})
		}}
	}})
	line := linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond})
	a := m.Join(line, netcode.ClientConfig[ship, helm]{Input: func(netcode.Tick) helm { return helm{1} }})
	b := m.Join(line, netcode.ClientConfig[ship, helm]{Input: func(netcode.Tick) helm { return helm{} }})
	var trail []ship // of a, on the server
	m.Run(5*time.Second, func() {
		if p := m.Server.Player(a.Number()); p != nil {
			trail = append(trail, p.State)
		}
	})
	seen := 0
	for query := generic.NewFilter2[components.Visual3D, netcode.Replicated]().Query(b.Engine.World()); query.Next(); {
		visual, replicated := query.Get()
		if replicated.Owner != a.Number() {
			continue
		}
		seen++
		flat := visual.Get().Flat()
		nearest := math.Inf(1)
		for _, was := range trail {
			turned := float64(components.AngleBetween(was.Heading, flat.Rotation))
			nearest = min(nearest, math.Hypot(math.Hypot(float64(flat.Position[0]-was.X), float64(flat.Position[1]-was.Y)), turned))
		}
		if nearest > 0.06 || flat.Position.Len() < 5 { // half a tick, and rounding
			t.Errorf("the ship is drawn at %v with the heading %.2f, off its trail by %.3f", flat.Position, flat.Rotation, nearest)
		}
	}
	if seen != 1 {
		t.Errorf("%d ships of the other player are drawn", seen)
	}
}

// A client whose process ends without a word comes back to its place in another one.
func TestRecipesPlace(t *testing.T) {
	m, _, join := newGame(t)
	east := netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return keys{X: 1} }}
	a, _ := join(east)
	m.Run(2*time.Second, nil)
	place := a.Place() // store it under the server's fingerprint, in a file of mode 0600
	number, there := a.Number(), m.Server.Player(a.Number()).State
	m.Clients = nil // the process ends without a word
	m.Run(2*time.Second, nil)
	b, _ := join(netcode.ClientConfig[hero, keys]{
		Place: place,
		Input: func(netcode.Tick) keys { return keys{} },
	})
	m.Run(2*time.Second, nil)
	state, playing := b.State()
	if !playing || b.Number() != number || state.X < there.X || state.X > 9.6 {
		t.Errorf("player %d at %v is player %d at %v after its return", number, there, b.Number(), state)
	}
	if n := m.Server.Stats().Players; n != 1 {
		t.Errorf("the server has %d players", n)
	}
}
