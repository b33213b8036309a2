package docstest

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The code of the recipe for names over heads.

type hello struct{ Name netcode.Text } // a message of the client

type name struct{ Text netcode.Text } // a component of the player's entity

// named is what one end of this game needs.
type named struct {
	*netcode.Protocol[hero, keys]
	hello *netcode.Message[hello]
}

func newNamed() *named {
	p, err := netcode.NewProtocol(netcode.Config{}, netcode.Game[hero, keys]{
		Step: func(h hero, in keys, _ netcode.Tick) hero { return hero{h.X + 0.1*float32(in.X), h.Z} },
		Pose: func(h hero) components.Pose3D { return components.At3D(h.X, 0, h.Z) },
	})
	if err != nil {
		panic(err)
	}
	netcode.ReplicateComponent(p, "name", netcode.StructComponent[name](), netcode.Immediate())
	return &named{p, netcode.NewMessage[hello](p, "hello")}
}

func serveNamed(e *ecs.Engine, r *named) netcode.ServerConfig[hero, keys] {
	heroes := generic.NewMap3[components.Transform3D, netcode.Replicated, name](e.World())
	return netcode.ServerConfig[hero, keys]{
		Joined: func(p *netcode.Player[hero, keys]) (hero, arche.Entity) {
			if string(p.Token()) == "watch" {
				return hero{}, arche.Entity{} // a spectator
			}
			return hero{}, heroes.NewWith(&components.Transform3D{}, &netcode.Replicated{Archetype: kindHero}, &name{})
		},
		Message: func(p *netcode.Player[hero, keys], data []byte, _ bool) {
			if h, ok := r.hello.Read(data); ok && !p.Entity.IsZero() { // not of a spectator
				_, _, over := heroes.Get(p.Entity)
				over.Text = h.Name
			}
		},
	}
}

// Each player sees the names of all, also a player that joins later. A spectator has none.
func TestRecipesNames(t *testing.T) {
	var ends []*named
	m := netcodetest.New(t, netcodetest.Config[hero, keys]{
		Protocol: func() *netcode.Protocol[hero, keys] {
			ends = append(ends, newNamed())
			return ends[len(ends)-1].Protocol
		},
		Server: func(e *ecs.Engine) netcode.ServerConfig[hero, keys] { return serveNamed(e, ends[0]) },
	})
	line := linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond, Loss: 0.15})
	join := func(as, token string) (client *netcodetest.Client[hero, keys]) {
		var r *named
		client = m.Join(line, netcode.ClientConfig[hero, keys]{
			Token: []byte(token),
			Input: func(netcode.Tick) keys { return keys{} },
			Changed: func(status netcode.Status, _ netcode.Reason) {
				if status != netcode.Playing {
					return
				}
				if err := client.Send(r.hello.Pack(hello{Name: netcode.MakeText(as)})); err != nil {
					t.Error(err)
				}
			},
		})
		r = ends[len(ends)-1]
		return client
	}
	join("Ann", "")
	m.Run(time.Second, nil)
	join("Cy", "watch")
	ben := join("Ben", "")
	m.Run(2*time.Second, nil)
	seen := map[string]int{}
	label := func(_ components.Pose3D, text string) { seen[text]++ }
	for query := generic.NewFilter2[components.Visual3D, name]().Query(ben.Engine.World()); query.Next(); {
		visual, over := query.Get()
		label(visual.Get(), over.Text.String())
	}
	if len(seen) != 2 || seen["Ann"] != 1 || seen["Ben"] != 1 {
		t.Errorf("Ben sees the names %v", seen)
	}
}
