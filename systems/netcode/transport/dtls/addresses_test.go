package dtls

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// A name may have addresses that do not work, for example if the server has no IPv6. The client
// tries the others, both if there is no answer and if the answer is that no program listens.
func TestSeveralAddresses(t *testing.T) {
	l, err := Listen("127.0.0.1:0", Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close(transport.Reason{})
		<-l.Done()
	})
	_, port, err := net.SplitHostPort(l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	silent, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2), Port: n})
	if err != nil {
		t.Skip("this machine has no 127.0.0.2: ", err)
	}
	t.Cleanup(func() { silent.Close() })
	for _, test := range []struct {
		addrs []string
		state transport.State
		text  string
	}{
		{[]string{"127.0.0.2", "127.0.0.1"}, transport.Open, ""},
		{[]string{"127.0.0.3", "::ffff:127.0.0.1"}, transport.Open, ""},
		{[]string{"127.0.0.3", "127.0.0.2", "127.0.0.3", "127.0.0.1"}, transport.Open, ""},
		{[]string{"127.0.0.3", "127.0.0.4"}, transport.Closed, "nothing listens"},
	} {
		t.Run(strings.Join(test.addrs, " "), func(t *testing.T) {
			t.Parallel() // they wait most of the time
			config := Config{DialTimeout: time.Minute}.withDefaults()
			owner, worker := mailbox.New(mailboxConfig(config, overheadToServer, "name"), transport.Connecting)
			d := &dialer{addr: "name.example:" + port, pin: l.Fingerprint(), config: config, worker: worker}
			d.lookup = func(_ context.Context, _, host string) (all []netip.Addr, _ error) {
				if host != "name.example" {
					t.Errorf("looked up %q", host)
				}
				for _, text := range test.addrs {
					all = append(all, netip.MustParseAddr(text))
				}
				return all, nil
			}
			go d.run()
			for owner.State() == transport.Connecting {
				time.Sleep(time.Millisecond)
				owner.Poll(0)
			}
			if got := owner.CloseReason(); owner.State() != test.state || !strings.Contains(got.Text, test.text) {
				t.Errorf("%v (%v), want %v with %q", owner.State(), got, test.state, test.text)
			}
			owner.Close(transport.Reason{})
			<-owner.Done()
		})
	}
}
