//go:build !js

package webtransport_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

// A client whose packets arrive, but which acknowledges nothing, because it is hostile or its line
// is broken in one direction, does not delay the close of its connection, nor that of the listener.
func TestCloseWithoutAcknowledgements(t *testing.T) {
	l := listen(t, open(webtransport.Config{}))
	r := newRelay(t, hostOf(t, l), linksim.Path{})
	client, server := join(t, l, "https://"+r.addr()+"/webtransport", webtransport.Config{})
	exchange(t, client, server)
	r.deaf.Store(true)
	l.Stuff()
	time.Sleep(100 * time.Millisecond)
	if err := server.Send([]byte("last words")); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	l.Close(transport.Reason{Code: transport.Shutdown})
	<-l.Done()
	if took := time.Since(start); took > 15*time.Second { // QUIC gives up after 30 s
		t.Errorf("the close took %v", took)
	}
}
