package netcode

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// framedSamples are the samples of a replica whose frame has got another number while it was drawn:
// the same parent has another ID on another server.
type framedSamples struct {
	interp.Interpolator
	pairs [4]framePair // the newest first
	fresh uint32
}

// framePair is a frame by the number that its samples have, and by the one that it has now.
type framePair struct{ kept, now uint32 }

// reframe makes a frame's number another one in the samples that there are, and in those to come. A
// frame that had the other number before has none any more.
func reframe(s interp.Interpolator, from, to uint32) interp.Interpolator {
	if from == to {
		return s
	}
	f, ok := s.(*framedSamples)
	if !ok {
		f = &framedSamples{Interpolator: s}
	}
	known := false
	for i := range f.pairs {
		switch p := &f.pairs[i]; {
		case p.kept == 0:
		case p.now == to:
			p.now = f.unused()
		case p.now == from:
			p.now, known = to, true
		}
	}
	if !known {
		f.add(framePair{from, to})
	}
	return f
}

func (f *framedSamples) add(p framePair) {
	copy(f.pairs[1:], f.pairs[:])
	f.pairs[0] = p
}

// unused returns a number that no frame has.
func (f *framedSamples) unused() uint32 {
	f.fresh++
	return f.fresh<<16 | unusedSlot
}

// Push implements interp.Interpolator.
func (f *framedSamples) Push(now time.Duration, s interp.Sample) {
	s.Frame = f.kept(s.Frame)
	f.Interpolator.Push(now, s)
}

// At implements interp.Interpolator.
func (f *framedSamples) At(now, view time.Duration) (interp.State, interp.Info) {
	state, info := f.Interpolator.At(now, view)
	for _, p := range f.pairs {
		if p.kept == info.Frame && p.kept != 0 {
			info.Frame = p.now
			break
		}
	}
	return state, info
}

// kept returns the number that samples have for a frame.
func (f *framedSamples) kept(now uint32) uint32 {
	for _, p := range f.pairs {
		if p.now == now && p.kept != 0 {
			return p.kept
		}
	}
	for _, p := range f.pairs {
		if p.kept == now && now != 0 { // the old number of another frame
			fresh := f.unused()
			f.add(framePair{fresh, now})
			return fresh
		}
	}
	return now
}
