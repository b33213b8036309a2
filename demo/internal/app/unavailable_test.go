package app

import (
	"testing"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// Keys without an effect here say so.
func TestIdleKeys(t *testing.T) {
	groups := keys.Groups(scenes.WithArena())
	for _, test := range []struct {
		scene string
		key   render.Key
		want  string
	}{
		{"lanes", 'M', "the network link belongs to scene lab: key 6"},
		{"lab", 'M', ""},
		{"lab", render.KeySlash, ""},
		{"lab", 'U', "the GPU blends only in scene stress: key 5"},
		{"stress", 'U', ""},
		{"orbits", 'G', ""},
		{"orbits", 'T', ""},
		{"physics", 'T', "this scene compares by itself; T is for orbits and stress"},
		{"lanes", render.KeyF2, "this key is for the arena: go run ./demo duel"},
		{"lanes", 'E', "this key is for the arena: go run ./demo duel"},
		{settings.Arena, render.KeyF2, ""},
		{settings.Arena, 'M', ""},
		{settings.Arena, 'O', ""},
		{settings.Arena, 'P', "this key is for scenes: the server sets the time of a match"},
		{settings.Arena, '1', "other players are here: Esc leaves the match"},
		{"alone", '1', ""},
		{"lanes", '7', ""},
		{settings.Arena, render.KeySlash, "the server sets the snapshot rate"},
	} {
		info := scene.Info{Match: true, Linked: true, Alone: test.scene == "alone"}
		if entry, ok := scenes.Find(test.scene); ok {
			info = entry.Info
		}
		after := settings.Default()
		key, known := keys.Apply(groups, &after, test.key, 0)
		if got := unavailable(key, info); !known || got != test.want {
			t.Errorf("%s, key %q: %q, want %q", test.scene, test.key, got, test.want)
		}
	}
}
