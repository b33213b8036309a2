package netcode

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// The types of other packages that a game names, so that one import is enough.
type (
	// Tick numbers a fixed step of the server. It wraps around; its method Sub returns distances.
	Tick = tick.Tick

	// Config holds what both ends of a [Protocol] agree on beside the game: the tick rate, the
	// number of entities, and the ranges and resolutions in which poses are sent. The zero value is
	// useful.
	Config = snapshot.Config
	// Grid is the range and the resolution of positions.
	Grid = snapshot.Grid
	// Range is the range and the resolution of velocities. Without a Max no velocities are sent.
	Range = snapshot.Range
	// EntityID names a replicated entity on both ends. The zero value, [NoEntity], names none.
	EntityID = snapshot.ID
	// EntityState is the motion of a replicated entity at a tick, relative to its parent if it has
	// one, else to the world.
	EntityState = snapshot.State

	// Writer packs bits into a buffer; bits that do not fit set its Err.
	Writer = packet.Writer
	// Reader takes bits out of bytes that may come from anywhere; its first error stays.
	Reader = packet.Reader
	// ComponentCodec packs a user's component. [StructComponent] makes one.
	ComponentCodec[T comparable] = snapshot.Codec[T]
	// InputCodec packs a player's input. [StructInput] makes one.
	InputCodec[I comparable] = prediction.Codec[I]
	// InputRules replace missing inputs, and merge two inputs for one tick.
	InputRules[I comparable] = prediction.Rules[I]

	// BodyGroup is the players and bodies that are stepped together. See [Bodies].
	BodyGroup[S any, I comparable, B any] = prediction.Group[S, I, B]
	// Body is a body of a [BodyGroup].
	Body[B any] = prediction.Body[B]
	// Actor is a player of a [BodyGroup].
	Actor[S any, I comparable] = prediction.Actor[S, I]

	// PacketStats counts the packets and bytes of a connection.
	PacketStats = packet.Stats
	// InputStats counts the inputs of a player in the mode [OnTicks].
	InputStats = prediction.BufferStats
	// ArrivalStats counts the inputs of a player in the mode [OnArrival].
	ArrivalStats = prediction.ArrivalStats
	// PathStats are the rate and the queue of the path to the other end.
	PathStats = congestion.Stats
	// RateCause is the cause that sets the rate of a path.
	RateCause = congestion.Cause

	// Conn is a connection that a transport has made.
	Conn = transport.Conn
	// Listener accepts the connections of a server.
	Listener = transport.Listener
	// Reason is the reason for the end of a connection.
	Reason = transport.Reason
)

// NoEntity is the [EntityID] of no entity.
const NoEntity = snapshot.None

// The causes of a rate.
const (
	RateFree    = congestion.Free    // nothing limits it
	RateQueue   = congestion.Queue   // own packets filled a queue
	RateLoss    = congestion.Loss    // packets were lost because of the rate
	RateShared  = congestion.Shared  // another flow keeps the queue filled
	RateSilence = congestion.Silence // nothing is acknowledged at present
)

// NewWriter returns a Writer that fills buf from its start.
func NewWriter(buf []byte) Writer { return packet.NewWriter(buf) }

// NewReader returns a Reader of buf.
func NewReader(buf []byte) Reader { return packet.NewReader(buf) }
