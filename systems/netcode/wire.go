package netcode

import (
	"crypto/sha256"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Every datagram begins with a byte that says what it is. Before a client is let in there are only
// hellos and answers, each complete in itself and repeated until the other side has seen it; what
// follows goes through a packet.Endpoint.
const (
	kindHello = 0x48 // client: who I am, and what I was built from
	// client: a hello to resume, unless my other connection still speaks; server: it does
	kindBeside  = 0x42
	kindWelcome = 0x57 // server: come in
	kindSession = 0x53 // either: a packet of the session
)

// MaxToken is the most bytes of a [ClientConfig].Token.
const MaxToken = 256

const (
	secretSize = 16
	maxHello   = 1024 // bytes of a hello that are looked at
	minMTU     = 200  // a connection that carries less is of no use
)

// secret lets a player come back as himself.
type secret [secretSize]byte

func (s *secret) key() ResumeID { return sha256.Sum256(s[:]) }

// hello is the first thing that a client says.
type hello struct {
	resume bool
	player uint16 // with resume
	secret secret // with resume
	token  []byte // what the game's Authenticate gets to see
	rate   uint8  // wanted snapshots per second; 0: as the server likes
}

func (h *hello) write(w *Writer, s *snapshot.Schema) {
	s.WriteHello(w)
	w.Bool(h.resume)
	if h.resume {
		w.Bits(uint64(h.player), 16)
		for _, b := range h.secret {
			w.Bits(uint64(b), 8)
		}
	}
	w.Bits(uint64(h.rate), 8)
	w.Blob(h.token)
}

// read returns the error of a client that cannot be let in.
func (h *hello) read(r *Reader, s *snapshot.Schema) error {
	if err := s.CheckHello(r); err != nil {
		return err
	}
	h.resume = r.Bool()
	if h.resume {
		h.player = uint16(r.Bits(16))
		for i := range h.secret {
			h.secret[i] = byte(r.Bits(8))
		}
	}
	h.rate = uint8(r.Bits(8))
	h.token = r.Blob(MaxToken)
	return r.Close()
}

// welcome is the server's answer.
type welcome struct {
	player  uint16
	secret  secret
	resumed bool // the session goes on where it was; otherwise it begins
	arrival bool // inputs run as they come: states are those after an input, not those of a tick
	rate    uint8
}

func (m *welcome) write(w *Writer) {
	w.Bits(uint64(m.player), 16)
	for _, b := range m.secret {
		w.Bits(uint64(b), 8)
	}
	w.Bool(m.resumed)
	w.Bool(m.arrival)
	w.Bits(uint64(m.rate), 8)
}

func (m *welcome) read(r *Reader) error {
	m.player = uint16(r.Bits(16))
	for i := range m.secret {
		m.secret[i] = byte(r.Bits(8))
	}
	m.resumed = r.Bool()
	m.arrival = r.Bool()
	m.rate = uint8(r.Bits(8))
	return r.Close()
}

// ping travels in front of a client's inputs, pong in front of a server's snapshot: the four stamps
// of one exchange, of which the client's own two stay at home.
type pong struct {
	id      uint8
	receive time.Duration // the server's clock when the ping came
	hold    time.Duration // until the pong left, up to 4 s
}

func (p pong) write(w *Writer) {
	w.Bits(uint64(p.id), 8)
	w.Bits(uint64(p.receive), 64)
	w.Bits(uint64(min(max(p.hold/time.Microsecond, 0), 1<<22-1)), 22)
}

func readPong(r *Reader) (p pong) {
	p.id = uint8(r.Bits(8))
	p.receive = time.Duration(r.Bits(64))
	p.hold = time.Duration(r.Bits(22)) * time.Microsecond
	return p
}

// intervalBits is the number of bits of the ticks between two snapshots of a body, where they are
// more than the rate in the welcome says.
const intervalBits = 6

// viewBits is the number of bits of the fraction of a tick with which a client says what time it
// looks at.
const viewBits = 4

// rateDue reports whether something that happens rate times a second falls on a tick.
func rateDue(tick uint64, rate, tickRate int) bool {
	if rate >= tickRate {
		return true
	}
	t := tick % uint64(tickRate)
	return t*uint64(rate)/uint64(tickRate) != (t+1)*uint64(rate)/uint64(tickRate)
}
