// Package snapshot replicates a server's entities to its clients in packets that may be lost,
// doubled and reordered.
//
// # The parts
//
//   - [Schema] describes what is sent: resolutions and ranges ([Config]), and the component types
//     that a game registers ([Register], [Codec]). Both ends must have the same, which
//     [Schema.CheckHello] checks when they meet.
//   - [World] is the server's copy of the replicated entities, in quantised numbers, with the
//     recent revisions of each. All clients share it.
//   - [Encoder], one for each client, fills packets with the changes that the client may see and
//     does not have yet. Encoders that run one after another may have a [Shared] in common, so that
//     the changes since a baseline are written once for all clients that have that baseline.
//   - [Decoder] is the client's copy.
//
// A client's inputs belong to package prediction. This package uses no ECS, socket or clock. See
// [Encoder.Encode] for the server's part and [Decoder.Decode] for the client's. Packets,
// acknowledgements and messages belong to package packet.
//
// # Deltas
//
// An entity is sent as the changes to an acknowledged state: its baseline. Baselines are per
// entity, since not every entity is in every packet. A baseline is the newest state that the client
// has acknowledged. It holds the values that the client reconstructed, not those that the server
// quantised them from, so rounding does not add up. Positions are predicted from the baseline's
// velocity, and velocities from the distance covered since. A state for which the baseline is of no
// use (too old, a jump) is sent in full. The ideas are those of G. Fiedler, "Snapshot Compression"
// and "State Synchronization", and of Quake 3's snapshots.
//
// # Spawns, despawns and everything else
//
// There is no stream of events beside the states. Existence, owner, parent and components are parts
// of an entity's state and are sent until acknowledged. [Encoder] explains why the slot of a
// removed entity can be used again at once. Messages of the game (chat, abilities) are not ordered
// with the states: one may name an entity that the client does not have yet.
//
// # Silence
//
// An entity that does not change is not sent, and a change may wait for room or be lost. So the
// absence of a record means nothing by itself. One bit of a packet states that no change waits.
// From that bit and the arrival of all packets that are open on the server, [Decoder.Whole]
// concludes that entities without a record stood still.
//
// # Memory and safety
//
// All memory is allocated at the start, from Config. Decoders accept any input: they neither panic
// nor allocate, and they apply a packet as a whole or not at all.
package snapshot
