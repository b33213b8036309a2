package netcode

import (
	"errors"
)

// Send queues a copy of a message of at most 32 KiB that the server receives exactly once and in
// order. While the connection is lost the message waits until the client resumes. If it does not,
// the message is discarded.
//
// With an error nothing was queued. It is packet.ErrMessageTooLarge, packet.ErrBackpressure if 64
// KiB or 256 messages wait, that of raw bytes in a protocol with a [Message], or the error of a
// client that has not joined yet or has ended.
func (c *Client[S, I]) Send(data []byte) error {
	if err := c.canSend(data); err != nil {
		return err
	}
	if c.rerun != nil {
		return nil
	}
	c.capture.message(len(data), true)
	return c.endpoint.SendReliable(data)
}

// SendUnreliable queues a copy of a message that the server receives at most once, in no order. The
// errors are those of Send.
func (c *Client[S, I]) SendUnreliable(data []byte) error {
	if err := c.canSend(data); err != nil {
		return err
	}
	if c.rerun != nil {
		return nil
	}
	c.capture.message(len(data), false)
	return c.endpoint.SendUnreliable(data)
}

// canSend returns the error of a client that cannot send a message.
func (c *Client[S, I]) canSend(data []byte) error {
	switch {
	case c.status == Ended:
		return errors.New("netcode: the client has ended; make a new one to join again")
	case c.endpoint == nil:
		return errors.New("netcode: not joined yet; wait for Playing")
	}
	return c.protocol.mustPack(data)
}
