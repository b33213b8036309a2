package match

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// Survey is what reading a recording through finds.
type Survey struct {
	Gaps    []replay.Gap // an index shows only those that were never written
	Lost    time.Duration
	Players []uint16 // the numbers of all that take part
}

// NewSurvey reads a recording through.
func NewSurvey(tape *replay.Tape) (s Survey) {
	last := time.Duration(0)
	missing := func(to time.Duration) {
		if to > last {
			s.Gaps, s.Lost = append(s.Gaps, replay.Gap{From: last, To: to}), s.Lost+to-last
		}
	}
	for c := tape.Cursor(); ; {
		f, ok := c.Next()
		if !ok {
			missing(tape.Length())
			slices.Sort(s.Players)
			return s
		}
		if f.Gap {
			missing(tape.At(f.Tick))
		}
		last = tape.At(f.Tick)
		if f.Kind == replay.Players {
			s.add(f.Data)
		}
	}
}

// add adds the players of a frame: pairs of a number and an entity.
func (s *Survey) add(b []byte) {
	for len(b) > 0 {
		number, n := binary.Uvarint(b)
		if n <= 0 {
			return
		}
		_, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return
		}
		if b = b[n+m:]; !slices.Contains(s.Players, uint16(number)) {
			s.Players = append(s.Players, uint16(number))
		}
	}
}
