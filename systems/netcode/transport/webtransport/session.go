//go:build !js

package webtransport

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// settings returns QUIC's settings for both ends. Streams carry no data of ours. The idle time ends
// a connection of which nothing at all arrives any more; the layer above does so earlier.
func settings(handshake time.Duration, tracer tracer) *quic.Config {
	return &quic.Config{
		EnableDatagrams: true, EnableStreamResetPartialDelivery: true,
		HandshakeIdleTimeout: handshake, MaxIdleTimeout: 30 * time.Second,
		InitialStreamReceiveWindow: 16 << 10, MaxStreamReceiveWindow: 16 << 10,
		InitialConnectionReceiveWindow: 64 << 10, MaxConnectionReceiveWindow: 64 << 10,
		MaxIncomingStreams: 4, MaxIncomingUniStreams: 8, // of HTTP/3; browsers open one or two more
		InitialPacketSize: transport.MaxMTU, DisablePathMTUDiscovery: true,
		Tracer: tracer.trace,
	}
}

// side is what the two ends of a connection do differently.
type side struct {
	arrived func() // for each datagram
	// for each datagram or stream that is none of ours
	misused func()
	// for each stream in one direction
	stream func(*webtransport.ReceiveStream)
	tell   func(s *webtransport.Session, reason transport.Reason) // before the owner's close
}

// carry moves datagrams between the session and the mailbox until the connection ends, and returns
// when its goroutines are gone. It closes the session and the QUIC connection.
func carry(conn *quic.Conn, s *webtransport.Session, w *mailbox.Worker, sent *sent, to side) {
	// An end that acknowledges nothing would hold up the last datagrams for a minute.
	context.AfterFunc(w.Context(), func() {
		time.AfterFunc(closeLimit, func() { _ = conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "") })
	})
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		read(s, w, to)
	}()
	w.SendAll(nil, func(b []byte) error {
		err := s.SendDatagram(b)
		if err == nil {
			sent.wait(w.Context())
		}
		return err
	})
	if reason, byOwner := w.Reason(); byOwner {
		time.Sleep(closePause)
		to.tell(s, reason)
		// The other end closes the connection when it has received the reason.
		_ = s.CloseWithError(webtransport.SessionErrorCode(reason.Code), textOf(reason))
		select {
		case <-conn.Context().Done():
		case <-time.After(closeGrace):
		}
	}
	_ = conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
	<-reading
}

// read delivers the datagrams that arrive until the connection ends.
func read(s *webtransport.Session, w *mailbox.Worker, to side) {
	reason := make(chan transport.Reason, 1)
	go func() { reason <- watch(s, to.misused) }()
	uni := make(chan struct{})
	go func() {
		defer close(uni)
		for {
			stream, err := s.AcceptUniStream(context.Background())
			if err != nil {
				return
			}
			to.stream(stream)
		}
	}()
	for {
		b, err := s.ReceiveDatagram(context.Background())
		if err != nil {
			break
		}
		to.arrived()
		if !w.Deliver(b) {
			to.misused()
		}
	}
	w.End(<-reason)
	<-uni
}

// watch refuses streams until the session ends, and returns why it did.
func watch(s *webtransport.Session, misused func()) transport.Reason {
	for {
		stream, err := s.AcceptStream(context.Background())
		if err == nil {
			stream.CancelRead(0)
			stream.CancelWrite(0)
			misused()
			continue
		}
		var closed *webtransport.SessionError
		if errors.As(err, &closed) {
			return reasonOf(uint32(closed.ErrorCode), closed.Message)
		}
		return transport.Reason{Code: transport.Failed, Text: "the connection broke"}
	}
}

// tellPage sends the reason in a stream, and waits until the other end has closed. The library also
// puts it into the close of the session, but refuses the session's stream in the same packet, and
// browsers then report a broken connection.
func tellPage(s *webtransport.Session, reason transport.Reason) {
	stream, err := s.OpenUniStream()
	if err != nil {
		return
	}
	_ = stream.SetWriteDeadline(time.Now().Add(closeGrace))
	if _, err := stream.Write(reason.Append(nil)); err != nil || stream.Close() != nil {
		return
	}
	select {
	case <-s.Context().Done():
	case <-time.After(closeGrace):
	}
}

// readReason reads the stream of tellPage.
func readReason(stream *webtransport.ReceiveStream, w *mailbox.Worker) {
	_ = stream.SetReadDeadline(time.Now().Add(closeGrace))
	b, err := io.ReadAll(io.LimitReader(stream, maxReason+1))
	if err == nil {
		w.End(told(b))
	}
	stream.CancelRead(0)
}
