package link

import (
	"crypto/subtle"
	"encoding/binary"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// The first byte of a datagram is its kind.
const (
	kindHello  = 1 // from the end that dialed, until it is answered
	kindAnswer = 2 // the link is open
	kindPacket = 3 // a packet of the endpoint
)

// magic begins hellos and answers, and changes with the form of anything on a link.
const magic = "TZL1"

const (
	headSize   = 1 + len(magic)
	endsSize   = 2 * (2 + 4)
	helloSize  = headSize + 32 + 8 + endsSize
	answerSize = headSize + endsSize
)

// hello asks for a link. The key comes first: nothing else is looked at before it is right.
type hello struct {
	protocol uint64
	from, to custody.Process
}

func appendHello(b []byte, h hello, key *[32]byte) []byte {
	b = append(append(b, kindHello), magic...)
	b = append(b, key[:]...)
	b = binary.LittleEndian.AppendUint64(b, h.protocol)
	return appendEnds(b, h.from, h.to)
}

// helloForm says how much of a datagram is a hello.
type helloForm uint8

const (
	noHello  helloForm = iota // not of this program
	wrongKey                  // of this program, or one that knows its form
	goodHello
)

// readHello reads a hello that shows the key. It takes the same time for any wrong key.
func readHello(b []byte, key *[32]byte) (h hello, form helloForm) {
	if len(b) != helloSize || b[0] != kindHello || string(b[1:headSize]) != magic {
		return hello{}, noHello
	}
	b = b[headSize:]
	if subtle.ConstantTimeCompare(b[:32], key[:]) != 1 {
		return hello{}, wrongKey
	}
	h.protocol = binary.LittleEndian.Uint64(b[32:])
	h.from, h.to = readEnds(b[40:])
	return h, goodHello
}

func appendAnswer(b []byte, from, to custody.Process) []byte {
	return appendEnds(append(append(b, kindAnswer), magic...), from, to)
}

// isAnswer reports whether a datagram is the answer of one process to the hello of another.
func isAnswer(b []byte, from, to custody.Process) bool {
	if len(b) != answerSize || b[0] != kindAnswer || string(b[1:headSize]) != magic {
		return false
	}
	f, t := readEnds(b[headSize:])
	return f == from && t == to
}

func appendEnds(b []byte, from, to custody.Process) []byte {
	for _, p := range [2]custody.Process{from, to} {
		b = binary.LittleEndian.AppendUint16(b, uint16(p.Zone))
		b = binary.LittleEndian.AppendUint32(b, uint32(p.Epoch))
	}
	return b
}

func readEnds(b []byte) (from, to custody.Process) {
	read := func(b []byte) custody.Process {
		return custody.Process{Zone: custody.Zone(binary.LittleEndian.Uint16(b)), Epoch: custody.Epoch(binary.LittleEndian.Uint32(b[2:]))}
	}
	return read(b), read(b[6:])
}
