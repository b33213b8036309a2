package netcode

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

// maxCredit is the most InputCredit.
const maxCredit = 2 * time.Second

// ServerConfig configures a [Server]. Listener and Joined are required; for every other field a
// zero value means the default that its comment states.
type ServerConfig[S any, I comparable] struct {
	// Listener accepts the connections of clients.
	Listener Listener
	// Joined makes a new player, or a bot: its first state, and the entity that shows it to others
	// (with a Transform3D and Replicated; the plugin sets its Owner), or the zero entity for a
	// spectator.
	// It runs between systems, so it may change the world's structure.
	Joined func(p *Player[S, I]) (S, arche.Entity)
	// Confirmed is called once for each player but bots, when its first packet has arrived: the
	// player has received the welcome. A player that leaves before that may not have received its
	// acceptance. The call comes before the player's first message.
	Confirmed func(p *Player[S, I])
	// Left is called when a player is removed for good, with the reason: a game saves the player's
	// progress here. The player's entity is despawned afterwards if it is still alive. When the
	// engine is closed, Left is called for all players, connected or expected back, with
	// transport.Shutdown, after their clients have been notified; their entities then stay in the
	// world. So one Left follows every Joined, unless the process ends without closing its engine.
	Left func(p *Player[S, I], reason Reason)
	// Message receives messages of players, between systems. The bytes are valid during the call.
	Message func(p *Player[S, I], data []byte, reliable bool)
	// Authenticate decides, inside the encrypted channel, whether a client may join. The client
	// shows an error's text and ends, unless the error has a method Temporary() bool that returns
	// true: then it tries again. Authenticate is also called when a player returns to its place
	// (JoinRequest.Resumes): with the token that it joined with, and, if it presents another one,
	// with that as well. Refuse then only players that have been banned since. Nil accepts every
	// client. Package access keeps invitations and bans; package host connects it.
	Authenticate func(c JoinRequest) error
	// Elsewhere looks for the place of a client that claims one which is not here, before
	// Authenticate is called. It returns the address of the server that has the place, at most 120
	// bytes, in a form that clients dial: then the connection is closed with transport.Moved and
	// that text. While asking is true, it is called again before each step and in each frame, and
	// the client waits, at most for HelloTimeout; then it is refused and tries again. With neither
	// the client joins as a new player. It must not block. Nil means that there are no other
	// servers.
	Elsewhere func(c JoinRequest) (at string, asking bool)
	// Relevant reports whether a player may be shown an entity, in addition to Interest. Nil means
	// that it may be shown all. No byte of a refused entity is sent to that player. With several
	// Workers it is called by several goroutines.
	Relevant func(p *Player[S, I], e arche.Entity) bool
	// Interest limits by distance the entities that a player is shown.
	Interest Interest
	// FirstTick is the tick of the engine's first step. Servers with parts of one world count their
	// ticks together. Install starts the engine there ([ecs.Engine.StartAt]), so the engine must
	// not have run.
	FirstTick Tick
	// FirstNumber and LastNumber bound the numbers of new players and bots, which are given in
	// turn; both zero means 1 and 65535. Servers with parts of one world give different numbers.
	// There must be at least MaxPlayers of them.
	FirstNumber, LastNumber uint16
	// NumberTaken reports that a player on another server has a number, so that it is not given to
	// a new player. Nil means that no other server has players of these numbers.
	NumberTaken func(number uint16) bool
	// SnapshotRate is the number of snapshots per second for each player; zero means 30, or the
	// tick rate if that is lower. Players may ask for fewer, down to MinSnapshotRate (zero means
	// 5). It does not change how fast the game runs.
	SnapshotRate, MinSnapshotRate int
	// Bandwidth is the most bytes of payload per second and player; zero means 64 KiB. A player
	// whose path carries less is sent less.
	Bandwidth int
	// Workers is the number of goroutines on which a step encodes and sends snapshots; zero means
	// one, which is the engine's own. The bytes are the same for any number. Use the number of
	// processors, if one is too slow for the players that the server has: a step of few players
	// gains nothing. With more than one, Relevant, Game.States, the codecs of components and match
	// states, and the Send of different connections run on several goroutines at the same time,
	// while the engine's waits. They may read the world, and must change nothing that another one
	// reads.
	Workers int
	// MaxPlayers is the most players, including those that are expected back and bots; zero means
	// 64. Further clients are refused with a reason.
	MaxPlayers int
	// MaxPerAddress is the most players of one address (of IPv6: of one /56, which is what a
	// customer gets), so that one person with a public link cannot take all places. Zero means a
	// quarter of MaxPlayers, at least 4; negative means any number. Addresses of this machine and
	// of private networks are not counted. Raise it if many play behind one address: a school, a
	// provider's NAT.
	MaxPerAddress int
	// Timeout is how long a silent connection is kept (zero: 22 s). Grace is how long its player is
	// expected back after that (zero: 30 s; negative: not at all).
	Timeout, Grace time.Duration
	// HelloTimeout is how long a connection may stay open without a hello; zero means 3 s.
	HelloTimeout time.Duration
	// InputMode selects when inputs run; the zero value is [OnTicks].
	InputMode InputMode
	// InputCredit is how much time a player may make up for at once after a silence, in the mode
	// [OnArrival]; zero means 100 ms, at most 2 s. The player loses the rest of a silence, which
	// its client corrects. A second is right for an ordered stream, on which each lost packet
	// causes a stall of a round trip, and of at least 200 ms. It is also how far a player can leap
	// by a deliberate silence. It counts as at least the interval between two of the player's
	// snapshots, 200 ms at 5 Hz: with less an honest player would lose time on a perfect line.
	InputCredit time.Duration
	// Kick is the policy for the removal of players that send too much.
	Kick prediction.Policy
	// Rewind is the most time that [Player.Rewind] goes back; zero means 500 ms, at most 2 s.
	Rewind time.Duration
	// RecordStates is how many times a second recordings hold the states of all players, which
	// [Client.State] then returns in a replay; zero means never. It is the one part of a recording
	// that no other player received in any form: all that get a file can read it.
	RecordStates int
	// Random makes secrets; nil means crypto/rand.Reader.
	Random io.Reader
	// Log receives a line for each join, leave and refusal. Beyond a number of lines per minute
	// they are counted instead, so that they do not fill a disk. Each network has a share of the
	// lines. Players that are kicked or have played for a minute have lines of their own, so that a
	// storm of refusals does not hide them. Nil means slog.Default().
	Log *slog.Logger
}

// complete puts in the defaults for a protocol. It returns an error that states what is wrong.
func (c *ServerConfig[S, I]) complete(p *Protocol[S, I]) error {
	if p == nil || c.Listener == nil || c.Joined == nil {
		return errors.New("netcode: a server needs a Protocol, a Listener and Joined")
	}
	c.SnapshotRate = cmp.Or(c.SnapshotRate, min(30, p.TickRate()))
	c.MinSnapshotRate = cmp.Or(c.MinSnapshotRate, min(5, c.SnapshotRate))
	c.Bandwidth = cmp.Or(c.Bandwidth, 64<<10)
	c.Workers = cmp.Or(c.Workers, 1)
	c.MaxPlayers = cmp.Or(c.MaxPlayers, 64)
	c.MaxPerAddress = cmp.Or(c.MaxPerAddress, max(4, c.MaxPlayers/4))
	if c.FirstNumber == 0 && c.LastNumber == 0 {
		c.FirstNumber, c.LastNumber = 1, math.MaxUint16
	}
	c.Timeout = cmp.Or(c.Timeout, longPatience)
	c.Grace = cmp.Or(c.Grace, 30*time.Second)
	c.HelloTimeout = cmp.Or(c.HelloTimeout, 3*time.Second)
	c.Rewind = cmp.Or(c.Rewind, 500*time.Millisecond)
	if c.Random == nil {
		c.Random = rand.Reader
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	switch rate := p.TickRate(); {
	case c.SnapshotRate < 1 || c.SnapshotRate > rate || c.SnapshotRate > 255:
		return fmt.Errorf("netcode: a snapshot rate of %d Hz; it must be between 1 and the tick rate of %d Hz", c.SnapshotRate, rate)
	case c.MinSnapshotRate < 1 || c.MinSnapshotRate > c.SnapshotRate:
		return fmt.Errorf("netcode: a least snapshot rate of %d Hz; it must be between 1 and the snapshot rate of %d Hz", c.MinSnapshotRate, c.SnapshotRate)
	case c.MaxPlayers < 1 || c.MaxPlayers > 4096:
		return fmt.Errorf("netcode: %d players; it must be between 1 and 4096", c.MaxPlayers)
	case c.FirstNumber < 1 || c.LastNumber < c.FirstNumber || int(c.LastNumber-c.FirstNumber)+1 < c.MaxPlayers:
		return fmt.Errorf("netcode: the numbers %d to %d for %d players; there must be a number above 0 for each", c.FirstNumber, c.LastNumber, c.MaxPlayers)
	case c.Workers < 1 || c.Workers > 256:
		return fmt.Errorf("netcode: %d Workers; it must be between 1 and 256", c.Workers)
	case c.Bandwidth < 1<<10:
		return fmt.Errorf("netcode: a bandwidth of %d bytes a second; it must be at least 1024", c.Bandwidth)
	case c.InputCredit < 0 || c.InputCredit > maxCredit:
		return fmt.Errorf("netcode: an InputCredit of %v; it must be between 0s and 2s", c.InputCredit)
	case c.InputMode > OnArrival:
		return fmt.Errorf("netcode: an InputMode of %d; use OnTicks or OnArrival", c.InputMode)
	case c.InputCredit > 0 && c.InputMode != OnArrival:
		return errors.New("netcode: an InputCredit is for the InputMode OnArrival; leave it zero for inputs on ticks")
	case c.RecordStates < 0 || c.RecordStates > rate:
		return fmt.Errorf("netcode: RecordStates of %d Hz; it must be between 0 and the tick rate of %d Hz", c.RecordStates, rate)
	case c.Timeout < 0 || c.HelloTimeout < 0 || c.Rewind < 0 || c.Rewind > 2*time.Second:
		return errors.New("netcode: time-outs must be positive, and Rewind at most 2 s")
	}
	return c.Interest.validate()
}
