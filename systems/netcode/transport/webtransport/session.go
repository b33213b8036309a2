//go:build !js

package webtransport

import (
	"context"
	"errors"
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

// carry moves datagrams between the session and the mailbox until the connection ends, and returns
// when its goroutines are gone. It closes the session and the QUIC connection. It calls arrived for
// each datagram, and misused for each datagram and stream that is no data of ours.
func carry(conn *quic.Conn, s *webtransport.Session, w *mailbox.Worker, sent *sent, arrived, misused func()) {
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		read(s, w, arrived, misused)
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
func read(s *webtransport.Session, w *mailbox.Worker, arrived, misused func()) {
	reason := make(chan transport.Reason, 1)
	go func() { reason <- watch(s, misused) }()
	uni := make(chan struct{})
	go func() {
		defer close(uni)
		for {
			stream, err := s.AcceptUniStream(context.Background())
			if err != nil {
				return
			}
			stream.CancelRead(0)
			misused()
		}
	}()
	for {
		b, err := s.ReceiveDatagram(context.Background())
		if err != nil {
			break
		}
		arrived()
		if !w.Deliver(b) {
			misused()
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
