package dtls

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pion/dtls/v3/pkg/protocol"
	"github.com/pion/dtls/v3/pkg/protocol/handshake"
	"github.com/pion/dtls/v3/pkg/protocol/recordlayer"
)

const (
	cookieInterval = 250 * time.Millisecond // between two requests for a cookie
	// maxRefusals is the number of refusals by the server's host (no program listens) after which
	// the client gives up.
	maxRefusals = 3
)

// wire is a client's socket, as the library sees it. It hides the exchange of the cookie from the
// library, and later everything that is not encrypted.
type wire struct {
	*net.UDPConn
	remote  net.Addr
	fail    context.CancelCauseFunc
	cookies chan []byte
	open    atomic.Bool // the handshake is done

	refusals atomic.Int32
}

func newWire(socket *net.UDPConn, fail context.CancelCauseFunc) *wire {
	return &wire{UDPConn: socket, remote: socket.RemoteAddr(), fail: fail, cookies: make(chan []byte, 1)}
}

// exchange sends the hello until the server's front answers with a cookie for it, and returns the
// cookie, or nil if the context ends before. The library has not sent anything yet, and reads at
// the same time.
func (w *wire) exchange(ctx context.Context, h handshake.MessageClientHello) []byte {
	h.Cookie = nil
	record := recordlayer.RecordLayer{Header: recordlayer.Header{Version: protocol.Version1_2}, Content: &handshake.Handshake{Message: &h}}
	repeat := time.NewTicker(cookieInterval)
	defer repeat.Stop()
	for {
		b, err := record.Marshal()
		if err != nil {
			w.fail(err)
			return nil
		}
		_ = w.send(b)
		select {
		case cookie := <-w.cookies:
			return cookie
		case <-repeat.C:
			record.Header.SequenceNumber++
		case <-ctx.Done():
			return nil
		}
	}
}

// ReadFrom implements net.PacketConn.
func (w *wire) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, err := w.Read(b)
		if err != nil {
			if err := w.broken(err); err != nil {
				return 0, nil, err
			}
			continue
		}
		if w.open.Load() {
			// The library accepts a change of cipher without checking its seal.
			if b[0] != typeChangeCipherSpec && b[0] != typeConnectionID && sealed(b[:n], recordHeader) {
				return n, w.remote, nil
			}
			continue
		}
		if cookie, ok := parseVerifyRequest(b[:n]); ok {
			select {
			case w.cookies <- bytes.Clone(cookie):
			default:
			}
			continue
		}
		return n, w.remote, nil
	}
}

// broken returns the errors that end the connection. Other errors are from the network, which may
// recover, and may be forged.
func (w *wire) broken(err error) error {
	var timeout net.Error
	if errors.Is(err, net.ErrClosed) || errors.As(err, &timeout) && timeout.Timeout() {
		return err
	}
	w.refused(err)
	time.Sleep(10 * time.Millisecond) // the error may occur again at once
	return nil
}

// refused counts refusals by the server's host, which mean that no program listens. The network
// reports each of them as the error of the next read or write.
func (w *wire) refused(err error) {
	if !w.open.Load() && errors.Is(err, syscall.ECONNREFUSED) && w.refusals.Add(1) >= maxRefusals {
		w.fail(errNobodyListens)
	}
}

// send writes a datagram. One that the network does not accept is lost, like any other on UDP.
func (w *wire) send(b []byte) error {
	_, err := w.Write(b)
	if errors.Is(err, net.ErrClosed) {
		return err
	}
	w.refused(err)
	return nil
}

// WriteTo implements net.PacketConn.
func (w *wire) WriteTo(b []byte, _ net.Addr) (int, error) { return len(b), w.send(b) }

// authenticated notes that a record of the server was genuine.
func (w *wire) authenticated() {}

// fruitless ignores a genuine record without a datagram: a server may send any number of them.
func (w *wire) fruitless() {}
