package snapshot_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// TestHello is conformance case 50: builds that do not match refuse each other, and report the
// reason.
func TestHello(t *testing.T) {
	build := func(c snapshot.Config, names ...string) *snapshot.Schema {
		s, err := snapshot.NewSchema(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			snapshot.Register(s, name, healthCodec{})
		}
		return s
	}
	ours := build(snapshot.Config{Version: 3}, "health", "ammo")
	for _, test := range []struct {
		name   string
		theirs *snapshot.Schema
		want   string
	}{
		{"the same", build(snapshot.Config{Version: 3, TickRate: 60, Revisions: 10}, "health", "ammo"), ""},
		{"game version", build(snapshot.Config{Version: 4}, "health", "ammo"), "builds do not match: game version 4 there, 3 here: update the older one"},
		{"tick rate", build(snapshot.Config{Version: 3, TickRate: 30}, "health", "ammo"), "builds do not match: tick rate, ranges, resolutions or match states differ: run the same build on both ends"},
		{"velocity", build(snapshot.Config{Version: 3, Velocity: snapshot.Range{Max: 1, Resolution: 0.5}}, "health", "ammo"), "builds do not match: tick rate, ranges, resolutions or match states differ: run the same build on both ends"},
		{"order", build(snapshot.Config{Version: 3}, "ammo", "health"), `builds do not match: component 0 is "health" here, "ammo" there: register the same components in the same order`},
		{"other", build(snapshot.Config{Version: 3}, "health", "armour"), `builds do not match: component 1 is "ammo" here, an unknown one there: register the same components in the same order`},
		{"fewer", build(snapshot.Config{Version: 3}, "health"), `builds do not match: component 1, "ammo", is not known there: register the same components in the same order`},
		{"more", build(snapshot.Config{Version: 3}, "health", "ammo", "armour"), "builds do not match: 3 components and messages there, 2 here: register the same ones in the same order"},
	} {
		w := packet.NewWriter(make([]byte, 300))
		test.theirs.WriteHello(&w)
		r := packet.NewReader(w.Bytes())
		err := ours.CheckHello(&r)
		if got := fmt.Sprint(err); test.want != "" && (got != test.want || !errors.Is(err, snapshot.ErrMismatch)) || test.want == "" && err != nil {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		for n := range len(w.Bytes()) {
			r := packet.NewReader(w.Bytes()[:n])
			if err := ours.CheckHello(&r); !errors.Is(err, packet.ErrShort) {
				t.Errorf("%s, cut to %d bytes: %v", test.name, n, err)
			}
		}
	}
	other := packet.NewWriter(make([]byte, 20))
	other.Bits(99, 32)
	other.Bits(0, 64)
	other.Bits(0, 8)
	r := packet.NewReader(other.Bytes())
	if err := ours.CheckHello(&r); err == nil || err.Error() != "builds do not match: network protocol 99 there, 4 here: update the older one" {
		t.Errorf("another protocol: %v", err)
	}
	other = packet.NewWriter(make([]byte, 20))
	other.Append(make([]byte, 12), 96)
	other.Bits(255, 8)
	r = packet.NewReader(other.Bytes())
	if err := ours.CheckHello(&r); !errors.Is(err, packet.ErrMalformed) {
		t.Errorf("255 components: %v", err)
	}
}
