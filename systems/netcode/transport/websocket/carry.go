//go:build !js

package websocket

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// carry moves datagrams between the WebSocket and the mailbox until the connection ends, closes the
// WebSocket, and returns when its goroutines are gone. fruitless counts messages without a
// datagram.
func carry(ws *websocket.Conn, w *mailbox.Worker, fruitless func(int) bool) {
	ws.SetReadLimit(maxMessage)
	// The end of life tears the connection down, even with data that still waits in it.
	life, kill := context.WithCancel(context.Background())
	defer kill()
	context.AfterFunc(w.Context(), func() { time.AfterFunc(closeGrace, kill) })
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		read(life, ws, w, fruitless)
	}()
	w.SendAll(nil, func(b []byte) error {
		err := ws.Write(life, websocket.MessageBinary, b)
		if err != nil {
			w.End(transport.Reason{Code: transport.Failed, Text: "the connection broke"})
		}
		return err
	})
	if reason, byOwner := w.Reason(); byOwner {
		_ = ws.Write(life, websocket.MessageText, textOf(reason))
		_ = ws.Close(websocket.StatusCode(statusOf(reason)), cut(reason))
	} else {
		select { // the reader answers the other end's close frame
		case <-reading:
		case <-life.Done():
		}
	}
	_ = ws.CloseNow()
	<-reading
}

// read delivers the datagrams that arrive until the connection ends.
func read(life context.Context, ws *websocket.Conn, w *mailbox.Worker, fruitless func(int) bool) {
	buf := make([]byte, MTU+1)
	for {
		kind, message, err := ws.Reader(life)
		if err != nil {
			w.End(reasonOf(err))
			return
		}
		n, err := io.ReadFull(message, buf)
		if err == nil { // buf has room for one byte more than the MTU: the message is too large
			w.Lost()
			fruitless(1)
			_, err = io.Copy(io.Discard, message)
		} else if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
			if kind == websocket.MessageText {
				w.End(parseText(buf[:n]))
			} else if !w.Deliver(buf[:n]) {
				fruitless(1)
			}
		}
		if err != nil {
			w.End(reasonOf(err))
			return
		}
	}
}

// reasonOf returns why a read failed, in words for the player.
func reasonOf(err error) transport.Reason {
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		return closedWith(int(closed.Code), closed.Reason)
	}
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return transport.Reason{Code: transport.Overload, Text: "the other end sent a message far above the MTU"}
	}
	return transport.Reason{Code: transport.Failed, Text: "the connection broke"}
}
