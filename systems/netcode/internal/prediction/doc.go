// Package prediction shows a player the effect of its own actions at once. The server stays in
// charge of their result.
//
// # Client
//
// A [Predictor] runs the server's own step function ahead of the server. [Predictor.Advance] runs
// once per fixed step with the player's input. [Predictor.Reconcile] compares each authoritative
// state that arrives with the prediction for its tick. If the error is above the tolerance, it goes
// back to that state and replays the inputs since. Otherwise the prediction is kept. The newest
// [Pending] inputs are sent again with every packet until the server has acknowledged them
// ([Pending.Write]). How a correction is drawn is no part of this package: package interpolation
// fades it out of the picture.
//
// # Server
//
// The server runs inputs in one of two modes.
//
//   - On ticks, the default: a [Buffer] per client holds inputs until their tick. Exactly one runs
//     in each tick, so that no player can be faster than the clock. Missing inputs are repeated for
//     a while, then the input is neutral. Late inputs lose no button press.
//   - On arrival, as in Multiplayer Platformer Log #5: an [Arrivals] per client runs inputs as they
//     arrive, on a clock of the player's own. That clock may not pass the next network tick, nor
//     stay far behind it. Each snapshot states how old a player's state is.
//
// # Limits
//
// A press survives while its input is among the 32 newest and at most 32 ticks late: an outage of
// half a second at 60 Hz, less the slack. An action that must survive more than that (a purchase,
// an ability) is not an input. Send it as a reliable message, which is delivered at once and
// exactly once.
//
// This package reads no clock and no socket. Ids of inputs are ticks, which count up by one and
// survive the wrap of their 32 bits. A wall clock's time as an id (Champions of Mirra) fails when
// that clock is set. In steady state nothing allocates.
//
// # Sources
//
// Prediction with reconciliation: Y. Bernier, "Latency Compensating Methods in Client/Server
// In-game Protocol Design and Optimization", 2001, and Multiplayer Platformer Log #3. Inputs that
// are sent until acknowledged, a server that repeats the last one, and feedback to starving
// clients: "Overwatch Gameplay Architecture and Netcode", GDC 2017.
package prediction
