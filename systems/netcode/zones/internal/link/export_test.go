package link

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

const (
	MaxPending = maxPending
	MaxWaiting = maxWaiting
	KindPacket = kindPacket
	Silence    = silence
	HelloSize  = helloSize
)

// Pending returns how many connections wait for a hello, and Refused how many were closed.
func (l *Links) Pending() int    { return len(l.pending) }
func (l *Links) Refused() uint64 { return l.refused }

// Hello returns the bytes of a hello.
func Hello(protocol uint64, from, to custody.Process, key [32]byte) []byte {
	return appendHello(nil, hello{protocol, from, to}, &key)
}

// Endpoint returns the endpoint of an open link.
func (l *Links) Endpoint(z custody.Zone) *packet.Endpoint { return l.open(z).endpoint }

// Held returns the bytes that a link holds of messages in both directions.
func (l *Links) Held(z custody.Zone) int {
	k := l.open(z)
	return cap(k.messages.bytes) + cap(k.received.bytes)
}

// ReadHello returns the processes and the protocol of a hello with the key.
func ReadHello(b []byte, key [32]byte) (protocol uint64, from, to custody.Process, ok bool) {
	h, form := readHello(b, &key)
	return h.protocol, h.from, h.to, form == goodHello
}

// Answer returns the bytes of an answer, and IsAnswer checks them.
func Answer(from, to custody.Process) []byte           { return appendAnswer(nil, from, to) }
func IsAnswer(b []byte, from, to custody.Process) bool { return isAnswer(b, from, to) }

// Stream is the receiving end of a stream of messages.
type Stream struct {
	in  inStream
	got [][]byte
}

func (s *Stream) message(data []byte)         { s.got = append(s.got, append([]byte{}, data...)) }
func (s *Stream) Take(piece []byte) (ok bool) { return s.in.take(piece, s) }
func (s *Stream) Messages() [][]byte          { return s.got }
func (s *Stream) Held() int                   { return len(s.in.bytes) }
