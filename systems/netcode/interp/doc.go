// Package interp draws bodies that another machine simulates.
//
// A server sends snapshots of a body at 10 to 60 Hz; they arrive late, jittered, out of order,
// twice or not at all. From them an [Interpolator] makes a pose for every fixed step of this
// machine. Nothing here reads a clock, a socket or a world: time is an argument, so that hours of a
// bad network run in a second of test.
//
// # Two kinds of time
//
// `now` is this machine's monotonic time. `view` is the server time to draw. Interpolators that are
// [Kind.Delayed] want a view far enough in the past for a snapshot on either side of it; the others
// predict ([Kind.Predictive]) and want the server's present. [Delay] measures how far in the past
// is far enough (loss, jitter, stalls), [Playback] turns that into a view that only ever runs
// forwards, and [Mirror] is the timing of Mirror's snapshot interpolation, kept for comparison.
//
// The view must be sampled once per fixed step, at the step's end, and the result written to the
// logical pose: then a remote body and a local one take the same path to the screen, and a 10 Hz
// stream moves as smoothly as a 60 Hz one.
//
// # Which one
//
// [Default] for players and almost everything else. [OffsetDecay], [ProjectiveBlend], [RacerLinear]
// and [RacerSpline] show the present, at the price of errors whenever the body changes its mind:
// for bodies that one may touch. [Linear], [EventBuffer], [Chase] and [Naive] are there because the
// articles that this package grew out of describe them and people compare them. [SeedLinear],
// [SeedChase], [SeedRacer] and [Hermite] keep known faults and exist as negative controls for
// tests; each says which.
//
// # Where the algorithms come from
//
// Buffer, per-sample age: "Multiplayer Platformer Log #5 - Entity Interpolation". Chase and event
// buffer: "Champions of Mirra, Fluid Gameplay in an Online Environment". Racer: "Racer, Multiplayer
// - interpolation/prediction". Hermite segments and the decaying offset: G. Fiedler, "Snapshot
// Interpolation" and "State Synchronization". Projective velocity blending: C. Murphy, "Believable
// Dead Reckoning for Networked Games", Game Engine Gems 2. Bounded extrapolation: Valve's Source
// engine. The forgetting histogram of the delay: NetEq (WebRTC); that it holds the ages of the
// newest snapshot, what they cost, and the meeting point of the end tangents are this package's
// own.
package interp
