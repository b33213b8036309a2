package dtls

import "encoding/binary"

// These are numbers of DTLS 1.2 (RFC 6347, RFC 5246) and of its connection ids (RFC 9146).
const (
	recordHeader    = 13 // type 1, version 2, epoch 2, sequence number 6, length 2
	handshakeHeader = 12 // type 1, length 3, message number 2, fragment offset 3, fragment length 3

	typeChangeCipherSpec = 20
	typeAlert            = 21
	typeHandshake        = 22
	typeConnectionID     = 25

	messageClientHello        = 1
	messageHelloVerifyRequest = 3

	extensionConnectionID = 54

	randomSize = 32
	idSize     = 8
	idOffset   = 11 // of the connection id in a record that has one
)

// connID is the id that a client writes on its records.
type connID [idSize]byte

// plain reports whether the datagram begins with a record of a handshake, which is not encrypted
// and may come from any sender.
func plain(b []byte) bool {
	return len(b) > recordHeader && (b[0] == typeChangeCipherSpec || b[0] == typeAlert || b[0] == typeHandshake) && b[3] == 0 && b[4] == 0
}

// idOf returns the connection id of the datagram, if it is one that a client sends when it has the
// keys: a single encrypted record with an id.
func idOf(b []byte) (id connID, ok bool) {
	if len(b) < recordHeader+idSize || b[0] != typeConnectionID || !sealed(b, recordHeader+idSize) {
		return id, false
	}
	return connID(b[idOffset:]), true
}

// sealed reports whether the datagram is a single record of the encrypted epoch, with a header of
// the size. Nothing else passes once both ends have the keys. The library answers an unencrypted
// record of an unexpected kind with a fatal alert, so one forged datagram would end a connection.
func sealed(b []byte, header int) bool {
	return len(b) > header && b[3] == 0 && b[4] == 1 && int(binary.BigEndian.Uint16(b[header-2:])) == len(b)-header
}

// hello is a ClientHello, as slices of the datagram.
type hello struct {
	random []byte // the client's: no two hellos share it
	cookie []byte
	// before and after are the parts of the message before the cookie's length and after the
	// cookie.
	before, after []byte
	sequence      []byte // of the record: epoch and number
}

// isHello reports whether the first bytes of the datagram look like a ClientHello.
func isHello(b []byte) bool {
	return plain(b) && b[0] == typeHandshake && b[recordHeader] == messageClientHello
}

// parseHello reads a datagram that is exactly one whole ClientHello in one record. It is the first
// message of a handshake, which this package's clients send in one piece, and which offers
// connection ids. Anything else is refused, so that the library receives well-formed hellos only.
func parseHello(b []byte) (h hello, ok bool) {
	if !isHello(b) || len(b) < recordHeader+handshakeHeader || b[1] != 0xfe || b[2] != 0xff && b[2] != 0xfd {
		return h, false
	}
	message := b[recordHeader+handshakeHeader:]
	if int(binary.BigEndian.Uint16(b[11:])) != len(b)-recordHeader || // the record's length
		// These are the lengths of the message and of the fragment.
		uint24(b[14:]) != len(message) || uint24(b[22:]) != len(message) ||
		binary.BigEndian.Uint16(b[17:]) != 0 || uint24(b[19:]) != 0 {
		// These are the message's number and the fragment's offset.
		return h, false
	}
	r := reader{rest: message, ok: true}
	version := r.take(2)
	h.sequence, h.random = b[3:11], r.take(randomSize)
	r.vector(1) // session id
	h.before = message[:len(message)-len(r.rest)]
	h.cookie = r.vector(1)
	h.after = r.rest
	suites, compressions := r.vector(2), r.vector(1)
	extensions := reader{rest: r.vector(2), ok: r.ok}
	if !r.ok || len(r.rest) != 0 || version[0] != 0xfe || version[1] != 0xfd || len(suites) < 2 || len(suites)%2 != 0 || len(compressions) == 0 {
		return hello{}, false
	}
	hasID := false
	for extensions.ok && len(extensions.rest) > 0 {
		kind := extensions.take(2)
		extensions.vector(2)
		hasID = hasID || extensions.ok && binary.BigEndian.Uint16(kind) == extensionConnectionID
	}
	if !extensions.ok || !hasID {
		return hello{}, false
	}
	return h, true
}

// reader reads the parts of a message. Once a part is missing, ok stays false.
type reader struct {
	rest []byte
	ok   bool
}

// take returns the next n bytes.
func (r *reader) take(n int) []byte {
	if len(r.rest) < n {
		r.ok, r.rest = false, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// vector returns the next bytes. Their number precedes them, in size bytes.
func (r *reader) vector(size int) []byte {
	n := 0
	for _, b := range r.take(size) {
		n = n<<8 | int(b)
	}
	if !r.ok {
		return nil
	}
	return r.take(n)
}

func uint24(b []byte) int { return int(b[0])<<16 | int(b[1])<<8 | int(b[2]) }

// appendVerifyRequest appends the datagram that asks for the hello to be repeated with the cookie
// (RFC 6347, 4.2.1). It is smaller than any hello, so that forged hellos cannot make the server
// flood a third party.
func appendVerifyRequest(dst []byte, sequence, cookie []byte) []byte {
	size := 3 + len(cookie)
	dst = append(dst, typeHandshake, 0xfe, 0xfd)
	dst = append(dst, sequence...)
	dst = binary.BigEndian.AppendUint16(dst, uint16(handshakeHeader+size))
	dst = append(dst, messageHelloVerifyRequest, 0, 0, byte(size), 0, 0, 0, 0, 0, 0, 0, byte(size), 0xfe, 0xfd, byte(len(cookie)))
	return append(dst, cookie...)
}

// parseVerifyRequest reads the datagram of appendVerifyRequest.
func parseVerifyRequest(b []byte) (cookie []byte, ok bool) {
	const start = recordHeader + handshakeHeader + 3
	if !plain(b) || b[0] != typeHandshake || b[recordHeader] != messageHelloVerifyRequest || len(b) < start || len(b) != start+int(b[start-1]) {
		return nil, false
	}
	return b[start:], true
}
