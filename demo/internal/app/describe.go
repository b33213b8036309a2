package app

import (
	"fmt"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// describe says in a few words what a key has changed.
func describe(before, after settings.Settings) string {
	switch {
	case before.Scene != after.Scene:
		return "scene " + after.Scene
	case before.Adaptive != after.Adaptive:
		return "adaptive rate " + onOff(after.Adaptive) + ", from the beginning"
	case before.GPU != after.GPU:
		return "blending on the GPU " + onOff(after.GPU) + ", from the beginning"
	case before.Rate != after.Rate && after.Adaptive:
		return fmt.Sprintf("fixed rate at most %d Hz, from the beginning", after.Rate)
	case before.Rate != after.Rate:
		return fmt.Sprintf("fixed rate %d Hz", after.Rate)
	case before.Paused != after.Paused && after.Paused:
		return "paused"
	case before.Paused != after.Paused:
		return "time goes on"
	case before.Speed != after.Speed:
		return fmt.Sprintf("speed %v", after.Speed)
	case before.Interpolate != after.Interpolate:
		return "interpolation " + onOff(after.Interpolate)
	case before.Ghosts != after.Ghosts:
		return "logical ghosts " + onOff(after.Ghosts)
	case before.Split != after.Split && after.Split:
		return "raw beside interpolated"
	case before.Split != after.Split:
		return "one picture"
	case before.Cap != after.Cap && after.Cap == 0:
		return "no frame-rate cap"
	case before.Cap != after.Cap:
		return fmt.Sprintf("at most %d frames per second", after.Cap)
	case before.Jitter != after.Jitter:
		return fmt.Sprintf("frame jitter %.0f %%", 100*after.Jitter)
	case before.StepCost != after.StepCost:
		return fmt.Sprintf("every step takes %d ms", after.StepCost/time.Millisecond)
	case before.Link != after.Link:
		return describeLink(before.Link, after.Link)
	case before.VSync != after.VSync:
		return "waiting for the display: " + onOff(after.VSync)
	}
	return ""
}

// idle says why a change that a key asks for would change nothing that can be seen; it is empty where something does.
func idle(before, after settings.Settings) string {
	entry, _ := scenes.Find(before.Scene)
	switch {
	case before.Link != after.Link && !entry.Linked:
		return "the network link belongs to scene lab: " + keyOf("lab")
	case before.Split != after.Split && !entry.Splits:
		return "this scene makes its own comparison; T is for orbits and stress"
	case before.GPU != after.GPU && !entry.Blends:
		return "the GPU blends in scene stress: " + keyOf("stress")
	}
	return ""
}

// keyOf names the key that shows a scene.
func keyOf(scene string) string {
	return fmt.Sprintf("key %d", 1+slices.Index(scenes.Names(), scene))
}

func describeLink(before, after settings.Link) string {
	switch {
	case before.Latency != after.Latency:
		return fmt.Sprintf("network: round trip %d ms", after.Latency/time.Millisecond)
	case before.Jitter != after.Jitter:
		return fmt.Sprintf("network: jitter %.0f %%", 100*after.Jitter)
	case before.Loss != after.Loss:
		return fmt.Sprintf("network: %.0f %% lost", 100*after.Loss)
	case before.Burst != after.Burst:
		return fmt.Sprintf("network: bursts of losses %.0f %%", 100*after.Burst)
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
