package alive_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/alive"
)

type thing struct{ _ int32 }

// Every entity that there could be is alive exactly if it is in the world, however often its id has
// been given out, and whatever was asked before.
func TestSetAgainstTheWorld(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		w := arche.NewWorld()
		id := arche.ComponentID[thing](&w)
		c := alive.In(&w, id)
		var there []arche.Entity
		for range 200 {
			if len(there) < 6 && random.IntN(2) == 0 {
				e := w.NewEntity()
				if random.IntN(2) == 0 {
					w.Add(e, id)
				}
				there = append(there, e)
			} else if len(there) > 0 {
				k := random.IntN(len(there))
				w.RemoveEntity(there[k])
				there = slices.Delete(there, k, k+1)
			}
			for range 10 {
				var e arche.Entity
				if err := json.Unmarshal(fmt.Appendf(nil, "[%d,%d]", random.IntN(10), random.IntN(40)), &e); err != nil {
					t.Fatal(err)
				}
				if len(there) > 0 && random.IntN(2) == 0 {
					e = there[random.IntN(len(there))]
				}
				if got, want := c.Alive(e), slices.Contains(there, e); got != want {
					t.Fatalf("seed %d: %v is alive: %v, want %v", seed, e, got, want)
				}
			}
		}
	}
}
