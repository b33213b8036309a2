package websocket

import (
	"strconv"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// firstStatus is the first of the close codes that are free for all (RFC 6455, 7.4.2). A reason's
// own code is added to it.
const firstStatus = 4000

// statusOf returns the close code of a reason.
func statusOf(r transport.Reason) int { return firstStatus + int(r.Code) }

// cut returns the reason's text in its wire form: one line of at most transport.MaxReasonText
// bytes.
func cut(r transport.Reason) string { return string(r.Append(nil)[1:]) }

// textOf returns the text message with the reason: close code, space, text.
func textOf(r transport.Reason) []byte {
	return append(append(strconv.AppendInt(nil, int64(statusOf(r)), 10), ' '), cut(r)...)
}

// parseText reads a message of textOf.
func parseText(b []byte) transport.Reason {
	const digits = 4
	if len(b) > digits && b[digits] == ' ' {
		if status, err := strconv.ParseUint(string(b[:digits]), 10, 16); err == nil {
			if r, ok := ofStatus(int(status), string(b[digits+1:])); ok {
				return r
			}
		}
	}
	return transport.Reason{Code: transport.Failed, Text: "the other end sent text, which this protocol knows only for close reasons"}
}

// ofStatus returns the reason of a close code and its text, if this package sent them.
func ofStatus(status int, text string) (transport.Reason, bool) {
	if status <= firstStatus || status > firstStatus+255 {
		return transport.Reason{}, false
	}
	r, err := transport.ParseReason(append([]byte{byte(status - firstStatus)}, text...))
	return r, err == nil
}

// These are the close codes of others that this package knows (RFC 6455, 7.4.1).
const (
	statusNormal    = 1000
	statusGoingAway = 1001
	statusPolicy    = 1008
	statusTooBig    = 1009
	statusAbnormal  = 1006 // what a browser reports if there was no close frame
)

// closedWith returns the reason of a close frame, in words for the player.
func closedWith(status int, text string) transport.Reason {
	if r, ok := ofStatus(status, text); ok {
		return r
	}
	switch status {
	case statusGoingAway:
		// Proxies send it to both ends when they restart, and browsers when they close a page.
		return transport.Reason{Code: transport.Failed, Text: "the other end, or a proxy on the way, went without a reason"}
	case statusNormal:
		return transport.Reason{Code: transport.Left, Text: "the other end went without a reason"}
	case statusTooBig, statusPolicy:
		return transport.Reason{Code: transport.Overload, Text: "the other end did not take what was sent"}
	case statusAbnormal:
		return transport.Reason{Code: transport.Failed, Text: "the connection broke"}
	}
	return transport.Reason{Code: transport.Failed, Text: "the other end closed with WebSocket code " + strconv.Itoa(status)}
}
