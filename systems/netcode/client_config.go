package netcode

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// ClientConfig configures a [Client]. Dial and Input are required, or Replay instead. For every
// other field a zero value means the default that its comment states.
type ClientConfig[S any, I comparable] struct {
	// Dial makes a connection to the server. It is called at the start, and again after a
	// connection was lost.
	Dial func() (Conn, error)
	// DialAt makes a connection to the server at an address that another server has named: see
	// [Player.Move]. Check that it is one of the game's own, since that server is told the
	// player's secret. Nil keeps the client on the server of
	// Dial: it makes no visits, and finds no player that has moved.
	DialAt func(at string) (Conn, error)
	// Replay is a recording that the client plays instead of a match: see [Client.Replay]. Dial and
	// Input are left out then, and the other fields about connections and the own player have no
	// effect. Spawn is never asked for an owned entity. A recording of kind replay.Exact runs a
	// live client again: see [Client.Rerun].
	Replay *replay.Tape
	// Token is presented to the server's Authenticate. It has at most MaxToken bytes.
	Token []byte
	// Place brings back the player of an earlier process, with its number, its entity and its
	// state: the bytes that its [Client.Place] returned. To the server it costs as much as a join.
	// A client that still plays at this place is removed with the reason transport.Replaced, for
	// good. Messages under way are lost. If the server does not have the player any more (after
	// ServerConfig.Grace, a kick, or a restart), the client joins as a new player, and the server
	// finds the earlier one by [Player.PreviousResumeID]. Nil joins as a new player.
	Place []byte
	// Input returns the player's input for a step. It is called once for each predicted step, also
	// for a tick that was predicted before, after the clock was set back. The first input of such a
	// tick then stays, and Rules.Merge adds only presses to it. An input that holds a NaN counts as
	// the neutral one.
	Input func(t Tick) I
	// Spawn makes the entity for a replica. The entity needs a Transform3D, and a Visual3D to be
	// seen. If Spawn is nil, it is one with both. Owned reports whether the replica belongs to this
	// player: its body ([Client.Entity]) or something else. If Spawn returns the zero entity, the
	// replica is not shown. The server's pose replaces the one that Spawn gives it, with its scale:
	// a size of the picture alone belongs to the mesh. A replica that its Interpolation draws in
	// the past is spawned when the view reaches its first state, any other one when it arrives. An
	// Interpolation that Spawn adds takes effect from then on. For a shot of this player ([Shots])
	// Spawn is called in the step of the press, with NoEntity as the ID. The ID of the entity's
	// Replicated is set when the server's record arrives.
	Spawn func(w *arche.World, r Replicated, owned bool) arche.Entity
	// Removed is called before a replica is despawned. For a replica that is drawn in the past this
	// is when the view reaches its removal on the server. It is also called for a shot of this
	// player that the server has not fired.
	Removed func(w *arche.World, e arche.Entity)
	// Message receives the server's messages, during FixedUpdate. The bytes are valid during the
	// call.
	Message func(data []byte, reliable bool)
	// Changed is called when the client has joined, has lost the connection, and has ended.
	Changed func(status Status, reason Reason)
	// Interpolation draws replicas between snapshots, if they have no Interpolation of their own.
	// Zero selects the best one.
	Interpolation interp.Kind
	// Interpolators makes the interpolators of replicas. Nil means interp.New. Set it for kinds
	// that package interp does not have, such as those of package articles (articles.New).
	Interpolators func(interp.Kind, interp.Config) interp.Interpolator
	// SnapshotRate is the wanted rate of snapshots per second, 1 to 255. Zero leaves it to the
	// server.
	SnapshotRate int
	// ActionRate is the number of packets with inputs per second. Each carries all new inputs. Zero
	// means one packet per tick. The rate changes neither the simulated inputs nor their speed. It
	// must be at least a 16th of the tick rate: more inputs per packet would not survive the loss
	// of one. Messages do not wait for it: a step with a message to send sends a packet.
	ActionRate int
	// Redundancy bounds how many packets in a row the own player's clock expects to carry an input.
	// All but the last of them may be lost. Each one moves the own player one packet interval
	// further ahead, and the others see it later by as much. Within the bounds the number follows
	// the measured loss. Equal bounds fix it. A Min of zero means 1, a Max of zero means 6. At most
	// 32 are possible. It does not change what is sent: packets carry all inputs that are not
	// acknowledged.
	Redundancy Bounds[int]
	// Delay bounds how far behind the newest snapshots the others are shown, apart from the one-way
	// delay to the client and the step that both ends run ahead. Within the bounds the delay is
	// measured. Equal bounds fix it. A Max of zero means no bound.
	Delay Bounds[time.Duration]
	// Timeout is the longest silence before the client tries another connection (zero: 5 s), and
	// Retry is the pause before it does, and after a failed attempt (zero: 1 s). Until the silence
	// has lasted for 22 s the old connection is kept beside the new one, and the first of them to
	// receive something is used: a queue or an outage may hold data that would be lost otherwise. A
	// connection that is being made has 15 s, because the transport gives up earlier and reports
	// the reason.
	Timeout, Retry time.Duration
	// MaxSilence is how long the player is still steered after the server's last packet. From then
	// on the neutral input of Rules runs, and Input is not asked, until a packet arrives. The
	// server does the same when it receives no inputs: it repeats the last one for 12 ticks. So an
	// outage ends with a short correction. The same holds while the server reports that it receives
	// no inputs although its packets arrive. Zero means 500 ms, or 2 s if the server runs inputs
	// [OnArrival], which is the most that it makes up for. Negative means never. It counts as at
	// least four intervals between two snapshots, which are longer than 500 ms below 8 Hz.
	MaxSilence time.Duration
	// InputDelay is how many ticks after the present one the player's input runs, 0 to 16: in the
	// step of tick t Input is asked for t + InputDelay. The own player is simulated as much less
	// far ahead, so corrections are smaller. It stays at least two ticks ahead: a delay beyond that
	// only delays. [Player.Rewind] still goes back to the view at the press. If the server runs
	// inputs [OnArrival], it has no effect.
	InputDelay int
	// WithoutPrediction shows the own player at its state on the server. WithoutReconciliation
	// never corrects a prediction. Both are for demonstrations of these mechanisms.
	WithoutPrediction, WithoutReconciliation bool
	// Log receives the client's log lines. Nil means slog.Default().
	Log *slog.Logger
}

// Bounds are the least and the most of a value, both included. The field that uses them states the
// meaning of a zero.
type Bounds[T int | time.Duration] struct{ Min, Max T }

// maxBatch is the most new inputs in a packet. It is half of the inputs that a packet can carry, so
// that each is sent twice.
const maxBatch = prediction.MaxRedundancy / 2

// maxInputDelay is the most InputDelay, in ticks.
const maxInputDelay = 16

// complete fills in the defaults, or returns an error that states what is wrong.
func (c *ClientConfig[S, I]) complete(tickRate int) error {
	if len(c.Token) > MaxToken {
		return fmt.Errorf("netcode: a Token of %d bytes; use at most %d", len(c.Token), MaxToken)
	}
	if n := len(c.Place); n != 0 && n != placeSize {
		return fmt.Errorf("netcode: a Place of %d bytes; pass the %d bytes of Client.Place, or nil to join as a new player", n, placeSize)
	}
	if c.SnapshotRate < 0 || c.SnapshotRate > 255 {
		return fmt.Errorf("netcode: a SnapshotRate of %d Hz; use 0 to 255", c.SnapshotRate)
	}
	c.ActionRate = cmp.Or(c.ActionRate, tickRate)
	if least := (tickRate + maxBatch - 1) / maxBatch; c.ActionRate < least || c.ActionRate > tickRate {
		return fmt.Errorf("netcode: an ActionRate of %d Hz; use %d Hz to the tick rate of %d Hz", c.ActionRate, least, tickRate)
	}
	c.Timeout = cmp.Or(c.Timeout, 5*time.Second)
	c.Retry = cmp.Or(c.Retry, time.Second)
	if c.Timeout < 0 || c.Retry < 0 {
		return fmt.Errorf("netcode: a Timeout of %v and a Retry of %v; use times that are not negative, or 0 for the defaults", c.Timeout, c.Retry)
	}
	c.Redundancy.Min, c.Redundancy.Max = cmp.Or(c.Redundancy.Min, 1), cmp.Or(c.Redundancy.Max, max(6, c.Redundancy.Min))
	if b := c.Redundancy; b.Min < 1 || b.Max < b.Min || b.Max > prediction.MaxRedundancy {
		return fmt.Errorf("netcode: a Redundancy of %d to %d packets; use 1 to %d, the lesser one first", b.Min, b.Max, prediction.MaxRedundancy)
	}
	if c.InputDelay < 0 || c.InputDelay > maxInputDelay {
		return fmt.Errorf("netcode: an InputDelay of %d ticks; use 0 to %d", c.InputDelay, maxInputDelay)
	}
	if b := c.Delay; b.Min < 0 || b.Max != 0 && b.Max < b.Min {
		return fmt.Errorf("netcode: a Delay of %v to %v; use times that are not negative, the lesser one first, or a Max of zero for no bound", b.Min, b.Max)
	}
	if c.Interpolators == nil {
		c.Interpolators = interp.New
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return nil
}
