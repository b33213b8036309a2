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
	last, known := time.Duration(0), map[uint16]bool{}
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
			s.add(f.Data, known)
		}
	}
}

// add adds the players of a frame, pairs of a number and an entity, that are not known.
func (s *Survey) add(b []byte, known map[uint16]bool) {
	for len(b) > 0 {
		number, n := binary.Uvarint(b)
		if n <= 0 {
			return
		}
		_, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return
		}
		if b = b[n+m:]; !known[uint16(number)] {
			known[uint16(number)] = true
			s.Players = append(s.Players, uint16(number))
		}
	}
}
