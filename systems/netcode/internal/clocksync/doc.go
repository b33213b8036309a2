// Package clocksync keeps a client's clocks in step with a server. It tells the server's time, the
// tick to simulate now, and how far ahead to run so that inputs arrive in time.
//
// All times are time.Durations since some monotonic epoch and are passed in. Nothing here reads a
// clock, so hours of bad network run in a second of test, and a jump of the wall clock does no
// harm. Everything is deterministic and allocates nothing once created. There are three time lines:
//
//   - local time: the monotonic clock of this machine;
//   - server time: the server's time line, on which state k is the state at edge(k) ([Grid]);
//   - engine time: what the engine has consumed of local time, stretched.
//
// # The clocks
//
//   - [Reference] estimates server time from local time by pings with four stamps. It may step.
//   - [Simulation] maps engine ticks to server ticks and stretches the engine's time by at most 5
//     %, towards reference + lead. It jumps by whole ticks, with an event, only after a stall or an
//     error that is too large for stretching.
//   - [Lead], with the reports of the server's [AgeMeter], finds the lead from how early inputs
//     arrive.
//   - [Client] puts these together.
//
// Package interp decides at which time remote entities are drawn.
//
// # What to know
//
//   - No exchange can tell which direction is the slower one. So the reference is off by up to half
//     of the difference. The lead is measured against the same reference, so the error cancels out.
//   - The server must stamp with the time line that its ticks are on. When it loses time to a
//     stall, its clock steps, and the reference follows within a second of answers.
//   - Answers must be stamped when they arrive, not in the frame that reads them. Else half of the
//     wait counts as an offset.
//   - Drift beyond 2500 ppm (configurable) is not followed smoothly.
package clocksync
