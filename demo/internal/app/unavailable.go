package app

import (
	"fmt"
	"slices"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// unavailable says why a key has no visible effect here. It returns "" for a key that has one.
func unavailable(key keys.Binding, info scene.Info, before, after settings.Settings) string {
	switch {
	case key.In == keys.Program && keys.InPage:
		return "a page waits for the display and saves no files: run the demo itself for that"
	case key.In == keys.Scenes && info.Match:
		return "this key is for scenes: the server sets the time of a match"
	case key.In == keys.Match && !info.Match:
		return "this key is for the arena: go run ./demo duel"
	case key.In == keys.Leavable && info.Match && !info.Alone:
		return "other players are here: Esc leaves the match"
	case (key.In == keys.Linked || key.In == keys.Lab) && !info.Linked:
		return "the network link belongs to scene lab: " + keyOf("lab")
	case key.In == keys.Lab && info.Match:
		return "the server sets the snapshot rate"
	case before.Split != after.Split && !info.Splits:
		return "this scene compares by itself; T is for orbits and stress"
	case before.GPU != after.GPU && !info.Blends:
		return "the GPU blends only in scene stress: " + keyOf("stress")
	}
	return ""
}

// keyOf returns the key that shows a scene.
func keyOf(scene string) string {
	return fmt.Sprintf("key %d", 1+slices.Index(scenes.Names(), scene))
}
