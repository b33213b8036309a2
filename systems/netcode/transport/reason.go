package transport

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code is the reason for which a connection ended, for programs. The numbers are sent on the wire
// and never change their meaning.
type Code uint8

const (
	NoReason     Code = iota // the connection has not ended
	Left                     // one end left of its own accord
	Kicked                   // the server removed the client
	Refused                  // the server is full, draining, or over an admission limit
	Unauthorized             // the token or the certificate was not accepted
	Mismatch                 // the two builds do not match (protocol or registry hash)
	TimedOut                 // nothing was received from the other end for too long
	Shutdown                 // the server shuts down
	Replaced                 // the same player returned on a newer connection
	Overload                 // the other end read too slowly or sent too much
	Failed                   // the network or the transport failed; the text has its error
	Moved                    // the player plays on at another server, whose address is the text

	codes // their number
)

var codeNames = [codes]string{"open", "left", "kicked", "refused", "unauthorized", "mismatch", "timed out", "shutdown", "replaced", "overload", "failed", "moved"}

// String returns the code's name in lower case, or "code N" for one of a newer build.
func (c Code) String() string {
	if c < codes {
		return codeNames[c]
	}
	return fmt.Sprintf("code %d", uint8(c))
}

// MaxReasonText is the maximum length in bytes of a reason's text on the wire. With its code it
// fits a WebSocket close frame (125 bytes).
const MaxReasonText = 120

// Reason is the reason for which a connection ended: a code for programs and a text for people. The
// zero value means that it has not ended.
type Reason struct {
	Code Code
	Text string // one line; may be empty
}

// String returns "code: text", or the code's name alone.
func (r Reason) String() string {
	if r.Text == "" {
		return r.Code.String()
	}
	return r.Code.String() + ": " + r.Text
}

// Append appends the reason's wire form to dst, for transports that send it: one byte of code, then
// at most MaxReasonText bytes of text, cut at a character.
func (r Reason) Append(dst []byte) []byte {
	return append(append(dst, byte(r.Code)), clean(r.Text)...)
}

// errReason is the error of ParseReason for bytes that are no reason.
var errReason = errors.New("transport: not a close reason: want one byte of code, not 0, and at most 120 bytes of text")

// ParseReason reads the bytes of [Reason.Append]. It replaces control characters and broken UTF-8,
// since text from outside ends up in logs and on screens. Codes of newer builds are kept.
func ParseReason(wire []byte) (Reason, error) {
	if len(wire) == 0 || wire[0] == 0 || len(wire) > 1+MaxReasonText {
		return Reason{}, errReason
	}
	return Reason{Code: Code(wire[0]), Text: clean(string(wire[1:]))}, nil
}

// clean makes text suitable for one line of a log: valid UTF-8, printable, at most MaxReasonText
// bytes.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
	if len(text) <= MaxReasonText {
		return text
	}
	cut := MaxReasonText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}
