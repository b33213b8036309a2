// Package articles holds the algorithms of five articles as published, with their faults. They are
// for comparison, and are the negative controls of tests. The product uses none of them.
// docs/articles.md lists where the corrected forms are.
//
// # Multiplayer Platformer Log #5
//
//   - [PLL] is its phase-locked loop (TimeSyncer) and its update loop (moveSimulation). [TickPLL]
//     and [Stepper] are the corrected forms of these two, for programs that synchronise by arrivals
//     alone.
//   - [SeedLinear] is its PositionCircularBuffer.
//
// # Multiplayer Platformer Log #3
//
//   - [Pending] is its list of inputs that the server has not applied, and [Replay] replays them.
//   - [ErrorOffset] hides corrections behind an offset that decays, in any [Space].
//
// # Racer, Multiplayer: interpolation and prediction
//
//   - [RequestAck] is its exchange of clocks.
//   - [SeedRacer] is its PredictLinear.
//
// # Champions of Mirra
//
//   - [SeedChase] is its chase at the player's speed.
//   - [Pending] is also its pendingPlayerInputs.
//
// # Not from the articles
//
// [MirrorEngine] is the timing of Mirror's snapshot interpolation. [View] draws behind a reference
// clock, while package interp measures its delay by arrivals alone. The conformance tests compare
// both with the product.
//
// The fifth article, the Emergence devlog, is about transforms. Its chase from the last visual pose
// is a negative control in the tests of package interpolation.
//
// # Kinds of interpolation
//
// [Kinds], [New], [ParseKind], [Name] and [Display] cover the kinds of package interp and those of
// this package. A client of package netcode draws by them when ClientConfig.Interpolators is [New].
//
// All times are time.Durations since some monotonic epoch and are passed in. Nothing here reads a
// clock, and nothing but the list of [Pending] allocates once it is created.
package articles

import "github.com/tandem-ecs/tandem/systems/netcode/internal/tick"

// Tick numbers a fixed step of the server. It is the same type as netcode.Tick.
type Tick = tick.Tick
