package seat

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// effect is something short that is to be seen: a shot's streak or a push's ring.
type effect struct {
	at       time.Duration // real time at which it begins
	from, to mgl32.Vec3
	owner    uint16
	push     bool
	find     bool // from is the owner's muzzle when it begins
}

const (
	streakTime = 140 * time.Millisecond
	ringTime   = 450 * time.Millisecond
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
	if e.push {
		return ringTime
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
