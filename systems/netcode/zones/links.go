package zones

import (
	"cmp"
	"log/slog"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// DTLS returns Links over encrypted UDP. listen is the address of the socket, such as ":7800", and
// public is the one that other zones dial; "" means that of the socket, which is right on one
// machine. Each process has a new certificate: its fingerprint is in the record of the zone.
func DTLS(listen, public string, log *slog.Logger) (Links, error) {
	certificate, err := dtls.GenerateCertificate(nil)
	if err != nil {
		return Links{}, err
	}
	c := dtls.Config{Certificate: certificate, Log: log}
	// A link carries bursts: all that crosses a border in a step.
	c.SendQueue, c.ReceiveQueue = 2048, 2048
	c.ClientDatagrams, c.ClientBytes = dtls.Rate{PerSecond: 20000, Burst: 20000}, dtls.Rate{PerSecond: 8 << 20, Burst: 8 << 20}
	l, err := dtls.Listen(listen, c)
	if err != nil {
		return Links{}, err
	}
	return Links{
		Address: cmp.Or(public, l.Addr()), Pin: l.Fingerprint(), Listener: l,
		Dial: func(address string, pin joinlink.Fingerprint) (transport.Conn, error) {
			return dtls.Dial(address, pin, dtls.Config{SendQueue: c.SendQueue, ReceiveQueue: c.ReceiveQueue, Log: log}), nil
		},
	}, nil
}
