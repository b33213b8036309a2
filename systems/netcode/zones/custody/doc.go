// Package custody decides which zone of a world owns an entity, also when messages are lost, repeated
// or reordered, and when processes crash and begin again from a checkpoint.
//
// A zone is a server. It simulates the entities that it owns. A Ledger is the zone's knowledge of
// what it owns and of what it gave away. It is a pure state machine: the caller carries its messages,
// writes its checkpoints, and asks its lease before each step.
//
// # A hand-over
//
// An entity has a name for ever and a hop, which each hand-over counts up. The copy with the highest
// hop is the right one. A gives an entity to B:
//
//	A                                B
//	|-- commit name, hop, state ---->|  A owns it no more and keeps a copy
//	|<------------------ taken ------|  B owns it, in memory; A repeats no more
//	|<------------------ saved ------|  B's checkpoint has it; A drops its copy
//	|-- done, all below a stamp ---->|  A's checkpoint has no copy; B forgets the hop
//
// In the place of simulating the entity, B may send it back by refuse, which is a commit that A must
// take. A by itself never takes back what it committed: it cannot know that the commit is lost.
//
// Each of the four steps has its reason:
//
//   - A repeats commit until taken, so a loss does no harm. B knows the hop, so a repetition does no
//     harm.
//   - A keeps the copy until saved: a crash of B brings B back to a checkpoint without the entity, and
//     A sends it again.
//   - B knows the hop until done, also if it has handed the entity on or removed it: a crash of A brings
//     A back to a checkpoint in which A owns the entity or is sending it. A asks B, and B knows better.
//     This holds for a zone that is down for hours: nobody forgets what it may come back with.
//   - Done names a stamp. A numbers its hand-overs by stamps that only grow. B needs to remember
//     nothing of those below: a commit of one that comes late is refused by its stamp. So what a zone
//     remembers is bounded by what is under way, and in a calm phase it is nothing.
//
// Saved and done are sent anew after each checkpoint, and need no repetition of their own.
//
// # A beginning
//
// A zone that begins, from a checkpoint or from nothing, takes a new epoch. Each message names the
// process that sends it and the one that it is for, by zone and epoch. Older ones are refused.
//
//	R                                each other zone
//	|-- ask ------------------------>|  from now on it refuses R's former processes
//	|<----- answer: names, hops -----|  owned, in flight, or known
//
// R simulates nothing until all have answered. From an answer R learns:
//
//   - Owned at hop h: drop a copy that is lower. Know h-1.
//   - In flight at hop h: drop a copy that is lower. Know h-1, since nobody knows whether hop h has
//     arrived. If it is for R, R must take it.
//   - Known at hop h: drop a copy that is lower. Know h.
//
// R needs this knowledge since it may have taken an entity after its checkpoint and handed it on. The
// sender still has a copy and sends it again. R forgets it when each zone has said done for all that
// it sent before its answer.
//
// # No answer
//
// A zone without a lease is not waited for. Its lease is over when it has stopped for certain (see
// Lease), and its process never simulates again: it takes a new epoch. R asks the others again and
// names it, so that they refuse its messages that are still under way. Then R raises the hop of all
// that it owns by a large step. If the missing zone comes back with entities that it had from R, its
// hops are lower. What it did with them is lost. That takes two faults within one period of
// checkpoints.
//
// One case is open. R took an entity from a third zone after its checkpoint, handed it to the missing
// zone, and then both crashed. The third zone sends its copy again, R takes it without the step, and
// the missing zone comes back with a higher hop: two owners. An operator who would rather wait does
// not call Gone: without it no number of faults gives an entity two owners in the model.
//
// # What holds
//
// At any time at most one process simulates an entity, but for the case above. If faults come one at a time, which means that
// all zones have saved in between, no entity is lost, and none that was removed comes back. A crash
// undoes what its zone did since its last checkpoint: makings and removals, too.
//
// The tests play this with a model, and show that it fails without each of the rules.
package custody
