package host

import (
	"slices"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// player is the part of a player of any game that the console needs.
type player interface {
	Number() uint16
	Connected() bool
	Addr() string
	Token() []byte
	ResumeID() netcode.ResumeID
	Stats() netcode.PacketStats
	Kick(text string)
}

// server is the part of a server of any game that the host needs.
type server interface {
	Stats() netcode.ServerStats
	Drain(why string)
	players(f func(p player))
}

// serverOf is the server of a particular game.
type serverOf[S any, I comparable] struct{ *netcode.Server[S, I] }

func (s serverOf[S, I]) players(f func(p player)) {
	s.Players(func(p *netcode.Player[S, I]) { f(p) })
}

// NewServer makes the server of a game behind the host's listeners and access list, and installs it
// on the engine. From then on the host owns the engine and c.Listener: [Host.Close] closes both.
//
// c.Listener is one more listener, such as a loopback for a player in this process; nil: none.
// c.Authenticate is called for clients that the access list admits. If c.Log is nil, the host's log
// is used. All other fields mean the same as for [netcode.NewServer], whose errors are returned. A
// [*ConfigError] reports that there is no listener at all. NewServer panics if the host already has
// a server, and in the cases in which [netcode.Server.Install] panics.
func NewServer[S any, I comparable](h *Host, e *ecs.Engine, p *netcode.Protocol[S, I], c netcode.ServerConfig[S, I]) (*netcode.Server[S, I], error) {
	if h.server != nil {
		panic("host: there is a server already; open one host for each")
	}
	listeners := h.listeners
	if c.Listener != nil {
		listeners = append(slices.Clone(listeners), c.Listener)
	}
	if len(listeners) == 0 {
		return nil, invalid("Listen", "", "a server needs an address to listen on, such as 127.0.0.1:7777, or one for WebSocket")
	}
	c.Listener = transport.Merge(listeners...)
	if c.Log == nil {
		c.Log = h.log
	}
	list, authenticate, joined, confirmed, left := h.access, c.Authenticate, c.Joined, c.Confirmed, c.Left
	c.Authenticate = func(c netcode.JoinRequest) error {
		if err := list.authenticate(c); err != nil || authenticate == nil {
			return err
		}
		return authenticate(c)
	}
	if joined != nil { // otherwise netcode.NewServer reports that it is missing
		c.Joined = func(p *netcode.Player[S, I]) (S, arche.Entity) {
			list.Joined(p.Token(), p.PreviousResumeID(), p.ResumeID())
			return joined(p)
		}
	}
	c.Confirmed = func(p *netcode.Player[S, I]) {
		list.note(list.Confirmed(p.Token(), p.ResumeID()))
		if confirmed != nil {
			confirmed(p)
		}
	}
	c.Left = func(p *netcode.Player[S, I], reason transport.Reason) {
		list.note(list.Left(p.Token(), p.ResumeID(), reason.Code == transport.Kicked))
		if left != nil {
			left(p, reason)
		}
	}
	s, err := netcode.NewServer(p, c)
	if err != nil {
		return nil, err
	}
	e.Install(s)
	h.engine, h.server, h.listeners = e, serverOf[S, I]{s}, listeners
	h.publish()
	return s, nil
}
