// Package prediction lets a player see his own actions at once, and lets the server stay in charge
// of what they do.
//
// # Client
//
// A [Predictor] runs the server's own step function ahead of the server: [Predictor.Advance] once
// per fixed step with the player's input, then [Predictor.Reconcile] with each authoritative state
// that arrives, which goes back to it and replays the inputs since. Its [Pending] inputs are sent
// again with every packet until the server has acknowledged them ([Pending.Write]). What a
// correction moved is drawn away gradually by an error offset, which is never part of the
// simulated state.
//
// # Server
//
// Inputs are run in one of two modes.
//
//   - On ticks, the default: a [Buffer] per client holds inputs until their tick, and exactly one
//     runs in each, so that nobody can be faster than the clock. Missing ones are repeated for a
//     while, then neutral; late ones lose no button press.
//   - On arrival, as in Multiplayer Platformer Log #5: an [Arrivals] per client runs them as they
//     come, on a clock of the player's own that may not pass the next network tick, nor stay far
//     behind it. How old a player's state is goes with each snapshot.
//
// # Limits
//
// A press survives while its input is among the 32 newest and at most 32 ticks late: an outage of
// half a second at 60 Hz, less the slack. What must survive more than that (a purchase, an ability)
// goes as a reliable message, at once and exactly once, not as an input.
//
// Nothing here reads a clock or a socket. Ids of inputs are ticks, which count up by one and
// survive the wrap of their 32 bits; a wall clock's time as an id (Champions of Mirra) comes apart
// when that clock is set. In steady state nothing allocates.
//
// # Sources
//
// Prediction with reconciliation: Y. Bernier, "Latency Compensating Methods in Client/Server
// In-game Protocol Design and Optimization", 2001, and Multiplayer Platformer Log #3. Inputs that
// are sent until acknowledged, a server that repeats the last one, and feedback to starving
// clients: "Overwatch Gameplay Architecture and Netcode", GDC 2017.
package prediction
