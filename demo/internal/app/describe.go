package app

import (
	"fmt"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
)

// describe describes in a few words what a key has changed.
func describe(before, after settings.Settings) string {
	switch {
	case before.Scene != after.Scene:
		return "scene " + after.Scene
	case before.Adaptive != after.Adaptive:
		return "adaptive rate " + onOff(after.Adaptive) + ", restarted"
	case before.GPU != after.GPU:
		return "blending on the GPU " + onOff(after.GPU) + ", restarted"
	case before.Rate != after.Rate && after.Adaptive:
		return fmt.Sprintf("fixed rate at most %d Hz, restarted", after.Rate)
	case before.Rate != after.Rate:
		return fmt.Sprintf("fixed rate %d Hz", after.Rate)
	case before.Paused != after.Paused && after.Paused:
		return "paused"
	case before.Paused != after.Paused:
		return "resumed"
	case before.Speed != after.Speed:
		return fmt.Sprintf("speed %v", after.Speed)
	case before.Interpolate != after.Interpolate:
		return "interpolation " + onOff(after.Interpolate)
	case before.Ghosts != after.Ghosts:
		return "ghosts " + onOff(after.Ghosts)
	case before.Split != after.Split && after.Split:
		return "raw beside interpolated"
	case before.Split != after.Split:
		return "one picture"
	case before.Cap != after.Cap && after.Cap == 0:
		return "no frame-rate cap"
	case before.Cap != after.Cap:
		return fmt.Sprintf("at most %d frames per second", after.Cap)
	case before.FrameJitter != after.FrameJitter:
		return fmt.Sprintf("frame jitter %.0f %%", 100*after.FrameJitter)
	case before.StepCost != after.StepCost:
		return fmt.Sprintf("every step takes %d ms", after.StepCost/time.Millisecond)
	case before.Link != after.Link:
		return describeLink(before.Link, after.Link)
	case before.Overlay != after.Overlay:
		return [...]string{"overlay on", "captions only", "overlay off"}[after.Overlay]
	case before.Graphs != after.Graphs:
		return "graphs " + onOff(after.Graphs)
	case before.Predict != after.Predict:
		return "prediction " + onOff(after.Predict)
	case before.Reconcile != after.Reconcile:
		return "reconciliation " + onOff(after.Reconcile)
	case before.Interpolation != after.Interpolation:
		return "others: " + articles.Display(after.Interpolation)
	case before.Still != after.Still && after.Still:
		return "the camera stands still"
	case before.Still != after.Still:
		return "the camera follows"
	case before.VSync != after.VSync:
		return "vsync " + onOff(after.VSync)
	}
	return ""
}

// unavailable says why a key has no visible effect here. It returns "" for a key that has one.
func unavailable(key keys.Binding, info scene.Info, before, after settings.Settings) string {
	switch {
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

func describeLink(before, after settings.Link) string {
	switch {
	case before.Latency != after.Latency:
		return fmt.Sprintf("network: round trip %v", after.Latency)
	case before.Jitter != after.Jitter:
		return fmt.Sprintf("network: round trip ± %v", after.Jitter)
	case before.Loss != after.Loss:
		return fmt.Sprintf("network: %.0f %% lost", 100*after.Loss)
	case before.Burst != after.Burst:
		return fmt.Sprintf("network: bursts of losses %.0f %%", 100*after.Burst)
	case before.Bursts != after.Bursts:
		return "network: losses in bursts " + onOff(after.Bursts)
	case before.Duplicate != after.Duplicate:
		return fmt.Sprintf("network: %.0f %% twice", 100*after.Duplicate)
	case before.Reorder != after.Reorder:
		return fmt.Sprintf("network: %.0f %% overtaken", 100*after.Reorder)
	}
	return fmt.Sprintf("network: %d snapshots a second", after.SendRate)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
