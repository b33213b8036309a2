package transport

import "time"

// Fallback returns a connection that is made by the first function or, if that one ends or is not
// open within the patience, by the second: WebTransport, say, and WebSocket for networks that let
// no UDP pass. The patience begins with the first Poll. A program that dials anew begins with the
// first function again. The MTU is that of the connection that became open. The reason of a close
// is that of the connection that was made last.
func Fallback(patience time.Duration, first, second func() Conn) Conn {
	return &fallback{Conn: first(), second: second, patience: patience}
}

// fallback is the connection that is tried, or was made.
type fallback struct {
	Conn
	second   func() Conn // nil: it has been called, or is not needed
	patience time.Duration
	begun    bool
	until    time.Duration // the patience is over
	now      time.Duration // of the last Poll
	state    State         // as of then
}

var (
	_ Stamper  = (*fallback)(nil)
	_ Budgeted = (*fallback)(nil)
)

// Poll implements Conn.
func (f *fallback) Poll(now time.Duration) {
	f.Conn.Poll(now)
	f.now = max(f.now, now)
	if !f.begun {
		f.begun, f.now, f.until = true, now, now+f.patience
	}
	if f.second != nil {
		switch state := f.Conn.State(); {
		case state == Open:
			f.second = nil
		case state == Closed || now >= f.until:
			f.Conn.Close(Reason{Code: Left, Text: "another way is tried"})
			f.Conn, f.second = f.second(), nil
			f.Conn.Poll(now)
		}
	}
	f.state = f.Conn.State()
}

// State implements Conn. It is Connecting as long as there is another way.
func (f *fallback) State() State { return f.state }

// Close implements Conn.
func (f *fallback) Close(reason Reason) {
	f.second = nil
	f.Conn.Close(reason)
	f.state = f.Conn.State()
}

// CloseReason implements Conn.
func (f *fallback) CloseReason() Reason {
	if f.state != Closed {
		return Reason{}
	}
	return f.Conn.CloseReason()
}

// RecvAt implements Stamper.
func (f *fallback) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	return RecvAt(f.Conn, f.now, buf)
}

// SetUntrusted implements Budgeted.
func (f *fallback) SetUntrusted(untrusted bool) { SetUntrusted(f.Conn, untrusted) }

// Done returns a channel that is closed when the connection's goroutines have ended, if it has any.
func (f *fallback) Done() <-chan struct{} {
	if c, ok := f.Conn.(interface{ Done() <-chan struct{} }); ok {
		return c.Done()
	}
	done := make(chan struct{})
	close(done)
	return done
}
