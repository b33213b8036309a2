package app

import (
	"fmt"
	"slices"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
)

// unavailable says why a binding has no visible effect here. It returns "" for one that has an
// effect.
func unavailable(b keys.Binding, info scene.Info) string {
	switch {
	case b.In == keys.Program && keys.InPage:
		return "a page waits for the display and saves no files: run the demo itself for that"
	case b.In.Works(info):
		return ""
	case b.In == keys.Match:
		return "this key is for the arena: go run ./demo duel"
	case b.In == keys.Leavable:
		return "other players are here: Esc leaves the match"
	case b.In == keys.Lab && info.Match:
		return "the server sets the snapshot rate"
	case info.Match:
		return "this key is for scenes: the server sets the time of a match"
	case b.In == keys.Splitting:
		return "this scene compares by itself; T is for orbits and stress"
	case b.In == keys.Blending:
		return "the GPU blends only in scene stress: " + keyOf("stress")
	}
	return "the network link belongs to scene lab: " + keyOf("lab")
}

// keyOf returns the key that shows a scene.
func keyOf(scene string) string {
	return fmt.Sprintf("key %d", 1+slices.Index(scenes.Names(), scene))
}
