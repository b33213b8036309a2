package netcode

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/tandem-ecs/tandem/internal/column"
)

// keepFinite makes Game.Step keep a state for which it has no finite next one: one whose Pose is
// finite, and that holds no NaN. So both ends keep the same state, without a correction, and the
// player moves on with the next input that leads to a finite one.
func (p *Protocol[S, I]) keepFinite() {
	step, pose, whole := p.game.Step, p.game.Pose, wholeStates(p.game.Distance)
	p.finite = func(s S) bool {
		at := pose(s)
		return at.IsFinite() && whole(s)
	}
	p.step = func(s S, in I, t Tick) (next S, ok bool) {
		if next = step(s, in, t); p.finite(next) {
			return next, true
		}
		return s, false
	}
	p.game.Step = func(s S, in I, t Tick) S {
		next, _ := p.step(s, in, t)
		return next
	}
}

// wholeStates returns a function that reports whether a state holds no NaN. For a state that is no
// plain struct of numbers the game's Distance has to say so: it is NaN then, also from itself.
func wholeStates[S any](distance func(a, b S) float64) func(S) bool {
	l := layoutMaker{most: maxStruct, in: "a packet"}
	if l.add(reflect.TypeFor[S](), 0, "", "") != nil {
		return func(s S) bool { d := distance(s, s); return d == d }
	}
	var floats []number
	for _, n := range l.layout {
		if n.kind == reflect.Float32 || n.kind == reflect.Float64 {
			floats = append(floats, n)
		}
	}
	return func(s S) bool {
		memory := column.Numbers[byte](&s)
		for i := range floats {
			n := &floats[i]
			if n.size == 4 {
				if v := math.Float32frombits(binary.NativeEndian.Uint32(memory[n.offset:])); v != v {
					return false
				}
			} else if v := math.Float64frombits(binary.NativeEndian.Uint64(memory[n.offset:])); v != v {
				return false
			}
		}
		return true
	}
}

// notFiniteRemedy ends the lines of the log about values that are not finite.
const notFiniteRemedy = "look for a division by zero, or an overflow"

// stepOwn is Game.Step of the own player. It logs the first state that is not finite.
func (c *Client[S, I]) stepOwn(state S, in I, t Tick) S {
	next, ok := c.protocol.step(state, in, t)
	if !ok && !c.loggedState {
		c.loggedState = true
		c.config.Log.Error("tandem: Game.Step returned a state that is not finite, and the one before stays: "+notFiniteRemedy+" in it", "tick", t)
	}
	return next
}
