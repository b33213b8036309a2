package packet

import (
	"errors"
	"time"
)

var (
	// ErrBackpressure is returned when a message cannot be queued because too many wait. Nothing
	// was queued. Try again after packets have been sent and acknowledged. If this continues, end
	// the connection: the other end no longer acknowledges.
	ErrBackpressure = errors.New("packet: too many messages wait to be sent: send fewer, or later")

	// ErrMessageTooLarge is returned for a message of more than 32 KiB, or less if the MTU is
	// small. Split it.
	ErrMessageTooLarge = errors.New("packet: message larger than 32 KiB, or than half of the window of pieces holds: split it")
)

// reordering is the number of packets sent after a piece that must have arrived before the piece
// counts as lost. Fewer could be mere reordering.
const reordering = 3

// sendChunk is a piece of the reliable stream until it is acknowledged.
type sendChunk struct {
	data    []byte
	last    bool   // ends a message
	done    bool   // acknowledged
	carrier Number // the packet that carried it last; 0: none yet
	at      time.Duration
}

// due reports whether the piece should be sent (again) at now.
func (c *sendChunk) due(now, after time.Duration, newestAcked Number) bool {
	return !c.done && (c.carrier == 0 || newestAcked >= c.carrier+reordering || now-c.at >= after)
}

type sendWindow struct {
	slots      [Window]sendChunk
	base, next uint16 // ids of the oldest piece not acknowledged, and of the next to be queued
	resent     uint64
}

func (w *sendWindow) pending() int { return int(w.next - w.base) }

// SendReliable queues a copy of data as a message that the other end gets exactly once, after the
// reliable messages queued before it. The errors are ErrMessageTooLarge and ErrBackpressure.
func (e *Endpoint) SendReliable(data []byte) error {
	if len(data) > e.maxMessage {
		return ErrMessageTooLarge
	}
	size := e.chunkSize
	w := &e.out
	if w.pending()+max(1, (len(data)+size-1)/size) > Window {
		return ErrBackpressure
	}
	for first := true; first || len(data) > 0; first = false {
		n := min(size, len(data))
		c := &w.slots[w.next%Window]
		*c = sendChunk{data: append(c.data[:0], data[:n]...), last: n == len(data)}
		data = data[n:]
		w.next++
	}
	return nil
}

// carried records that the packet n carries the pieces.
func (w *sendWindow) carried(ids []uint16, n Number, now time.Duration) {
	for _, id := range ids {
		c := &w.slots[id%Window]
		if c.carrier != 0 {
			w.resent++
		}
		c.carrier, c.at = n, now
	}
}

func (w *sendWindow) acked(id uint16) {
	if id-w.base >= w.next-w.base {
		return // acknowledged before, through another packet
	}
	w.slots[id%Window].done = true
	for w.base != w.next && w.slots[w.base%Window].done {
		w.base++
	}
}

type receiveChunk struct {
	data []byte
	last bool
	have bool
}

// receiveWindow puts the pieces of the reliable stream in order.
type receiveWindow struct {
	slots   [Window]receiveChunk
	next    uint16 // id of the next piece
	message []byte // the pieces so far of a message that is not complete
	partial bool
	broken  bool // a message was too large
}

// take stores a piece, and passes on the messages that it completes.
func (w *receiveWindow) take(id uint16, last bool, data []byte, most int, h Handler) {
	d := int16(id - w.next)
	if d < 0 || d >= Window || w.broken {
		return
	}
	if d > 0 {
		if c := &w.slots[id%Window]; !c.have {
			c.data, c.last, c.have = append(c.data[:0], data...), last, true
		}
		return
	}
	w.append(last, data, most, h)
	w.next++
	for c := &w.slots[w.next%Window]; c.have && !w.broken; c = &w.slots[w.next%Window] {
		c.have = false
		w.append(c.last, c.data, most, h)
		w.next++
	}
}

// append adds the next piece to the message.
func (w *receiveWindow) append(last bool, data []byte, most int, h Handler) {
	if len(w.message)+len(data) > most {
		w.broken = true
		return
	}
	if last && !w.partial {
		h.Message(data, true) // the common case: one piece, no copy
		return
	}
	w.message = append(w.message, data...)
	w.partial = !last
	if last {
		h.Message(w.message, true)
		w.message = w.message[:0]
	}
}
