package link

import (
	"errors"
	"log/slog"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// Peer is the present process of another zone.
type Peer struct {
	Process custody.Process
	Name    string               // of the zone, for the log
	Address string               // for Config.Dial
	Pin     joinlink.Fingerprint // the same
	Key     [32]byte             // a process that dials this one shows it
}

// Config configures [Links]. All fields without another word are required.
type Config struct {
	Self custody.Process
	// Key is the key that a process shows which dials this one. It must be random.
	Key [32]byte
	// Protocol is a hash of all that both ends must agree on. Processes with another are refused.
	Protocol uint64
	// Listener accepts the connections of the zones with lower numbers. The Links own it.
	Listener transport.Listener
	// Dial begins a connection to a process of a zone with a higher number. It does not wait, and
	// checks the other end's certificate by p.Pin.
	Dial    func(p Peer) (transport.Conn, error)
	Handler Handler
	// Rate is how many bytes a second each link sends, with the headers of the transport. 0 means
	// 1 MiB. A listener reads at most so much of each connection, too: dtls.Config.ClientBytes must
	// be greater.
	Rate int
	// Log receives links that open, close and fail; nil means none.
	Log *slog.Logger
}

// Handler receives the events of all links, within Poll and Flush. Of the methods of [Links] it may
// call Send, Open, Ahead and Stats only.
type Handler interface {
	// Opened reports a new link. Everything that was sent on an earlier one is over.
	Opened(z custody.Process)

	// Closed reports that the link has ended.
	Closed(z custody.Process)

	// Message passes on a message: in order, and exactly once per link. The bytes are valid during
	// the call only.
	Message(from custody.Process, data []byte)

	// Snapshot decodes the ghosts of a packet, up to the end of r, which is valid during the call
	// only. n is the number with which the other end has called Write. After an error the packet
	// counts as lost for both ends, with its messages, which are sent again. A link ends if it has
	// such packets only for 3 s.
	Snapshot(from custody.Process, r *packet.Reader, n packet.Number) error

	// Delivered reports that the other end has accepted a packet, with ghosts or without.
	Delivered(to custody.Process, n packet.Number)

	// Write encodes ghosts as the last in a packet, and returns for how many there was no room. If
	// there are any, it is called for another packet of the same step while the rate allows. It
	// writes nothing if there is nothing to say. All that it has written is left out if w has an
	// error.
	Write(to custody.Process, w *packet.Writer, n packet.Number) (waiting int)
}

// MaxMessage is the most bytes of a message.
const MaxMessage = 32 << 10

var (
	// ErrNoLink is the error of Send while there is no link to the zone. Wait for Handler.Opened.
	ErrNoLink = errors.New("link: no link to this zone: send again when it is open")

	// ErrBackpressure is the error of Send while a mebibyte of messages waits. Nothing was queued.
	// Send again in a later step.
	ErrBackpressure = errors.New("link: too many messages wait for this zone: send again in a later step")

	// ErrTooLarge is the error of Send for a message of more than MaxMessage bytes.
	ErrTooLarge = errors.New("link: a message has at most 32 KiB: split it")
)

// Stats counts the traffic of an open link.
type Stats struct {
	// RTT is the smoothed time that two packets need, there and back, without the time in between
	// at the other end. 0 before the first.
	RTT                         time.Duration
	Sent, SentBytes             uint64 // packets, and their bytes without the transport's
	Received, ReceivedBytes     uint64 // datagrams
	Lost                        uint64 // own packets that count as lost
	Resent                      uint64 // pieces of messages that were sent again
	Refused                     uint64 // packets that were malformed, or whose ghosts were not
	Waiting                     int    // bytes of messages that no packet has carried yet
	Since                       time.Duration
	MessagesSent, MessagesTaken uint64
}

const defaultRate = 1 << 20
