// Package clocksync keeps a client's clocks in step with a server. It computes the server's time,
// the tick to simulate now, and how far ahead the client has to run for its inputs to arrive in
// time.
//
// All times are time.Durations since some monotonic epoch and are passed in. Nothing here reads a
// clock. So a test runs hours of bad network in a second, and a jump of the wall clock has no
// effect. Everything is deterministic and allocates nothing once created.
//
// There are three time lines:
//
//   - local time: the monotonic clock of this machine;
//   - server time: the server's time line, on which state k is the state at edge(k) ([Grid]);
//   - engine time: the local time that the engine has consumed, stretched.
//
// # The clocks
//
//   - [Reference] estimates server time from local time, by pings with four stamps. The estimate
//     may step.
//   - [Simulation] maps engine ticks to server ticks and stretches the engine's time by at most 5
//     %, towards reference + lead. It jumps by whole ticks, with an event, only after a stall or an
//     error that is too large for stretching.
//   - [Lead], with the reports of the server's [AgeMeter], finds the lead from how early inputs
//     arrive.
//   - [Client] puts these together.
//
// Package interp decides at which time remote entities are drawn.
//
// # Limits
//
//   - No exchange shows which direction is the slower one. So the reference is off by up to half of
//     the difference between them. The lead is measured against the same reference, so the error
//     cancels out.
//   - The server must stamp with the time line that its ticks are on. When the server loses time to
//     a stall, its clock steps. The reference follows within a second of answers.
//   - Answers must be stamped when they arrive, not in the frame that reads them. Otherwise half of
//     the wait counts as an offset.
//   - Drift beyond 2500 ppm (configurable) is not followed smoothly.
package clocksync
