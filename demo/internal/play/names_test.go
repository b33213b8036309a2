package play

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// All clients get the name that a player gives first. Later ones do not count.
func TestNames(t *testing.T) {
	v := newVirtual(t, nil)
	named, err := view.New(view.Config{Dial: func() (transport.Conn, error) { return v.dial(), nil }, Link: seed(1), Name: "Ada\nLovelace"})
	if err != nil {
		t.Fatal(err)
	}
	v.clients = append(v.clients, named)
	v.join(seed(2), nil)
	v.run(4*time.Second, nil)
	if err := named.Net().Send(arena.NameMessage("Grace")); err != nil {
		t.Fatal(err)
	}
	v.run(time.Second, nil)
	for i, s := range v.clients {
		names := map[uint16]netcode.Text{}
		filter := generic.NewFilter2[netcode.Replicated, arena.Name]()
		for query := filter.Query(s.Engine().World()); query.Next(); {
			rep, name := query.Get()
			names[rep.Owner] = name.Text
		}
		if len(names) != 1 || names[named.Net().Number()] != netcode.MakeText("AdaLovelace") {
			t.Errorf("client %d has the names %v, want one", i, names)
		}
	}
}
