package link

import "encoding/binary"

// maxWaiting is the most bytes of messages that wait for packets: a second at the usual rate.
const maxWaiting = 1 << 20

// frameHead is the most bytes of a message's length before it.
const frameHead = binary.MaxVarintLen16

// outStream holds messages that no packet has carried yet, one behind the other, each with its
// length. The endpoint takes them in pieces, so small ones share a piece.
type outStream struct {
	bytes []byte
	head  int // of bytes that the endpoint has taken
}

func (s *outStream) waiting() int { return len(s.bytes) - s.head }

// push adds a message, and reports whether there was room.
func (s *outStream) push(data []byte) bool {
	if s.waiting()+frameHead+len(data) > maxWaiting {
		return false
	}
	// No more is moved to the front than has been taken since the last time.
	if len(s.bytes)+frameHead+len(data) > cap(s.bytes) && s.head >= s.waiting() {
		s.bytes = s.bytes[:copy(s.bytes, s.bytes[s.head:])]
		s.head = 0
	}
	s.bytes = binary.AppendUvarint(s.bytes, uint64(len(data)))
	s.bytes = append(s.bytes, data...)
	return true
}

// next returns up to n bytes of the stream. take removes them.
func (s *outStream) next(n int) []byte { return s.bytes[s.head:min(s.head+n, len(s.bytes))] }

func (s *outStream) take(n int) {
	if s.head += n; s.head == len(s.bytes) {
		s.bytes, s.head = s.bytes[:0], 0
	}
}

// inStream puts the pieces of the other end's stream together again.
type inStream struct{ bytes []byte }

// receiver takes whole messages.
type receiver interface{ message(data []byte) }

// take passes on the messages that a piece completes. It returns false if the stream is malformed,
// and then the stream has ended.
func (s *inStream) take(piece []byte, to receiver) bool {
	joined := len(s.bytes) > 0 // an incomplete message waits
	if joined {
		s.bytes = append(s.bytes, piece...)
		piece = s.bytes
	}
	for len(piece) > 0 {
		size, n := binary.Uvarint(piece)
		if n < 0 || n == 0 && len(piece) >= frameHead || n > frameHead || size > MaxMessage {
			return false
		}
		if n == 0 || uint64(len(piece)-n) < size {
			break
		}
		to.message(piece[n : n+int(size)])
		piece = piece[n+int(size):]
	}
	if !joined || len(piece) < len(s.bytes) { // else it is where it belongs
		s.bytes = append(s.bytes[:0], piece...)
	}
	return true
}
