// Package clocksync keeps a client's clocks in step with a server: what time it is there, which
// tick to simulate now, how far ahead to run so that inputs arrive in time, and which moment of the
// remote world to draw.
//
// All times are time.Durations since some monotonic epoch and are passed in; nothing here reads a
// clock, so hours of bad network run in a second of test, and a jump of the wall clock has no way
// in. Everything is deterministic and allocates nothing once created. Three time lines meet:
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
//     error that stretching is no good for.
//   - [Lead], with the reports of the server's [AgeMeter], finds the lead from how early inputs
//     arrive.
//   - [View] is the time at which remote entities are drawn: reference less a delay, at 0.9 to 1.1
//     of real time.
//   - [Client] puts these together but for the view, whose delay the buffers of the remote entities
//     decide.
//
// # As published
//
// [PLL] is the phase-locked loop of Multiplayer Platformer Log #5 and [RequestAck] the exchange of
// the Racer multiplayer page, each as its author has it: they are the negative controls of the
// conformance cases. [TickPLL] and [Stepper] are the former's two halves mended, for those who want
// to synchronise by arrivals alone.
//
// # What to know
//
//   - No exchange can tell which direction is the slower one: the reference is off by up to half of
//     the difference. Lead and delay are measured against the same reference, so the error cancels
//     out of both.
//   - The server must stamp with the time line that its ticks are on. When it loses time to a
//     stall, its clock steps, and the reference follows within a second of answers.
//   - Answers have to be stamped when they arrive, not when a frame looks at them: half of the wait
//     would pass for an offset.
//   - Drift beyond 2500 ppm (configurable) is not followed smoothly.
package clocksync
