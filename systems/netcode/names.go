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
	// Tick numbers a fixed step of the server. It wraps around. So t.Sub(u) is the distance from u
	// to t in ticks (an int32), t.Add(n) is n ticks later, and t.IsNewer(u) compares.
	Tick = tick.Tick

	// Config holds what both ends of a [Protocol] agree on beside the game: the tick rate, the
	// number of entities, and the ranges and resolutions in which poses are sent. The zero value is
	// useful. Its fields: Version counts the builds of the game that cannot play together; TickRate
	// is 60 if it is zero; MaxEntities is 4096 if it is zero; Position is the [Grid] of positions,
	// 1/512 from -1024 to 1024 if it is zero; RotationBits (11 if it is zero), and the [Range]
	// Velocity and Angular, none if they are zero, set what is sent of rotations and velocities;
	// History (32) and Revisions (64) are how many states are kept as baselines.
	Config = snapshot.Config
	// Grid is the range and the resolution of positions: Min and Max (mgl32.Vec3), and Resolution
	// in units of length.
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
	// InputRules replace missing inputs, and merge two inputs for one tick. Their fields:
	//
	//	Neutral I                        // the input of a player that touches nothing
	//	Repeat  func(last I) I           // replaces a missing input: leaves presses out of the last one
	//	Merge   func(into, presses I) I  // adds the presses of an input that came too late
	//
	// The zero value repeats the last input as it is, and loses presses that come too late.
	InputRules[I comparable] = prediction.Rules[I]

	// BodyGroup is the players and bodies that are stepped together: Players, an [Actor] each, and
	// Bodies, a [Body] each, both in the same order on both ends. See [Bodies].
	BodyGroup[S any, I comparable, B any] = prediction.Group[S, I, B]
	// Body is a body of a [BodyGroup]: its ID, as [MovementBase] takes it, its Archetype,
	// and its State, which the step changes.
	Body[B any] = prediction.Body[B]
	// Actor is a player of a [BodyGroup]: its Number, a pointer to its State, which the step may
	// change, and the Input that ran in the tick.
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
