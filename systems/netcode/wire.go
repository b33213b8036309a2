package netcode

import (
	"crypto/sha256"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// The first byte of a datagram is its kind. Before a client is accepted there are only hellos and
// answers. Each is complete in itself, and is repeated until the other side has received it.
// Packets of the session go through a packet.Endpoint.
const (
	kindHello = 0x48 // from a client: its build, its token, and the session that it resumes
	// From a client: a hello that resumes, unless the client's other connection still receives.
	// From the server: the other connection still receives.
	kindBeside  = 0x42
	kindWelcome = 0x57 // from the server: the client is accepted
	kindSession = 0x53 // from either: a packet of the session
	// From a server: the ticket for a visit of another server, and its address; see Player.Move.
	kindMove = 0x4d
	// From a client: a ticket and a hello that resumes. It visits, and the welcome answers.
	kindVisit = 0x56
)

// MaxToken is the most bytes of a [ClientConfig].Token.
const MaxToken = 256

const (
	secretSize = 16
	ticketSize = 16
	maxHello   = 1024 // bytes of a hello; a longer one is not read
	minMTU     = 200  // a connection that carries less is of no use
)

// longPatience is the longest silence of a connection in use: a full queue on a slow line is 20 s
// long.
const longPatience = 22 * time.Second

// secret proves that a client resumes its own session.
type secret [secretSize]byte

func (s *secret) key() ResumeID { return sha256.Sum256(s[:]) }

func (s *secret) write(w *Writer) { w.Append(s[:], 8*secretSize) }

func (s *secret) read(r *Reader) {
	for i := range s {
		s[i] = byte(r.Bits(8))
	}
}

// sessionBits is the number of bits of the number of a session. An old process of a player would
// have to return after exactly 64 claims of its place to be mistaken for the present one.
const sessionBits = 6

// hello is the first message of a client.
type hello struct {
	resume bool
	player uint16 // with resume
	secret secret // with resume
	token  []byte // for the game's Authenticate
	rate   uint8  // wanted snapshots per second; 0: the server chooses
	// with resume: this process has nothing of the session, so a new one begins for the player
	anew    bool
	session uint8 // with resume, and without anew: the number of the session
}

func (h *hello) write(w *Writer, s *snapshot.Schema) {
	s.WriteHello(w)
	w.Bool(h.resume)
	if h.resume {
		w.Bits(uint64(h.player), 16)
		h.secret.write(w)
	}
	w.Bits(uint64(h.rate), 8)
	// The token follows as a Blob, whose padding up to the whole byte is 1 + sessionBits bits. They
	// are zero for all but those that come with a ClientConfig.Place.
	w.Uvarint(uint64(len(h.token)))
	w.Bool(h.anew)
	w.Bits(uint64(h.session), sessionBits)
	w.Append(h.token, 8*len(h.token))
}

// read reads a hello. Its error is the reason why the client cannot be accepted.
func (h *hello) read(r *Reader, s *snapshot.Schema) error {
	if err := s.CheckHello(r); err != nil {
		return err
	}
	h.resume = r.Bool()
	if h.resume {
		h.player = uint16(r.Bits(16))
		h.secret.read(r)
	}
	h.rate = uint8(r.Bits(8))
	size := r.Uvarint()
	h.anew = r.Bool()
	h.session = uint8(r.Bits(sessionBits))
	if (h.anew || h.session != 0) && !h.resume || h.anew && h.session != 0 || size > min(MaxToken, uint64(r.Remaining())/8) {
		r.Fail(packet.ErrMalformed)
		return r.Err()
	}
	h.token = make([]byte, size)
	for i := range h.token {
		h.token[i] = uint8(r.Bits(8))
	}
	return r.Close()
}

// welcome is the server's answer to a hello.
type welcome struct {
	player  uint16
	secret  secret
	resumed bool // the session continues; otherwise a new one begins
	arrival bool // inputs run on arrival: a state is the one after an input, not that of a tick
	rate    uint8
	session uint8 // the number of the session, in what would be padding
	// the server's tick in units of 2^31, which are the bits that later ticks lack. It is not
	// written where it is 0: for more than a year at 60 Hz.
	half uint64
}

func (m *welcome) write(w *Writer) {
	w.Bits(uint64(m.player), 16)
	m.secret.write(w)
	w.Bool(m.resumed)
	w.Bool(m.arrival)
	w.Bits(uint64(m.rate), 8)
	w.Bits(uint64(m.session), sessionBits)
	if m.half != 0 {
		w.Uvarint(m.half)
	}
}

// read reads a welcome. The half of a server at a tick rate is at most that of 136 years.
func (m *welcome) read(r *Reader, rate int) error {
	m.player = uint16(r.Bits(16))
	m.secret.read(r)
	m.resumed = r.Bool()
	m.arrival = r.Bool()
	m.rate = uint8(r.Bits(8))
	m.session = uint8(r.Bits(sessionBits))
	if m.half = 0; r.Remaining() > 0 {
		if m.half = r.Uvarint(); m.half == 0 || m.half > 2*uint64(rate) {
			r.Fail(packet.ErrMalformed)
		}
	}
	return r.Close()
}

// pong answers a client's ping. A ping stands before a client's inputs, a pong before a server's
// snapshot. The exchange has four time stamps, and the client keeps its own two.
type pong struct {
	id      uint8
	receive time.Duration // the server's clock when the ping arrived
	hold    time.Duration // from then until the pong was sent, up to 4 s
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

// intervalBits is the number of bits of the ticks between two snapshots of a body. They are sent if
// they are more than the rate in the welcome requires.
const intervalBits = 6

// viewBits is the number of bits of the fraction of a tick in the time of a client's view.
const viewBits = 4

// rateDue reports whether an event that occurs rate times a second falls on a tick.
func rateDue(tick uint64, rate, tickRate int) bool {
	if rate >= tickRate {
		return true
	}
	t := tick % uint64(tickRate)
	return t*uint64(rate)/uint64(tickRate) != (t+1)*uint64(rate)/uint64(tickRate)
}
