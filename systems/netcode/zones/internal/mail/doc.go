// Package mail delivers messages to entities exactly once, over crashes of the sender's and the
// receiver's zone: for money and items.
//
// A letter is written to an entity, in whichever zone it is. Two rules make it arrive once:
//
//   - The sender sends a letter when a checkpoint has it, with its cause. A crash before that undoes
//     both. It sends the letter again until it is acknowledged.
//   - The memory of what was delivered is part of the entity's state: Receipts. It goes with the
//     entity in hand-overs and checkpoints, so it is undone when the effect is, and only then. A
//     zone acknowledges a letter when a checkpoint has the entity with the receipt.
//
// A receipt is forgotten when its sender's floor has passed it: no process of the sender can send
// the letter again, since its newest checkpoint has it no more.
//
// The package is a state machine without a clock and a socket, as custody is.
package mail
