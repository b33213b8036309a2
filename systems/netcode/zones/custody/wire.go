package custody

import (
	"encoding/binary"
	"errors"
)

// version is the first byte of each message.
const version = 1

// Append appends the message's bytes.
func (m Message) Append(b []byte) []byte {
	b = append(b, version, byte(m.kind))
	b = appendProcess(b, m.From)
	b = appendProcess(b, m.To)
	switch m.kind {
	case commit, refuse:
		b = appendEntity(b, m.name, m.hop)
		b = appendStamp(b, m.stamp)
		b = appendBytes(b, m.state)
	case taken, saved:
		b = appendEntity(b, m.name, m.hop)
	case done:
		b = appendStamp(b, m.stamp)
	case ask:
		b = binary.AppendUvarint(b, uint64(m.round))
		b = binary.AppendUvarint(b, uint64(m.after))
		b = binary.AppendUvarint(b, uint64(len(m.gone)))
		for _, p := range m.gone {
			b = appendProcess(b, p)
		}
	case answer:
		b = binary.AppendUvarint(b, uint64(m.round))
		b = binary.AppendUvarint(b, uint64(m.after))
		b = appendStamp(b, m.stamp)
		b = appendBool(b, m.more)
		b = binary.AppendUvarint(b, uint64(len(m.claims)))
		for _, c := range m.claims {
			b = appendEntity(b, c.name, c.hop)
			b = append(b, byte(c.standing))
		}
	}
	return b
}

// Parse returns the message of a packet. The message keeps no part of b.
func Parse(b []byte) (Message, error) {
	r := reader{b: b}
	if r.byte() != version {
		return Message{}, errors.New("custody: a message of another version: all zones of a world run one program")
	}
	m := Message{kind: kind(r.byte()), From: r.process(), To: r.process()}
	switch m.kind {
	case commit, refuse:
		m.name, m.hop = r.entity()
		m.stamp, m.state = r.stamp(), r.bytes(MaxState)
	case taken, saved:
		m.name, m.hop = r.entity()
	case done:
		m.stamp = r.stamp()
	case ask:
		m.round, m.after = uint32(r.uint(32)), Name(r.uint(64))
		for range r.count() {
			m.gone = append(m.gone, r.process())
		}
	case answer:
		m.round, m.after = uint32(r.uint(32)), Name(r.uint(64))
		m.stamp, m.more = r.stamp(), r.bool()
		last := m.after
		for range r.count() {
			n, h := r.entity()
			m.claims = append(m.claims, claim{n, h, standing(r.byte())})
			if c := m.claims[len(m.claims)-1]; n <= last || c.standing == 0 || c.standing >= standings {
				r.fail() // names rise, so that questions come to an end
			}
			last = n
		}
		if len(m.claims) > maxClaims || m.more && len(m.claims) == 0 {
			r.fail()
		}
	default:
		r.fail()
	}
	if m.From.Epoch == 0 || len(r.b) > 0 {
		r.fail()
	}
	if r.err != nil {
		return Message{}, r.err
	}
	return m, nil
}

func appendProcess(b []byte, p Process) []byte {
	b = binary.AppendUvarint(b, uint64(p.Zone))
	return binary.AppendUvarint(b, uint64(p.Epoch))
}

func appendEntity(b []byte, n Name, h hop) []byte {
	b = binary.AppendUvarint(b, uint64(n))
	return binary.AppendUvarint(b, uint64(h))
}

func appendStamp(b []byte, s stamp) []byte {
	b = binary.AppendUvarint(b, uint64(s.epoch))
	return binary.AppendUvarint(b, uint64(s.count))
}

func appendBytes(b, data []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// reader reads numbers and remembers the first error. After it all that it reads is 0.
type reader struct {
	b   []byte
	err error
}

var errMalformed = errors.New("custody: malformed bytes")

func (r *reader) fail() { r.b, r.err = nil, errMalformed }

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

// uint reads a number of at most so many bits, in its shortest form: equal messages have equal
// bytes.
func (r *reader) uint(bits int) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || n > 1 && r.b[n-1] == 0 || v>>1>>(bits-1) != 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the number of rows that follow. Each has a byte at least, which bounds the memory.
func (r *reader) count() int {
	n := r.uint(32)
	if n > uint64(len(r.b)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) zone() Zone       { return Zone(r.uint(zoneBits)) }
func (r *reader) epoch() Epoch     { return Epoch(r.uint(epochBits)) }
func (r *reader) process() Process { return Process{r.zone(), r.epoch()} }
func (r *reader) stamp() stamp     { return stamp{r.epoch(), uint32(r.uint(32))} }

func (r *reader) entity() (Name, hop) {
	n, h := Name(r.uint(64)), hop(r.uint(32))
	if n == 0 || h == 0 {
		r.fail()
	}
	return n, h
}

func (r *reader) bool() bool {
	v := r.byte()
	if v > 1 {
		r.fail()
	}
	return v == 1
}

func (r *reader) bytes(most int) []byte {
	n := r.uint(32)
	if n > uint64(len(r.b)) || n > uint64(most) {
		r.fail()
		return nil
	}
	v := append([]byte(nil), r.b[:n]...)
	r.b = r.b[n:]
	return v
}
