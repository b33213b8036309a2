// Package interp draws bodies that another machine simulates.
//
// A server sends snapshots of a body at 10 to 60 Hz. They arrive late, jittered, out of order,
// twice or not at all. From them an [Interpolator] computes a pose for every fixed step of this
// machine. A client of package netcode does all this itself. A program with a protocol of its own
// begins with [New], [NewPlayback] and [NewReference].
//
// Nothing here reads a clock, a socket or a world. Time is an argument, so a test runs hours of a
// bad network in a second.
//
// # Two kinds of time
//
// `now` is this machine's monotonic time. `view` is the server time to draw. [Delayed]
// interpolators need a view far enough in the past for a snapshot on either side of it.
// [Predictive] ones need the server's present. [Delay] measures how far in the past is far enough
// (loss, jitter, stalls), and [Playback] computes a view at that distance that never runs
// backwards.
//
// Sample the view once per fixed step, at the step's end, and write the result to the logical pose.
// Then a remote body and a local one take the same path to the screen, and a 10 Hz stream moves as
// smoothly as a 60 Hz one.
//
// # Which one
//
// Use [Default] for players and almost everything else. [OffsetDecay], [ProjectiveBlend],
// [RacerLinear] and [RacerSpline] show the present, at the price of errors whenever the body
// changes its motion: use them for bodies that players touch. [Linear], [EventBuffer], [Chase] and
// [Naive] are the algorithms of the articles on which this package is based. They are included for
// comparison. [Hermite] overshoots and is a negative control for tests. Package articles has more
// of these.
//
// # Where the algorithms come from
//
// Sample buffer, per-sample age: "Multiplayer Platformer Log #5 - Entity Interpolation". Chase and
// event buffer: "Champions of Mirra, Fluid Gameplay in an Online Environment". Racer: "Racer,
// Multiplayer - interpolation/prediction". Hermite segments and the decaying offset: G. Fiedler,
// "Snapshot Interpolation" and "State Synchronization". Projective velocity blending: C. Murphy,
// "Believable Dead Reckoning for Networked Games", Game Engine Gems 2. Bounded extrapolation:
// Valve's Source engine. The forgetting histogram of the delay: NetEq (WebRTC). Three things are
// this package's own: the histogram holds the ages of the newest snapshot, the delay weighs the
// costs of these ages, and a broken segment runs through the meeting point of its end tangents.
package interp
