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

// A first packet that a stranger sends with a player's address makes no stranger of the player,
// neither while the server waits for the forged handshake nor after it has given that up.
func TestForgedHandshakeOfAPlayer(t *testing.T) {
	c := webtransport.Config{NetworkStrangers: webtransport.Rate{PerSecond: 1, Burst: 8}, HandshakeTimeout: 300 * time.Millisecond}
	l := listen(t, c)
	r := newRelay(t, hostOf(t, l), linksim.Path{})
	client, server := join(t, l, "https://"+r.addr()+"/webtransport", webtransport.Config{})
	if _, err := r.back.WriteToUDP(firstPacket(t, l), r.server); err != nil {
		// the relay's address is the player's
		t.Fatal(err)
	}
	until(t, "the forged handshake begins", func() bool { _, half := l.Visitors(); return half == 1 })
	until(t, "it has failed", func() bool { _, half := l.Visitors(); return half == 0 })
	start := time.Now()
	for range 20 {
		exchange(t, client, server)
	}
	if took := time.Since(start); took > 10*time.Second {
		// as a stranger, it has one packet a second
		t.Errorf("20 datagrams of the player took %v", took)
	}
}
