package netcode

import (
	"runtime"
	"time"
)

// goodbye is how long the close of an engine waits until the reason has left. A program often ends
// right after that. Without the reason a server would keep the player's place, and others would see
// its body stand there, until Timeout and Grace are over.
const goodbye = 500 * time.Millisecond

// awaitGoodbye waits until a closed connection, or those of a closed listener, have sent what they
// had to send, at most goodbye. Transports within a process have nothing to wait for. A page must
// not wait, since its events run on the one thread; its connections end with it by themselves.
func awaitGoodbye(closed any) {
	if captured, ok := closed.(*capturedConn); ok {
		closed = captured.Conn
	}
	c, ok := closed.(interface{ Done() <-chan struct{} })
	if !ok || runtime.GOOS == "js" {
		return
	}
	limit := time.NewTimer(goodbye)
	defer limit.Stop()
	select {
	case <-c.Done():
	case <-limit.C:
	}
}
