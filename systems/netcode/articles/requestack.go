package articles

import "time"

// Request is the server's message.
type Request struct {
	Server time.Duration // the server's clock when it sent this
}

// Acknowledge is the client's answer.
type Acknowledge struct {
	Server time.Duration // as received
	Client time.Duration // the client's clock when it sent this
}

// Answer returns the client's answer at a time of its clock.
func (r Request) Answer(client time.Duration) Acknowledge {
	return Acknowledge{Server: r.Server, Client: client}
}

// RequestAck is the clock offset that server and client share, which is the last one measured. The
// zero value has an offset of 0. It is the exchange of the Racer multiplayer page ("Time syncing")
// as published. [interp.Reference] is the corrected form.
//
//	server: Request{Server: its clock}                                   REQ
//	client: Acknowledge{Server: as received, Client: its clock}          ACK
//	server: ping = clock - Server; offset = Server - Client + ping/2, and sends the client the offset
//
// Its faults:
//
//   - Each exchange counts, even a slow one.
//   - The client's wait for its next frame counts as network delay, and half of it is an error
//     ("it's a bit dependent on framerate really").
//   - Drift between two exchanges is not noticed.
//   - A client can write any time into Client.
type RequestAck struct {
	offset, ping time.Duration
}

// Acknowledged processes an answer that arrived at a time of the server's clock.
func (r *RequestAck) Acknowledged(a Acknowledge, server time.Duration) {
	r.ping = server - a.Server
	r.offset = a.Server - a.Client + r.ping/2
}

// Set sets the offset that the server sent.
func (r *RequestAck) Set(offset time.Duration) { r.offset = offset }

// Offset returns server time minus client time.
func (r *RequestAck) Offset() time.Duration { return r.offset }

// Ping returns the last round-trip time.
func (r *RequestAck) Ping() time.Duration { return r.ping }

// ServerTime converts a time of the client's clock.
func (r *RequestAck) ServerTime(client time.Duration) time.Duration { return client + r.offset }
