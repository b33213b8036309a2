package websocket

import (
	"context"
	"errors"
	"syscall/js"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// connect connects with the browser's WebSocket, and carries the connection until it ends. It uses
// no library, because each of them brings net/http and crypto/tls into the page.
func connect(ctx context.Context, address string, _ Config, w *mailbox.Worker) {
	ws, err := construct(address)
	if err != nil {
		w.End(transport.Reason{Code: transport.Failed, Text: "the browser does not connect to that address from this page: open the page by https, or use its own server"})
		return
	}
	opened, closed := make(chan struct{}, 1), make(chan transport.Reason, 1)
	events := map[string]js.Func{
		"onopen": js.FuncOf(func(js.Value, []js.Value) any {
			opened <- struct{}{}
			return nil
		}),
		"onmessage": js.FuncOf(func(_ js.Value, args []js.Value) any {
			receive(args[0].Get("data"), w)
			return nil
		}),
		"onclose": js.FuncOf(func(_ js.Value, args []js.Value) any {
			closed <- closedWith(args[0].Get("code").Int(), args[0].Get("reason").String())
			return nil
		}),
	}
	for name, f := range events {
		ws.Set(name, f)
	}
	defer func() {
		for name, f := range events {
			ws.Set(name, js.Null())
			f.Release()
		}
	}()
	select {
	case <-opened:
	case <-closed: // a browser does not report why
		w.End(transport.Reason{Code: transport.Failed, Text: "cannot connect: is the server running, does a proxy before it pass WebSockets on, and does it take connections from this page's site?"})
		return
	case <-ctx.Done():
		ws.Call("close")
		w.End(transport.Reason{Code: transport.TimedOut, Text: "no answer: is the server running?"})
		return
	}
	w.Open()
	defer w.OnLeave(func(r transport.Reason) { closeWith(ws, r) })()
	over := make(chan struct{})
	go func() {
		w.End(<-closed)
		close(over)
	}()
	w.SendAll(nil, func(b []byte) error { return send(ws, b) })
	if reason, byOwner := w.Reason(); byOwner {
		closeWith(ws, reason)
	} else {
		ws.Call("close") // after a reason as text
	}
	select {
	case <-over:
	case <-time.After(closeGrace):
		// ends the goroutine
		closed <- transport.Reason{Code: transport.Failed, Text: "the connection broke"}
		<-over
	}
}

// construct calls new WebSocket, which may throw.
func construct(address string) (ws js.Value, err error) {
	defer caught(&err)
	ws = js.Global().Get("WebSocket").New(address)
	ws.Set("binaryType", "arraybuffer")
	return ws, nil
}

// receive takes a message. It runs in the browser's event, and waits for nothing.
func receive(data js.Value, w *mailbox.Worker) {
	if data.Type() == js.TypeString {
		if js.Global().Get("Object").New(data).Get("length").Int() > MTU {
			w.Lost()
			return
		}
		w.End(parseText([]byte(data.String())))
		return
	}
	n := data.Get("byteLength").Int()
	if n > MTU {
		w.Lost()
		return
	}
	b := make([]byte, n)
	js.CopyBytesToGo(b, js.Global().Get("Uint8Array").New(data))
	w.Deliver(b)
}

var errClosed = errors.New("websocket: the browser did not send")

// send gives a datagram to the browser, which copies it.
func send(ws js.Value, b []byte) (err error) {
	defer caught(&err)
	data := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(data, b)
	ws.Call("send", data)
	return nil
}

func sendText(ws js.Value, text string) (err error) {
	defer caught(&err)
	ws.Call("send", text)
	return nil
}

// closeWith closes with a reason: as text, since a browser may leave out the code, and as a code.
func closeWith(ws js.Value, r transport.Reason) {
	_ = sendText(ws, string(textOf(r)))
	ws.Call("close", statusOf(r), cut(r))
}

// caught turns what the browser throws into an error.
func caught(err *error) {
	if p := recover(); p != nil {
		if _, ok := p.(js.Error); !ok {
			panic(p)
		}
		*err = errClosed
	}
}
