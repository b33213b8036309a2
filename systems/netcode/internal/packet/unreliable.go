package packet

import "time"

// sendQueue holds unreliable messages, whole or in pieces, until a packet includes them.
type sendQueue struct {
	slots  [Window]entry
	head   int
	n      int
	nextID uint16 // of the next message in pieces
}

func (q *sendQueue) at(i int) *entry { return &q.slots[(q.head+i)%Window] }

func (q *sendQueue) push() *entry {
	q.n++
	return q.at(q.n - 1)
}

func (q *sendQueue) pop(n int) {
	q.head = (q.head + n) % Window
	q.n -= n
}

// SendUnreliable queues a copy of data as a message for one of the next packets. The other end
// receives it at most once and in no order. If it is larger than a piece, the message arrives only
// if all of its pieces arrive. The errors are ErrMessageTooLarge and ErrBackpressure.
func (e *Endpoint) SendUnreliable(data []byte) error {
	if len(data) > e.maxMessage {
		return ErrMessageTooLarge
	}
	size := e.chunkSize
	pieces := max(1, (len(data)+size-1)/size)
	q := &e.queue
	if q.n+pieces > Window {
		return ErrBackpressure
	}
	if pieces == 1 {
		s := q.push()
		*s = entry{kind: kindUnreliable, data: append(s.data[:0], data...)}
		return nil
	}
	for i := range pieces {
		n := min(size, len(data))
		s := q.push()
		*s = entry{kind: kindFragment, id: q.nextID, index: byte(i), final: byte(pieces - 1), data: append(s.data[:0], data[:n]...)}
		data = data[n:]
	}
	q.nextID++
	return nil
}

// maxParts is how many unreliable messages may be incomplete at a time, and reassemblyTimeout is
// how long one waits for its missing pieces. All of them together have at most twice the bytes of
// the largest message; the oldest are dropped for more.
const (
	maxParts          = 8
	reassemblyTimeout = 2 * time.Second
)

// part is an unreliable message of which some pieces have arrived. Its memory depends on the
// received bytes, never on the claims of a packet.
type part struct {
	used  bool
	id    uint16
	final byte
	have  int
	since time.Duration
	bytes []byte                     // the pieces in the order of their arrival
	at    []struct{ from, to int32 } // by piece; made when the part is used first
}

type reassembler struct {
	parts [maxParts]part
	total int // bytes of all parts
	whole []byte
}

func (r *reassembler) drop(p *part, s *Stats) {
	r.total -= len(p.bytes)
	p.used, p.bytes = false, p.bytes[:0]
	s.PartsDropped++
}

// expire drops the messages that began before the given time.
func (r *reassembler) expire(before time.Duration, s *Stats) {
	if r.total == 0 { // nearly always
		return
	}
	for i := range r.parts {
		if p := &r.parts[i]; p.used && p.since < before {
			r.drop(p, s)
		}
	}
}

// find returns the part of the message, a new one if there is none.
func (r *reassembler) find(e *entry, now time.Duration, s *Stats) *part {
	var free, oldest *part
	for i := range r.parts {
		p := &r.parts[i]
		switch {
		case !p.used:
			free = p
		case p.id == e.id && p.final == e.final:
			return p
		case p.id == e.id: // left over from the previous use of the ids
			r.drop(p, s)
			free = p
		case oldest == nil || p.since < oldest.since:
			oldest = p
		}
	}
	if free == nil {
		free = oldest
		r.drop(free, s)
	}
	free.used, free.id, free.final, free.have, free.since = true, e.id, e.final, 0, now
	if free.at == nil {
		free.at = make([]struct{ from, to int32 }, Window)
	}
	clear(free.at)
	return free
}

// add adds a piece and returns the message if it is complete. The bytes are valid until the next
// call.
func (r *reassembler) add(e *entry, now time.Duration, maxMessage int, s *Stats) []byte {
	if len(e.data) == 0 {
		return nil // no sender makes empty pieces
	}
	p := r.find(e, now, s)
	at := &p.at[e.index]
	if at.to != 0 {
		return nil
	}
	if len(p.bytes)+len(e.data) > maxMessage {
		r.drop(p, s)
		return nil
	}
	for r.total+len(e.data) > 2*maxMessage {
		oldest := p
		for i := range r.parts {
			if o := &r.parts[i]; o.used && o != p && (oldest == p || o.since < oldest.since) {
				oldest = o
			}
		}
		r.drop(oldest, s)
	}
	at.from = int32(len(p.bytes))
	p.bytes = append(p.bytes, e.data...)
	at.to = int32(len(p.bytes))
	r.total += len(e.data)
	p.have++
	if p.have <= int(p.final) {
		return nil
	}
	r.whole = r.whole[:0]
	for i := range p.at[:int(p.final)+1] {
		r.whole = append(r.whole, p.bytes[p.at[i].from:p.at[i].to]...)
	}
	r.total -= len(p.bytes)
	p.used, p.bytes = false, p.bytes[:0]
	return r.whole
}
