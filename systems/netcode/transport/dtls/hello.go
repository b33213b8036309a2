package dtls

import (
	"encoding/binary"

	"golang.org/x/crypto/cryptobyte"
)

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
	if !isHello(b) || b[1] != 0xfe || b[2] != 0xff && b[2] != 0xfd {
		return h, false
	}
	var record, message, session, suites, compressions, extensions cryptobyte.String
	var size, offset uint32
	var number, version uint16
	rest := cryptobyte.String(b[3:])
	if !rest.ReadBytes(&h.sequence, 8) || !rest.ReadUint16LengthPrefixed(&record) || !rest.Empty() ||
		!record.Skip(1) || !record.ReadUint24(&size) || !record.ReadUint16(&number) || !record.ReadUint24(&offset) ||
		!record.ReadUint24LengthPrefixed(&message) || !record.Empty() || int(size) != len(message) || number != 0 || offset != 0 {
		return hello{}, false
	}
	rest = message
	ok = rest.ReadUint16(&version) && rest.ReadBytes(&h.random, randomSize) && rest.ReadUint8LengthPrefixed(&session)
	h.before = message[:len(message)-len(rest)]
	ok = ok && rest.ReadUint8LengthPrefixed((*cryptobyte.String)(&h.cookie))
	h.after = rest
	ok = ok && rest.ReadUint16LengthPrefixed(&suites) && rest.ReadUint8LengthPrefixed(&compressions) && rest.ReadUint16LengthPrefixed(&extensions)
	if !ok || !rest.Empty() || version != 0xfefd || len(suites) < 2 || len(suites)%2 != 0 || len(compressions) == 0 {
		return hello{}, false
	}
	hasID := false
	for !extensions.Empty() {
		var kind uint16
		var content cryptobyte.String
		if !extensions.ReadUint16(&kind) || !extensions.ReadUint16LengthPrefixed(&content) {
			return hello{}, false
		}
		hasID = hasID || kind == extensionConnectionID
	}
	return h, hasID
}

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
