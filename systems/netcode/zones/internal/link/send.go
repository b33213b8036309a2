package link

import "time"

// flush sends the packets of a step: messages first, then ghosts, as long as the rate allows.
func (l *Links) flush(k *link, now, world time.Duration) {
	k.fill()
	for i := range perFlush {
		if k.bucket.Allowance(now) < k.mtu+k.overhead || !l.send(k, now, world, i == 0, true) {
			return
		}
	}
}

// fill gives the endpoint the messages that wait, as far as its window is open.
func (k *link) fill() {
	for k.messages.waiting() > 0 {
		next := k.messages.next(piece)
		if k.endpoint.SendReliable(next) != nil {
			return
		}
		k.messages.take(len(next))
	}
}

// send sends a packet, if there is anything to say. It returns whether there is more. A packet that
// is not the first of a step has no stamps.
func (l *Links) send(k *link, now, world time.Duration, first, ghosts bool) (more bool) {
	due := k.endpoint.Due(now) > 0
	w := k.endpoint.Begin(l.out[1:k.mtu], now, stampRoom+1)
	w.Bool(due)
	w.Bool(first)
	if first {
		s := k.clock.next(now, world)
		s.write(w)
	}
	offered, written, waiting := ghosts && w.Room() >= 8*leastGhosts, false, 0
	before := *w
	if offered {
		w.Bool(true)
		start := w.Len()
		waiting = l.handler.Write(k.process, w, k.endpoint.Next())
		written = w.Err() == nil && w.Len() > start
	}
	if !written {
		*w = before
		w.Bool(false)
	}
	if !due && !written && k.owed == 0 && !(first && k.clock.stampDue(now)) {
		k.endpoint.Cancel()
		return false
	}
	datagram, err := k.endpoint.End()
	if err != nil { // cannot be: the rest of the packet has its room
		return false
	}
	l.out[0] = kindPacket
	_ = k.conn.Send(l.out[:1+len(datagram)]) // what a full queue refuses is a loss
	k.bucket.Spend(float64(1 + len(datagram) + k.overhead))
	k.owed = 0
	if first {
		k.clock.sent(now)
	}
	return waiting > 0 || k.endpoint.Due(now) > 0 || ghosts && !offered
}
