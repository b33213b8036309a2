package systems

import "sync/atomic"

// share is what is left of one member's share of a frame's rows. Everybody may take from it at any time: who has got a piece holds it alone.
//
// What is left is one number, so that taking is one exchange, and it may as well be of a later frame than the one that was looked at: what was taken is of
// the frame that it was taken from.
type share struct {
	left atomic.Uint64 // the first row in the upper half, the end in the lower
	_    [120]byte     // shares lie in cache lines of their own, of which processors fetch two at a time
}

// lineRows is a number of rows to which shares and pieces are rounded, so that members do not write to the same cache lines, and all pieces but the last one fill the
// kernel's vectors.
const lineRows = 64

func roundUp(rows int) int { return (rows + lineRows - 1) &^ (lineRows - 1) }

// give makes the rows from one to before another the share. It must be empty.
func (s *share) give(from, to int) { s.left.Store(uint64(from)<<32 | uint64(to)) }

func (s *share) empty() bool {
	from, to := halves(s.left.Load())
	return from == to
}

func halves(left uint64) (from, to int) { return int(left >> 32), int(uint32(left)) }

// take takes half of what is left, at the front or the back, but all rather than to take or to leave fewer than a number of rows. It returns an empty piece if
// nothing is left.
func (s *share) take(front bool, least int) (from, to int) {
	for {
		left := s.left.Load()
		from, to = halves(left)
		if from == to {
			return from, to
		}
		middle := to
		if half := roundUp((to - from) / 2); half >= least && half < to-from {
			middle = from + half
		}
		switch {
		case middle == to || front:
			if s.left.CompareAndSwap(left, uint64(middle)<<32|uint64(to)) {
				return from, middle
			}
		default:
			if s.left.CompareAndSwap(left, uint64(from)<<32|uint64(middle)) {
				return middle, to
			}
		}
	}
}
