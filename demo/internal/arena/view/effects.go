package view

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// effect is something short that is to be seen.
type effect struct {
	kind     effectKind
	at       time.Duration // real time at which it begins
	from, to mgl32.Vec3
	owner    uint16
	find     bool // from is the owner's muzzle when it begins
}

type effectKind uint8

const (
	streak effectKind = iota // of a shot
	pushes                   // the ring of a push
	jumps                    // somebody has vanished or appeared
)

const (
	streakTime = 140 * time.Millisecond
	ringTime   = 450 * time.Millisecond
	jumpTime   = 400 * time.Millisecond
	mostShown  = 256
)

// effects are those that are shown or wait.
type effects struct{ list []effect }

func (f *effects) add(e effect) {
	if len(f.list) < mostShown {
		f.list = append(f.list, e)
	}
}

func (e *effect) length() time.Duration {
	switch e.kind {
	case pushes:
		return ringTime
	case jumps:
		return jumpTime
	}
	return streakTime
}

// age forgets what is over.
func (f *effects) age(now time.Duration) {
	kept := f.list[:0]
	for _, e := range f.list {
		if now-e.at < e.length() {
			kept = append(kept, e)
		}
	}
	f.list = kept
}
