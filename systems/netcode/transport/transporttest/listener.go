package transporttest

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Host is a listener, together with functions that connect to it and let time pass.
type Host struct {
	Listener transport.Listener
	Dial     func() transport.Conn
	Pass     func(conns ...transport.Conn) // lets a little time pass, polls the listener and these
}

// RunListener runs the tests. listen returns a new listener, and registers with t.Cleanup the
// functions that release it.
func RunListener(t *testing.T, listen func(t *testing.T) Host) {
	for name, test := range map[string]func(*testing.T, Host){
		"SeveralClients": severalClients, "CloseEndsAll": closeEndsAll, "TurnedAway": turnedAway,
	} {
		t.Run(name, func(t *testing.T) { test(t, listen(t)) })
	}
}

// join dials and waits until both ends are open.
func join(t *testing.T, h Host) Ends {
	t.Helper()
	client := h.Dial()
	var server transport.Conn
	until(t, func() { h.Pass(client) }, "a client is accepted", func() bool {
		if server == nil {
			if c, ok := h.Listener.Accept(); ok {
				server = c
			}
		}
		if client.State() == transport.Closed {
			t.Fatalf("the client was closed: %v", client.CloseReason())
		}
		return server != nil && client.State() == transport.Open
	})
	return Ends{A: client, B: server, Pass: func() { h.Pass(client, server) }}
}

func severalClients(t *testing.T, h Host) {
	if c, ok := h.Listener.Accept(); ok || c != nil {
		t.Fatalf("Accept without a client returned %v, %v", c, ok)
	}
	if h.Listener.Addr() == "" {
		t.Error("the listener's address is empty")
	}
	var all []Ends
	for range 4 {
		all = append(all, join(t, h))
	}
	for i, e := range all {
		transfer(t, e, e.A, e.B, []byte{'c', byte(i)})
		transfer(t, e, e.B, e.A, []byte{'s', byte(i)})
	}
	if got := h.Listener.Stats(); got.Accepted != 4 || got.Pending != 0 {
		t.Errorf("statistics say %+v, want 4 accepted and none pending", got)
	}
	// One leaves, the others stay.
	all[0].A.Close(transport.Reason{Code: transport.Left})
	closes(t, all[0].Pass, all[0].B, transport.Reason{Code: transport.Left})
	transfer(t, all[1], all[1].A, all[1].B, []byte("still here"))
}

func closeEndsAll(t *testing.T, h Host) {
	a, b := join(t, h), join(t, h)
	want := transport.Reason{Code: transport.Shutdown, Text: "good night"}
	h.Listener.Close(want)
	for _, e := range []Ends{a, b} {
		closes(t, e.Pass, e.A, want)
		closes(t, e.Pass, e.B, want)
	}
	if _, ok := h.Listener.Accept(); ok {
		t.Error("Accept returned a connection after Close")
	}
}

func turnedAway(t *testing.T, h Host) {
	e := join(t, h)
	want := transport.Reason{Code: transport.Refused, Text: "the server is full"}
	e.B.Close(want)
	closes(t, e.Pass, e.A, want)
	next := join(t, h)
	transfer(t, next, next.A, next.B, []byte("hello"))
}
