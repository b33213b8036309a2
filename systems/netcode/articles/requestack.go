package articles

import "time"

// The request and acknowledge of Racer (Racer multiplayer interpolation/prediction page, "Time
// syncing"), as the page has it. It is here for comparison; use [Sample] and [Reference].
//
//	server: Request{Server: its clock}                                   REQ
//	client: Acknowledge{Server: as received, Client: its clock}          ACK
//	server: ping = clock - Server; offset = Server - Client + ping/2, and tells the client the offset
//
// What is wrong with it: one exchange is believed whatever it took; the client's wait for its next
// frame counts as network delay, half of it as error ("it's a bit dependent on framerate really");
// drift between two exchanges is not seen; and a client may write into Client whatever suits it.

// Request is what the server sends.
type Request struct {
	Server time.Duration // the server's clock when it sent this
}

// Acknowledge is what the client answers.
type Acknowledge struct {
	Server time.Duration // as received
	Client time.Duration // the client's clock when it sent this
}

// Answer returns the client's answer at a time of its clock.
func (r Request) Answer(client time.Duration) Acknowledge {
	return Acknowledge{Server: r.Server, Client: client}
}

// Measure returns the ping time and the clock offset, server minus client, when the answer arrives
// at a time of the server's clock.
func (a Acknowledge) Measure(server time.Duration) (ping, offset time.Duration) {
	ping = server - a.Server
	return ping, a.Server - a.Client + ping/2
}

// RequestAck is the offset that server and client share: the last one measured. The zero value has
// an offset of 0.
type RequestAck struct {
	offset, ping time.Duration
}

// Acknowledged takes an answer that arrived at a time of the server's clock.
func (r *RequestAck) Acknowledged(a Acknowledge, server time.Duration) {
	r.ping, r.offset = a.Measure(server)
}

// Set takes the offset that the server sent.
func (r *RequestAck) Set(offset time.Duration) { r.offset = offset }

// Offset returns server time minus client time.
func (r *RequestAck) Offset() time.Duration { return r.offset }

// Ping returns the last round-trip time.
func (r *RequestAck) Ping() time.Duration { return r.ping }

// ServerTime converts a time of the client's clock.
func (r *RequestAck) ServerTime(client time.Duration) time.Duration { return client + r.offset }
