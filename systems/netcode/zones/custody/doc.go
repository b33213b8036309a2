// Package custody decides which zone of a world owns an entity, also when messages are lost,
// repeated or reordered, and when processes crash and begin again from a checkpoint.
//
// A zone is a server. It simulates the entities that it owns. A Ledger is the zone's knowledge of
// what it owns and of what it gave away. It is a pure state machine: the caller carries its
// messages, writes its checkpoints, and asks its lease before each step.
//
// # A hand-over
//
// An entity has a name for ever and a hop, which each hand-over counts up. The copy with the
// highest hop is the right one. A gives an entity to B:
//
//	A                                B
//	|-- commit name, hop, state ---->|  A owns it no more and keeps a copy
//	|<------------------ taken ------|  B owns it, in memory; A repeats no more
//	|<------------------ saved ------|  B's checkpoint has it; A drops its copy
//	|-- done, all below a stamp ---->|  A's checkpoint has no copy; B forgets the hop
//
// In the place of simulating the entity, B may send it back by refuse, which is a commit that A
// must take. A by itself never takes back what it committed: it cannot know that the commit is
// lost.
//
// Each of the four steps has its reason:
//
//   - A repeats commit until taken, so a loss does no harm. B knows the hop, so a repetition does
//     no harm.
//   - A keeps the copy until saved: a crash of B brings B back to a checkpoint without the entity,
//     and A sends it again.
//   - B knows the hop until done, also if it has handed the entity on or removed it: a crash of A
//     brings A back to a checkpoint in which A owns the entity or is sending it. A asks B, and B
//     knows better. This holds for a zone that is down for hours: nobody forgets what it may come
//     back with.
//   - Done names a stamp. A numbers its hand-overs by stamps that only grow. B needs to remember
//     nothing of those below: a commit of one that comes late is refused by its stamp. So what a
//     zone remembers is bounded by what is under way, and in a calm phase it is nothing.
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
// If another zone crashes while R asks, R asks all of them anew. An entity that the crashed process
// had sent may have come to a zone after its answer, and the new process knows nothing of it. Each
// question names the processes that are over, and they are refused from the answer on.
//
// R needs this knowledge since it may have taken an entity after its checkpoint and handed it on.
// The sender still has a copy and sends it again. R forgets it when each zone has said done for all
// that it sent before its answer.
//
// # No answer
//
// A zone without a lease need not be waited for. Its lease is over when it has stopped for certain
// (see Lease), and its process never simulates again: it takes a new epoch. Gone says so. R asks
// the others anew, which refuse that process from then on. If the missing zone comes back with
// entities that it had from R, it must give way. So R raises the hop of all that it goes on with by
// a large step: of what it owns, and of what was in flight to it when it began. R may have had the
// latter already, and handed it to the missing zone. R claims the raised hop from its first step
// on, before the entity has come. All that the missing zone did with these is lost, removals too.
//
// # What is promised
//
//   - At any time at most one process simulates an entity.
//   - One fault at a time, which means that all zones have saved in between: no entity is lost, and
//     none that was removed comes back. A crash undoes what its zone did since its last checkpoint:
//     makings and removals, too.
//   - Two crashes within one period of checkpoints may lose an entity that was handed over in it,
//     and what they undo may bring a removed one back. None has two owners.
//   - Of more faults that meet, the model shows the same as of two. No proof covers them. Gone said
//     again and again within one period of checkpoints, by zones that hand on the same entity in
//     between, can give it two owners: the steps are equal, and the later one is not the higher.
//
// The tests play this with a model, and show that it fails without each of the rules.
package custody
