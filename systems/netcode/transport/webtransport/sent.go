//go:build !js

package webtransport

import (
	"context"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/qlog"
	"github.com/quic-go/quic-go/qlogwriter"
)

// sent learns when the library has sent a datagram. The library queues 32 of them if its congestion
// window is full, and a player's datagrams would then be half a second old when they leave. So this
// package hands over one at a time, and those that wait are in the mailbox, where a newer one
// displaces the oldest. The library reports what it sends only to a trace.
type sent struct{ signal chan struct{} }

func newSent() *sent { return &sent{make(chan struct{}, 1)} }

// patience bounds a wait, should the library have dropped the datagram.
const patience = time.Second

// wait returns when the datagram that was handed over last has left, or the context has ended.
func (s *sent) wait(ctx context.Context) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-s.signal:
	case <-ctx.Done():
	case <-timer.C:
	}
}

// AddProducer implements qlogwriter.Trace.
func (s *sent) AddProducer() qlogwriter.Recorder { return s }

// SupportsSchemas implements qlogwriter.Trace.
func (s *sent) SupportsSchemas(string) bool { return false }

// RecordEvent implements qlogwriter.Recorder.
func (s *sent) RecordEvent(e qlogwriter.Event) {
	packet, ok := e.(qlog.PacketSent)
	if !ok {
		return
	}
	for _, f := range packet.Frames {
		if _, ok := f.Frame.(*qlog.DatagramFrame); ok {
			select {
			case s.signal <- struct{}{}:
			default:
			}
		}
	}
}

// Close implements qlogwriter.Recorder.
func (s *sent) Close() error { return nil }

// tracer finds the sent of a connection.
type tracer func(ctx context.Context) *sent

func (t tracer) trace(ctx context.Context, _ bool, _ quic.ConnectionID) qlogwriter.Trace {
	return t(ctx)
}
