//go:build !js

package host

import (
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// Clients join over sockets of this machine with each of the links, and receive the reason when the
// server ends.
func TestPlayersJoinByLinks(t *testing.T) {
	h := open(t, Config{Listen: "127.0.0.1:0", WebSocket: WebSocket{Addr: "127.0.0.1:0", SelfSigned: true}})
	v := serve(t, h, nil)
	links := h.Links()
	if len(links) != 2 || links[0].Transport != joinlink.DTLS || links[1].Transport != joinlink.WSS || strings.Count(h.Addr(), ",") != 2 {
		t.Fatalf("the links are %v, at %s", links, h.Addr())
	}
	for _, link := range links {
		dial := func() (transport.Conn, error) {
			if link.Transport == joinlink.DTLS {
				return dtls.Dial(link.Address(), link.Fingerprint, dtls.Config{}), nil
			}
			return websocket.Dial(link.URL(), websocket.Config{Fingerprint: link.Fingerprint}), nil
		}
		client, err := testgame.Join(protocol(t), testgame.ClientConfig{
			Dial: dial, Token: []byte(link.Token), Input: func(netcode.Tick) testgame.Input { return testgame.Input{} }, Log: h.log,
		}, interpolation.New3D())
		if err != nil {
			t.Fatal(err)
		}
		v.clients = append(v.clients, client)
	}
	reached := func(want netcode.Status) bool {
		for _, c := range v.clients {
			if status, _ := c.Status(); status != want {
				return false
			}
		}
		return true
	}
	// The game's time is not faster than that of the sockets, so its time-outs are those of a real
	// game.
	wait := func(what string, pass func(time.Duration), condition func() bool) {
		t.Helper()
		const frame = time.Second / rate
		for begin := time.Now(); !condition(); pass(frame) {
			if time.Since(begin) > time.Minute {
				t.Fatalf("gave up waiting until %s", what)
			}
			time.Sleep(frame)
		}
	}
	wait("the clients play", v.run, func() bool { return reached(netcode.Playing) })
	h.Close()
	for _, c := range v.clients {
		wait("a client receives the shutdown", c.Engine.Update, func() bool {
			_, reason := c.Status()
			return reason.Code == transport.Shutdown
		})
	}
}

// A rate of joins applies to one network, for both transports, and leaves room for bursts and for
// other networks.
func TestJoinRates(t *testing.T) {
	for joins, want := range map[int][2]dtls.Rate{
		0:    {},
		1:    {{PerSecond: 1, Burst: 4}, {PerSecond: 100, Burst: 200}},
		10:   {{PerSecond: 10, Burst: 32}, {PerSecond: 100, Burst: 200}},
		1000: {{PerSecond: 1000, Burst: 3200}, {PerSecond: 1000, Burst: 4000}},
	} {
		network, all := (&settings{Config: Config{JoinRate: joins}}).handshakes()
		if network != want[0] || all != want[1] {
			t.Errorf("%d joins: %+v, %+v", joins, network, all)
		}
	}
}
