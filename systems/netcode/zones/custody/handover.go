package custody

import (
	"fmt"
	"maps"
	"slices"
)

// MaxState is the most bytes of state that a hand-over carries.
const MaxState = 1 << 16

// kept is the sender's copy of an entity that it has committed. The sender never simulates it again
// by itself: nobody can know that the commit has not arrived.
type kept struct {
	hop   hop
	to    Zone
	stamp stamp
	state []byte
	back  bool  // it was refused: the receiver must take it
	taken Epoch // the receiver's epoch that has it in memory; not in checkpoints
}

// receipt is the receiver's note that a hand-over has come. It answers repetitions, and it tells
// the sender that its copies are old, if the sender is restored from a checkpoint. So it stays
// until the sender says done.
type receipt struct {
	from  Zone
	stamp stamp
	hop   hop
	since uint64 // the first checkpoint that has it; 0: the one that was restored
}

// Commit gives an entity to another zone, with its state of now. The zone does not own it from here
// on. The ledger keeps the state, which is the caller's no more.
func (l *Ledger) Commit(n Name, to Zone, state []byte) {
	l.mustOwn("Commit", n)
	if l.peers[to] == nil {
		panic(fmt.Sprintf("custody: Commit to zone %d, which Open was not told of", to))
	}
	if len(state) > MaxState {
		panic(fmt.Sprintf("custody: Commit with %d bytes of state; at most %d: carry less", len(state), MaxState))
	}
	l.hand(n, kept{hop: l.owned[n] + 1, to: to, state: state})
	delete(l.owned, n)
}

// hand begins a hand-over.
func (l *Ledger) hand(n Name, c kept) {
	c.stamp = l.next
	l.next.count++ // 4 billion in one epoch are 130 years at one a second
	l.copies[n] = c
	l.sendCommit(n)
}

func (l *Ledger) sendCommit(n Name) {
	c := l.copies[n]
	m := Message{kind: commit, name: n, hop: c.hop, stamp: c.stamp, state: c.state}
	if c.back {
		m.kind = refuse
	}
	l.send(c.to, m)
}

// Repeat sends again what has not been answered: questions, and commits. The caller repeats it a
// few times a second.
func (l *Ledger) Repeat() {
	if !l.Active() {
		l.repeatQuestions()
		return
	}
	for _, n := range sorted(l.copies) {
		// A receiver that was restored since may have lost what it took, so its epoch counts.
		if c := l.copies[n]; c.taken != l.peers[c.to].epoch {
			l.sendCommit(n)
		}
	}
}

// receiveCommit takes an entity once. A refusal is a hand-over of its own in the other direction,
// so it is as safe as one. The sender has to take it: else the two would send it to and fro.
func (l *Ledger) receiveCommit(m Message) {
	from := m.From.Zone
	if !l.Active() || m.stamp.before(l.peers[from].floor) && l.omit != omitStamps {
		return // below the floor: a late repetition of what is long over
	}
	h := m.hop
	if c := l.coming[m.name]; c == (coming{from, h}) {
		h += leap
		delete(l.coming, m.name)
	}
	if own := l.owned[m.name]; own != 0 && own < h && l.omit == 0 {
		return // forged: to send it, a zone has to have it
	}
	isNew := l.seen(m.name) < h || l.omit == omitHops
	reply := taken
	if l.note(m) <= l.written {
		reply = saved
	}
	l.send(from, Message{kind: reply, name: m.name, hop: m.hop})
	if !isNew {
		return
	}
	delete(l.copies, m.name) // it has come back: what was sent is older
	if h > m.hop && len(l.marks) > 0 {
		l.heard[m.name] = h
	}
	if m.kind == commit && l.Accept != nil && !l.Accept(m.name, m.state) {
		l.hand(m.name, kept{hop: h + 1, to: from, state: m.state, back: true})
		return
	}
	l.owned[m.name] = h
	l.arrived = append(l.arrived, Entity{m.name, m.state})
}

// note writes the receipt of a commit, and returns the first checkpoint that has it. There is one
// receipt of each sender: it keeps the higher hop, and stays until the later stamp is over.
func (l *Ledger) note(m Message) (since uint64) {
	all := l.receipts[m.name]
	i := slices.IndexFunc(all, func(r receipt) bool { return r.from == m.From.Zone })
	if i < 0 {
		i, all = len(all), append(all, receipt{from: m.From.Zone})
		l.receipts[m.name] = all
	}
	if r := &all[i]; r.hop < m.hop || r.stamp.before(m.stamp) {
		r.hop, r.since = max(r.hop, m.hop), l.made+1
		if r.stamp.before(m.stamp) {
			r.stamp = m.stamp
		}
	}
	return all[i].since
}

// receiveReply is the sender's side: the copy goes when the receiver has it in a checkpoint.
func (l *Ledger) receiveReply(m Message) {
	c, found := l.copies[m.name]
	if !found || c.hop != m.hop || c.to != m.From.Zone {
		return // a repetition
	}
	if m.kind == saved || l.omit == omitCopies {
		delete(l.copies, m.name)
		return
	}
	c.taken = m.From.Epoch
	l.copies[m.name] = c
}

// receiveDone forgets the receipts of hand-overs that are over. From here on the sender has no
// checkpoint with a copy, and its late commits are below the floor.
func (l *Ledger) receiveDone(m Message) {
	from := m.From.Zone
	p := l.peers[from]
	if !p.floor.before(m.stamp) {
		return
	}
	p.floor = m.stamp
	for n, all := range l.receipts {
		all = slices.DeleteFunc(all, func(r receipt) bool { return r.from == from && r.stamp.before(p.floor) })
		if l.receipts[n] = all; len(all) == 0 {
			delete(l.receipts, n)
		}
	}
	if mark, waits := l.marks[from]; waits && !p.floor.before(mark) {
		delete(l.marks, from)
		maps.DeleteFunc(l.coming, func(_ Name, c coming) bool { return c.from == from })
	}
	l.forgetHeard()
}
