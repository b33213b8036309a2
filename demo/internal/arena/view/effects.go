package view

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// effect is a short visual effect.
type effect struct {
	kind       effectKind
	at         time.Duration // real time at which it begins
	from, to   mgl32.Vec3
	owner      uint16
	fromMuzzle bool // from becomes the owner's muzzle when the effect begins
}

type effectKind uint8

const (
	streak    effectKind = iota // of a shot
	pushes                      // the ring of a push
	teleports                   // a player has vanished or appeared
)

const (
	streakTime   = 140 * time.Millisecond
	ringTime     = 450 * time.Millisecond
	teleportTime = 400 * time.Millisecond
	maxEffects   = 256
)

// effects are the effects that are shown or wait for their time.
type effects struct{ list []effect }

func (f *effects) add(e effect) {
	if len(f.list) < maxEffects {
		f.list = append(f.list, e)
	}
}

func (e *effect) length() time.Duration {
	switch e.kind {
	case pushes:
		return ringTime
	case teleports:
		return teleportTime
	}
	return streakTime
}

// expire removes the effects that are over.
func (f *effects) expire(now time.Duration) {
	live := f.list[:0]
	for _, e := range f.list {
		if now-e.at < e.length() {
			live = append(live, e)
		}
	}
	f.list = live
}
