// Package snapshot replicates a server's entities to its clients in packets that may be lost,
// doubled and reordered.
//
// # The parts
//
//   - [Schema] is what travels and how: resolutions and ranges ([Config]), and the component types
//     that a game registers ([Register], [Codec]). Both ends must have the same, which
//     [Schema.CheckHello] checks when they meet.
//   - [World] is the server's copy of what is replicated, in the numbers that travel, with the
//     recent revisions of each entity. All clients share it.
//   - [Encoder], one for each client, fills packets with what that client may see and does not have
//     yet. Encoders that run one after another may have a [Shared] in common, so that what changed
//     since a baseline is written once for all clients who have that one.
//   - [Decoder] is the client's copy.
//
// A client's inputs, which go the other way, are package prediction's. Nothing here knows an ECS, a
// socket or a clock: see [Encoder.Encode] for what the server does for each client and snapshot,
// and [Decoder.Decode] for the client's part. Packets, acknowledgements and messages are those of
// package packet.
//
// # Deltas
//
// An entity travels as the changes to a state that the client is known to have: its baseline.
// Baselines are per entity (not every entity is in every packet), they are the newest that the
// client has acknowledged, and they are the values that the client reconstructed, not those that
// the server quantised them from: so rounding does not add up. Positions are predicted from the
// baseline's velocity, and velocities from the way made since. What the baseline does not help with
// (too old, a jump) is sent in full. The ideas are those of G. Fiedler, "Snapshot Compression" and
// "State Synchronization", and of Quake 3's snapshots.
//
// # Spawns, despawns and everything else
//
// There is no stream of events beside the states: existence, owner, parent and components are parts
// of an entity's state, sent until acknowledged; see [Encoder] for why the slot of a dead entity
// can be used again at once. Messages of the game (chat, abilities) are not ordered with the
// states: one may name an entity that is not there yet.
//
// # Silence
//
// What does not change is not sent, and what changes may wait for room or be lost: silence says
// nothing by itself. A packet in which nothing waits says so, in one bit. With all packets that are
// still open to the server, [Decoder.Whole] knows from it that whatever has had no news stood
// still.
//
// # Memory and safety
//
// All memory is allocated at the start, from Config. Decoders believe nothing: whatever arrives,
// they neither panic nor allocate, and either apply a packet as a whole or nothing of it.
package snapshot
