package netcode_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// A recording of ten hours is opened with little memory, and a seek to any of its ticks shows where
// the bodies were: on their paths, at rest, or not there at all.
func TestTenHoursOfAMatch(t *testing.T) {
	if testing.Short() {
		t.Skip("one process is enough")
	}
	const rate, ticks = 60, 10 * 3600 * 60
	protocol := func() *protocol {
		p, err := netcode.NewProtocol(netcode.Config{TickRate: rate, MaxEntities: 16}, runnerGame())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	// there and back within a minute; the second one rests most of the time
	place := func(body, k int) mgl32.Vec3 {
		if body == 1 {
			k /= 5000
		}
		way := k % (60 * rate)
		return mgl32.Vec3{float32(min(way, 60*rate-way)) / 8, float32(body), float32(k/(3600*rate)) * 2}
	}
	guest := func(k int) bool { return k/7000%2 == 1 }

	var out tapeFile
	file := replay.NewFile(&out, replay.Info{Game: "test"})
	w, record, err := protocol().RecordWorldForTest(file)
	if err != nil {
		t.Fatal(err)
	}
	spawn := func() netcode.EntityID {
		id, err := w.Spawn(kindCrate)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	bodies := [3]netcode.EntityID{spawn(), spawn()}
	guests := map[int]netcode.EntityID{} // by their stays
	for k := range ticks {
		if stay := k / 7000; guest(k) && guests[stay] == netcode.NoEntity {
			bodies[2] = spawn()
			guests[stay] = bodies[2]
		} else if !guest(k) && bodies[2] != netcode.NoEntity {
			w.Despawn(bodies[2])
			bodies[2] = netcode.NoEntity
		}
		for i, id := range bodies {
			if at := place(i, k); id != netcode.NoEntity && (k%7000 == 0 || at != place(i, k-1)) {
				w.SetState(id, snapshot.State{Position: at, Rotation: mgl32.QuatIdent()})
			}
		}
		w.Commit()
		record(netcode.Tick(k))
		for file.Waiting() > 4<<20 {
			time.Sleep(time.Millisecond)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tape := out.open(t)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("opening takes %.1f MB", float64(n)/1e6)
	}
	e, err := ecs.New(ecs.Config{FixedRate: rate})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	client, err := netcode.NewClient(protocol(), netcode.ClientConfig[runner, input]{
		Replay: tape, Log: quiet(),
		Spawn: func(w *arche.World, _ netcode.Replicated, _ bool) arche.Entity {
			return w.NewEntity(arche.ComponentID[components.Transform3D](w))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Install(interpolation.New3D(), client)
	r := rand.New(rand.NewPCG(10, 10))
	for n := range 200 {
		k := r.IntN(ticks)
		if n == 0 {
			k = ticks - 1
		}
		decoded := client.Stats().Snapshots
		client.Replay().Seek(tape.At(netcode.Tick(k)))
		e.Update(time.Second / rate)
		for range 2 {
			k = int(tape.Tick(client.Replay().At()))
			bodies[2] = netcode.NoEntity
			if guest(k) {
				bodies[2] = guests[k/7000]
			}
			shown := replicated(e.World())
			for i, id := range bodies {
				if id == netcode.NoEntity {
					continue
				}
				entity := client.Replica(id)
				if entity.IsZero() {
					t.Fatalf("tick %d: %v of %v is missing", k, id, shown)
				}
				at := component[components.Transform3D](e.World(), entity).Get().Position
				if want := place(i, k); at.Sub(want).Len() > 0.0018 {
					t.Fatalf("tick %d: body %d is at %v, want %v", k, i, at, want)
				}
			}
			if want := 2 + min(int(bodies[2]), 1); len(shown) != want {
				t.Fatalf("tick %d: there are %v, want %d", k, shown, want)
			}
			e.Update(time.Second / rate)
		}
		if n := client.Stats().Snapshots - decoded; n > 4*rate+20 {
			t.Fatalf("a seek to tick %d decodes %d packets", k, n)
		}
	}
	t.Logf("%.1f MB", float64(out.Len())/1e6)
}
