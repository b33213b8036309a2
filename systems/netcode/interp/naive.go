package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// naive shows the newest sample for every view.
type naive struct {
	newest Sample
	has    bool
	shown  bool
	piece  piece // of the sample shown last
}

func (n *naive) Timing() Timing { return Newest }

func (n *naive) Push(_ time.Duration, s Sample) {
	if !s.Valid() || n.has && s.At() <= n.newest.At() {
		return
	}
	n.newest, n.has = s.WithDefaults(), true
}

func (n *naive) Reset() { *n = naive{} }

func (n *naive) At(_, view time.Duration) (State, Info) {
	if !n.has {
		return State{Rotation: mgl32.QuatIdent()}, Info{Time: view, Empty: true}
	}
	s := &n.newest
	info := Info{Time: s.At(), Frame: s.Frame, Settled: s.AtRest, Discontinuity: !n.shown || n.piece != s.piece()}
	n.shown, n.piece = true, s.piece()
	state := s.still()
	state.Velocity = s.Velocity
	return state, info
}
