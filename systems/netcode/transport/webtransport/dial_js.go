package webtransport

import (
	"context"
	"errors"
	"net/url"
	"syscall/js"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// dial connects, and carries the connection until it ends.
func dial(ctx context.Context, u *url.URL, c Config, w *mailbox.Worker) {
	constructor := js.Global().Get("WebTransport")
	if constructor.IsUndefined() {
		w.End(transport.Reason{Code: transport.Failed, Text: "this browser has no WebTransport, or the page has no https: use WebSocket"})
		return
	}
	pins := c.Pins
	if pins == nil {
		var err error
		if pins, err = fetch(ctx, u); err != nil {
			w.End(failure(ctx, "this server has no WebTransport, or does not answer: use WebSocket"))
			return
		}
	}
	port := ""
	if u.Port() == "" {
		port = ":" + portOf(u)
	}
	session, err := construct(constructor, "https://"+u.Host+port+u.Path, pins)
	if err == nil {
		_, err = await(ctx, session.Get("ready"))
	}
	if err != nil {
		if !session.IsUndefined() {
			forget(session.Get("closed"))
			session.Call("close")
		}
		w.End(failure(ctx, "cannot connect by WebTransport: does the network let UDP pass, and does the server take this page's site?"))
		return
	}
	w.Open()
	carry(session, w)
}

// failure returns why there is no connection. A browser does not report it.
func failure(ctx context.Context, text string) transport.Reason {
	if ctx.Err() != nil {
		return transport.Reason{Code: transport.TimedOut, Text: "no answer: is the server running, and does the network let UDP pass?"}
	}
	return transport.Reason{Code: transport.Failed, Text: text}
}

// fetch reads the fingerprints of the server's certificates.
func fetch(ctx context.Context, u *url.URL) ([]joinlink.Fingerprint, error) {
	response, err := await(ctx, js.Global().Call("fetch", u.String(), map[string]any{"cache": "no-store"}))
	if err != nil {
		return nil, err
	}
	if !response.Get("ok").Bool() {
		return nil, errPins
	}
	body := response.Get("body")
	if body.IsNull() {
		return nil, errPins
	}
	reader := body.Call("getReader")
	var text []byte
	for {
		part, err := await(ctx, reader.Call("read"))
		if err != nil {
			forget(reader.Call("cancel"))
			return nil, err
		}
		if part.Get("done").Bool() {
			return parsePins(string(text))
		}
		bytes := part.Get("value")
		n := len(text)
		if n+bytes.Length() > maxAnswer {
			forget(reader.Call("cancel"))
			return nil, errPins
		}
		text = append(text, make([]byte, bytes.Length())...)
		js.CopyBytesToGo(text[n:], bytes)
	}
}

// construct calls new WebTransport, which may throw.
func construct(constructor js.Value, address string, pins []joinlink.Fingerprint) (session js.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			thrown, ok := p.(js.Error)
			if !ok {
				panic(p)
			}
			err = thrown
		}
	}()
	var hashes []any
	for _, p := range pins {
		value := js.Global().Get("Uint8Array").New(len(p))
		js.CopyBytesToJS(value, p[:])
		hashes = append(hashes, map[string]any{"algorithm": "sha-256", "value": value})
	}
	return constructor.New(address, map[string]any{
		"serverCertificateHashes": hashes, "requireUnreliable": true, "congestionControl": "low-latency",
	}), nil
}

// carry moves datagrams between the browser and the mailbox until the connection ends.
func carry(session js.Value, w *mailbox.Worker) {
	defer w.OnLeave(func(r transport.Reason) { closeWith(session, r) })()
	closed := make(chan transport.Reason, 1)
	go func() {
		info, err := await(context.Background(), session.Get("closed"))
		if err != nil {
			closed <- transport.Reason{Code: transport.Failed, Text: "the connection broke"}
			return
		}
		closed <- reasonOf(uint32(info.Get("closeCode").Float()), info.Get("reason").String())
	}()
	go listen(session.Get("incomingUnidirectionalStreams"), w)
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		read(session.Get("datagrams"), w)
		w.End(<-closed)
	}()
	write(session.Get("datagrams"), w)
	if reason, byOwner := w.Reason(); byOwner {
		time.Sleep(closePause)
		closeWith(session, reason)
	} else {
		session.Call("close") // after a reason in a stream
	}
	select {
	case <-reading:
	case <-time.After(closeGrace):
	}
}

// closeWith closes a session with a reason, of which the server's library takes code and text.
func closeWith(session js.Value, r transport.Reason) {
	session.Call("close", map[string]any{"closeCode": int(r.Code), "reason": textOf(r)})
}

// listen waits for the stream with the server's reason, which ends the connection.
func listen(streams js.Value, w *mailbox.Worker) {
	result, err := await(w.Context(), streams.Call("getReader").Call("read"))
	if err != nil || result.Get("done").Bool() {
		return
	}
	reader := result.Get("value").Call("getReader")
	var b []byte
	for {
		result, err := await(w.Context(), reader.Call("read"))
		if err != nil {
			return
		}
		if result.Get("done").Bool() {
			w.End(told(b))
			return
		}
		value := result.Get("value")
		n := value.Length()
		if len(b)+n > maxReason {
			w.End(told(nil))
			return
		}
		b = append(b, make([]byte, n)...)
		js.CopyBytesToGo(b[len(b)-n:], value)
	}
}

// read delivers the datagrams that arrive until the connection ends.
func read(datagrams js.Value, w *mailbox.Worker) {
	reader := datagrams.Get("readable").Call("getReader")
	next := newAwaiter()
	buf := make([]byte, MTU)
	for {
		result, err := next.await(context.Background(), reader.Call("read"))
		if err != nil || result.Get("done").Bool() {
			next.release()
			return
		}
		value := result.Get("value")
		if n := value.Length(); n > MTU {
			w.Lost()
		} else {
			js.CopyBytesToGo(buf, value)
			w.Deliver(buf[:n])
		}
	}
}

// write hands datagrams to the browser, one at a time, until the connection ends. The browser takes
// a datagram when it has sent the one before. Those that wait are in the mailbox, where a newer one
// displaces the oldest.
func write(datagrams js.Value, w *mailbox.Worker) {
	writable := datagrams.Get("writable")
	if writable.IsUndefined() {
		writable = datagrams.Call("createWritable") // of a later draft
	}
	writer := writable.Call("getWriter")
	array := js.Global().Get("Uint8Array")
	next := newAwaiter()
	w.SendAll(nil, func(b []byte) error {
		value := array.New(len(b)) // the browser keeps it
		js.CopyBytesToJS(value, b)
		_, err := next.await(w.Context(), writer.Call("write", value))
		return err
	})
	next.release()
}

// awaiter waits for promises, one after the other, with the same two functions.
type awaiter struct {
	done, failed js.Func
	result       chan js.Value
	err          chan struct{}
	pending      bool // a promise may still call them
}

var (
	errRejected = errors.New("webtransport: the browser refused")
	errPending  = errors.New("webtransport: the promise before is still pending")
)

func newAwaiter() *awaiter {
	a := &awaiter{result: make(chan js.Value, 1), err: make(chan struct{}, 1)}
	a.done = js.FuncOf(func(_ js.Value, args []js.Value) any {
		v := js.Undefined()
		if len(args) > 0 {
			v = args[0]
		}
		a.result <- v // there is room: one promise at a time
		return nil
	})
	a.failed = js.FuncOf(func(js.Value, []js.Value) any {
		a.err <- struct{}{}
		return nil
	})
	return a
}

// await returns the promise's value. After the end of a context it waits for no other one.
func (a *awaiter) await(ctx context.Context, promise js.Value) (js.Value, error) {
	if a.pending {
		forget(promise)
		return js.Undefined(), errPending
	}
	promise.Call("then", a.done, a.failed)
	select {
	case v := <-a.result:
		return v, nil
	case <-a.err:
		return js.Undefined(), errRejected
	case <-ctx.Done():
		a.pending = true
		return js.Undefined(), ctx.Err()
	}
}

// release gives the functions back when no promise will call them any more.
func (a *awaiter) release() {
	go func() {
		if a.pending {
			select {
			case <-a.result:
			case <-a.err:
			}
		}
		a.done.Release()
		a.failed.Release()
	}()
}

// await waits for one promise.
func await(ctx context.Context, promise js.Value) (js.Value, error) {
	a := newAwaiter()
	defer a.release()
	return a.await(ctx, promise)
}

// forget keeps the browser from reporting a promise that fails while no code waits for it.
func forget(promise js.Value) {
	go func() { _, _ = await(context.Background(), promise) }()
}
