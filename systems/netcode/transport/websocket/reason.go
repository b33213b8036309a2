package websocket

import (
	"errors"
	"strconv"

	"github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// firstStatus is the first of the close codes that are free for all (RFC 6455, 7.4.2). A reason's
// own code is added to it.
const firstStatus = 4000

// statusOf returns the close code of a reason.
func statusOf(r transport.Reason) websocket.StatusCode {
	return firstStatus + websocket.StatusCode(r.Code)
}

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
			if r, ok := ofStatus(websocket.StatusCode(status), string(b[digits+1:])); ok {
				return r
			}
		}
	}
	return transport.Reason{Code: transport.Failed, Text: "the other end sent text, which this protocol knows only for close reasons"}
}

// ofStatus returns the reason of a close code and its text, if this package sent them.
func ofStatus(status websocket.StatusCode, text string) (transport.Reason, bool) {
	if status <= firstStatus || status > firstStatus+255 {
		return transport.Reason{}, false
	}
	r, err := transport.ParseReason(append([]byte{byte(status - firstStatus)}, text...))
	return r, err == nil
}

// reasonOf returns why a read failed, in words for the player.
func reasonOf(err error) transport.Reason {
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		if r, ok := ofStatus(closed.Code, closed.Reason); ok {
			return r
		}
		switch closed.Code {
		case websocket.StatusGoingAway:
			// Proxies send it to both ends when they restart, and browsers when they close a page.
			return transport.Reason{Code: transport.Failed, Text: "the other end, or a proxy on the way, went without a reason"}
		case websocket.StatusNormalClosure:
			return transport.Reason{Code: transport.Left, Text: "the other end went without a reason"}
		case websocket.StatusMessageTooBig, websocket.StatusPolicyViolation:
			return transport.Reason{Code: transport.Overload, Text: "the other end did not take what was sent"}
		}
		return transport.Reason{Code: transport.Failed, Text: "the other end closed with WebSocket code " + strconv.Itoa(int(closed.Code))}
	}
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return transport.Reason{Code: transport.Overload, Text: "the other end sent a message far above the MTU"}
	}
	return transport.Reason{Code: transport.Failed, Text: "the connection broke"}
}
