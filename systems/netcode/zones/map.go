package zones

import (
	"context"
	"errors"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

// WriteMap writes the map of a world in the place of the one that it has, as `zones map FILE` does:
// for programs that bring a world of their own, and for tests. nats and creds are those of Config,
// and text is the map as JSON:
//
//	{"zones": [
//		{"name": "west", "number": 1, "land": [{"min": [-1000, -1000], "max": [0, 1000]}]},
//		{"name": "east", "number": 2, "land": [{"min": [0, -1000], "max": [1000, 1000]}]}
//	]}
//
// The two numbers of a point are X and Z, in metres. Zones that run follow the new map at once. It
// waits for NATS as long as the context lasts. An error states what is wrong with the map, and
// nothing is written.
func WriteMap(ctx context.Context, nats, creds, world string, text []byte) error {
	m, err := land.Parse(text)
	if err != nil {
		return err
	}
	conn, err := store.Connect(nats, creds)
	if err != nil {
		return err
	}
	defer conn.Close()
	st, err := store.Open(ctx, conn, world)
	if err != nil {
		return err
	}
	for {
		_, revision, err := st.Map(ctx)
		if err != nil && !errors.Is(err, store.ErrNoMap) {
			return err
		}
		if err = st.PutMap(ctx, m, revision); !errors.Is(err, store.ErrMapChanged) {
			return err
		}
	}
}
