package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
)

// TestMain lets the test's binary be the processes of the world, too.
func TestMain(m *testing.M) {
	if os.Getenv(childMark) != "" {
		if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// The world of four processes plays. Bots cross its borders, and when a zone is killed, it begins
// again with a higher epoch, and all bots play on.
func TestWorld(t *testing.T) {
	if testing.Short() {
		t.Skip("it begins six processes")
	}
	const bots, crates = 6, 6 // the crates are those of each zone, beside 3 platforms and a door
	w, err := openWorld(t.Context(), worldOptions{bots: bots, rate: 20, crates: crates}, t.Output(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	last := time.Now()
	until := func(what string, within time.Duration, ok func() bool) time.Duration {
		t.Helper()
		start := time.Now()
		for ; !ok(); time.Sleep(20 * time.Millisecond) {
			now := time.Now()
			w.advance(now.Sub(last))
			last = now
			if now.Sub(start) > within {
				t.Fatalf("not within %v: %s\n%s", within, what, w.summary())
			}
		}
		return time.Since(start)
	}
	all := func() bool { return w.allRun() && w.botFigures().Playing == bots }
	until("all bots play in four zones", 30*time.Second, all)
	until("the picture shows all entities", 10*time.Second, func() bool { return len(w.scene.known) >= bots+4*(crates+3+1) })
	until("an entity crosses a border", 20*time.Second, func() bool {
		handed := uint64(0)
		for _, p := range w.places {
			handed += p.status().Figures.Arrivals
		}
		return handed > 0 && len(w.scene.flashes) > 0
	})

	// The zone with the most players is killed.
	var killed *place
	var lost []uint64
	for i, p := range w.places {
		var names []uint64
		for name, k := range w.scene.known {
			if k.zone == i && k.shown.IsPlayer() {
				names = append(names, name)
			}
		}
		if len(names) > len(lost) {
			killed, lost = p, names
		}
	}
	if killed == nil {
		t.Fatalf("no zone has a player\n%s", w.summary())
	}
	epoch := killed.status().Figures.Epoch
	killed.kill()
	until("the zone is back", 10*time.Second, func() bool {
		s := killed.status()
		return s.running && s.Figures.Epoch == epoch+1
	})
	back := until("all bots play again, with the bodies that they had", 10*time.Second, func() bool {
		if eye := w.scene.eyes[killed.number-1]; eye.Net().Stats().Silence > 500*time.Millisecond {
			return false // it still shows the process before
		}
		had := 0
		for _, name := range lost {
			if w.scene.known[name] != nil {
				had++
			}
		}
		return all() && had == len(lost)
	})
	t.Logf("%s; its %d players %.1f s later\n%s", killed.status().event, len(lost), back.Seconds(), w.summary())
}

// Each place of the floor is in one zone, and each thing of the level stays in its own.
func TestLandOfZones(t *testing.T) {
	level := arena.NewWorld()
	zonesOf := func(at mgl32.Vec3) (n int) {
		for i := range allZones {
			if allZones[i].inside(at) {
				n++
			}
		}
		return n
	}
	for x := float32(-level.Half); x < level.Half; x += 0.5 {
		for z := float32(-level.Half); z < level.Half; z += 0.5 {
			if n := zonesOf(mgl32.Vec3{x, 0, z}); n != 1 {
				t.Fatalf("(%v, %v) is in %d zones", x, z, n)
			}
		}
	}
	for i := range level.Platforms {
		home := level.Platform(i, 0).Position
		for s := 0.0; s < 60; s += 0.1 {
			at := level.Platform(i, s).Position
			if math.Signbit(float64(at[0])) != math.Signbit(float64(home[0])) || math.Signbit(float64(at[2])) != math.Signbit(float64(home[2])) {
				t.Fatalf("platform %d is at %v after %.1f s, and began at %v", i, at, s, home)
			}
		}
	}
	for i, p := range level.Portals {
		if to := level.Portals[p.To]; level.Portals[to.To].Place != p.Place || to.Place.Sub(p.Place).Len() > 2*arena.Half {
			t.Errorf("portal %d leads to %v, from %v", i, to.Place, p.Place)
		}
	}
	var m struct{ Zones []struct{ Name string } }
	if err := json.Unmarshal(worldMap(), &m); err != nil || len(m.Zones) != len(allZones) {
		t.Errorf("the map is %s: %v", worldMap(), err)
	}
}

func TestOptions(t *testing.T) {
	o, err := readOptions([]string{"-headless", "-keys", "8s=1,9.5s=q", "-size", "640x400"}, t.Output())
	if err != nil || o.length != 20*time.Second || o.width != 640 || o.height != 400 {
		t.Errorf("%+v, %v", o, err)
	}
	if len(o.script) != 2 || o.script[0] != (press{8 * time.Second, '1'}) || o.script[1] != (press{9500 * time.Millisecond, 'Q'}) {
		t.Errorf("the script is %+v", o.script)
	}
	for _, bad := range [][]string{{"-bots", "-1"}, {"-hz", "5"}, {"-crates", "101"}, {"-size", "big"}, {"-keys", "8s"}, {"-keys", "x=1"}, {"-fps", "0"}, {"-seconds", "-1"}, {"more"}} {
		if _, err := readOptions(bad, t.Output()); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
