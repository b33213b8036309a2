package backlog_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/backlog"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Connections leave the backlog in their order of arrival. One above the limit is refused, and all
// others end with the listener.
func TestBacklog(t *testing.T) {
	b := backlog.New(2)
	if _, ok := b.Accept(); ok {
		t.Fatal("an empty backlog returned a connection")
	}
	var conns []transport.Conn
	for range 4 {
		c, _ := loopback.Pair(loopback.Config{})
		conns = append(conns, c)
	}
	for _, c := range conns[:3] {
		b.Add(c)
	}
	if got := conns[2].CloseReason(); got.Code != transport.Refused {
		t.Errorf("the third was closed because %q, want refused", got)
	}
	if first, ok := b.Accept(); !ok || first != conns[0] {
		t.Error("the first to come is not the first to be accepted")
	}
	if accepted, waiting := b.Stats(); accepted != 2 || waiting != 1 {
		t.Errorf("%d were accepted and %d wait, want 2 and 1", accepted, waiting)
	}
	if !b.Begin() {
		t.Fatal("an open backlog takes no connection")
	}
	why := transport.Reason{Code: transport.Shutdown, Text: "good night"}
	released := make(chan struct{})
	b.Close(why, func() { close(released) })
	b.Close(transport.Reason{}, func() { t.Error("a second Close releases again") })
	for i, c := range conns[:2] {
		if got := c.CloseReason(); got != why {
			t.Errorf("connection %d was closed because %q, want %q", i, got, why)
		}
	}
	b.Add(conns[3]) // by a goroutine that had begun before
	if got := conns[3].CloseReason(); got.Code != transport.Shutdown || b.Begin() {
		t.Errorf("a connection after Close was closed because %q, want shutdown", got)
	}
	select {
	case <-released:
		t.Error("the socket is released before the last goroutine has ended")
	default:
	}
	b.End()
	<-b.Done()
	<-released
}
