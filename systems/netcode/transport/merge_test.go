package transport_test

import (
	"reflect"
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

// counted is a listener with counters.
type counted struct {
	transport.Listener
	stats transport.ListenerStats
}

func (c counted) Stats() transport.ListenerStats { return c.stats }

// The counters of all listeners are added, each one of them.
func TestMergeAddsAllCounters(t *testing.T) {
	var a, b, want counted
	for i := range reflect.TypeOf(a.stats).NumField() {
		set := func(c *counted, v int) {
			f := reflect.ValueOf(&c.stats).Elem().Field(i)
			f.Set(reflect.ValueOf(v).Convert(f.Type()))
		}
		set(&a, i+1)
		set(&b, 100*(i+1))
		set(&want, 101*(i+1))
	}
	if got := transport.Merge(a, b).Stats(); got != want.stats {
		t.Errorf("the sum of %+v and %+v is %+v", a.stats, b.stats, got)
	}
}
