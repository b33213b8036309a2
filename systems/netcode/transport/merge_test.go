package transport_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

func TestMergeAcceptsFromAll(t *testing.T) {
	a, b := loopback.Listen(loopback.Config{}), loopback.Listen(loopback.Config{})
	both := transport.Merge(a, b)
	dialled := []*loopback.Conn{b.Dial(), a.Dial(), b.Dial()}
	both.Poll(1)
	accepted := 0
	for {
		if _, ok := both.Accept(); !ok {
			break
		}
		accepted++
	}
	if accepted != 3 || both.Stats().Accepted != 3 {
		t.Errorf("%d accepted, counted %d; want 3", accepted, both.Stats().Accepted)
	}
	if want := a.Addr() + "," + b.Addr(); both.Addr() != want {
		t.Errorf("Addr = %q, want %q", both.Addr(), want)
	}
	both.Close(transport.Reason{Code: transport.Shutdown})
	for i, c := range dialled {
		c.Poll(2)
		if c.State() != transport.Closed || c.CloseReason().Code != transport.Shutdown {
			t.Errorf("connection %d is %v: %v", i, c.State(), c.CloseReason())
		}
	}
}
