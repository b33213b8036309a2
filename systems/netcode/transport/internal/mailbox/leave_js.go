package mailbox

import (
	"syscall/js"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// OnLeave calls end in the moment in which the page is left, with the owner's reason for the close
// or with one for the page. No timer of the page runs after it, so end has to close the browser's
// connection without waiting. If it did not, the server would keep the place for a player that may
// come back. OnLeave returns a function that stops this.
func (w *Worker) OnLeave(end func(transport.Reason)) (stop func()) {
	handler := js.FuncOf(func(js.Value, []js.Value) any {
		reason, byOwner := w.Reason()
		if !byOwner {
			reason = transport.Reason{Code: transport.Left, Text: "the page was left"}
		}
		end(reason)
		return nil
	})
	js.Global().Call("addEventListener", "pagehide", handler)
	return func() {
		js.Global().Call("removeEventListener", "pagehide", handler)
		handler.Release()
	}
}
