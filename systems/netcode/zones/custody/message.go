package custody

// kind says what a message is.
type kind uint8

const (
	commit kind = 1 + iota // sender to receiver: the entity is yours, at this hop
	taken                  // receiver to sender: it is in my memory
	saved                  // receiver to sender: it is in my checkpoint
	refuse                 // receiver to sender: I do not want it; a commit that must be taken
	done                   // sender to receiver: hand-overs below this stamp are over
	ask                    // from a zone that begins: which entities do you know?
	answer                 // to it: these
	kinds
)

// Message goes from a zone to another one. It may be lost, repeated, and overtaken by others. The
// caller reads To for the way and sends the bytes of Append.
type Message struct {
	From, To Process

	kind  kind
	name  Name   // commit, refuse, taken, saved
	hop   hop    // the same
	stamp stamp  // commit, refuse: its own; done: the lowest that is not over; answer: the next one
	state []byte // commit, refuse: what is carried

	round  uint32    // ask, answer: counts up when the asker must begin anew
	after  Name      // ask, answer: the claims of names behind this one
	gone   []Process // ask: processes that are over
	claims []claim   // answer: by rising names
	more   bool      // answer: there are more names behind the last one
}

// Gives returns the entity that the message gives to the process that it is for. False means that
// it gives none.
func (m Message) Gives() (n Name, ok bool) { return m.name, m.kind == commit || m.kind == refuse }

// standing says how a zone stands to an entity that it knows.
type standing uint8

const (
	owns  standing = 1 + iota // it has the entity
	sent                      // it has committed the entity to a third zone and keeps a copy
	yours                     // it has committed the entity to the zone that asks and keeps a copy
	knows                     // it has no copy, and knows that this hop is past
	standings
)

// claim is one line of an answer.
type claim struct {
	name     Name
	hop      hop
	standing standing
}
