package custody

// maxClaims is the most claims of one answer. More come with the next question.
const maxClaims = 1000

// asking is the state of a zone that begins: it simulates nothing until all others have answered,
// or have no lease. Only they know what it did between its last checkpoint and its end.
type asking struct {
	round   uint32
	waiting map[Zone]Name  // how far each one's claims have come, by names
	gone    map[Zone]Epoch // these have no lease
	coming  map[Name]coming
}

// coming is what another zone has committed to this one before it began. This one may have had it
// already, and handed it on to a zone that is gone.
type coming struct {
	from Zone
	hop  hop
}

// ask begins to wait for all other zones.
func (l *Ledger) ask() {
	l.asking = &asking{waiting: map[Zone]Name{}, gone: map[Zone]Epoch{}, coming: map[Name]coming{}}
	for z := range l.peers {
		l.asking.waiting[z] = 0
	}
	l.repeatQuestions()
	l.begin()
}

func (l *Ledger) repeatQuestions() {
	for _, z := range sorted(l.asking.waiting) {
		m := Message{kind: ask, round: l.asking.round, after: l.asking.waiting[z]}
		for _, o := range sorted(l.peers) {
			if e := l.peers[o].epoch; o != z && e > 1 {
				m.gone = append(m.gone, Process{o, e - 1})
			}
		}
		l.send(z, m)
		l.outbox[len(l.outbox)-1].To.Epoch = 0 // whichever process runs the zone now
	}
}

// Gone says that a process has no lease any more, so that no answer of it is needed. It must be the
// newest one of its zone: the store has the epoch and the lease in one record. It has no effect on
// an active zone, nor if it is said again.
//
// All others are asked anew, and refuse what the process has sent from then on. Its work since its
// last checkpoint is lost, also on the entities that it had from this zone.
func (l *Ledger) Gone(p Process) {
	a := l.asking
	if a == nil || l.peers[p.Zone] == nil || p.Epoch < l.peers[p.Zone].epoch {
		return // a newer process runs the zone, and will answer
	}
	if a.gone[p.Zone] == p.Epoch {
		return // said already
	}
	delete(a.waiting, p.Zone)
	a.gone[p.Zone] = p.Epoch
	l.peers[p.Zone].epoch = min(p.Epoch, MaxEpoch) + 1
	l.startAgain()
	l.begin()
}

// startAgain asks all that have a lease from the first name on.
func (l *Ledger) startAgain() {
	a := l.asking
	a.round++
	clear(a.coming)
	for z := range l.peers {
		if _, gone := a.gone[z]; !gone {
			a.waiting[z] = 0
		}
	}
	l.repeatQuestions()
}

// learn notes the process that has sent a message. One that was said to be gone has a successor.
func (l *Ledger) learn(p Process) {
	if a := l.asking; a != nil && a.gone[p.Zone] != 0 {
		delete(a.gone, p.Zone)
		a.waiting[p.Zone] = 0
	}
	l.fence(p.Zone, p.Epoch)
}

// fence refuses the processes of a zone below an epoch.
//
// If this zone asks, an entity that the old process has sent may be on its way to a zone that has
// answered, and the new process has forgotten it. So all are asked anew, and refuse the old process
// before they answer.
func (l *Ledger) fence(z Zone, e Epoch) {
	q, a := l.peers[z], l.asking
	if q == nil || e <= q.epoch {
		return
	}
	q.epoch = e
	if a == nil {
		return
	}
	delete(a.gone, z)
	a.waiting[z] = 0
	for o := range l.peers {
		if after, waits := a.waiting[o]; (!waits || after > 0) && l.omit != omitAnew {
			l.startAgain()
			return
		}
	}
}

// receiveAsk answers with the claims behind a name. A zone that asks itself answers, too: two that
// begin at the same time would wait for ever otherwise. Its claims may be old, which does no harm:
// who has more has a higher hop.
func (l *Ledger) receiveAsk(m Message) {
	for _, p := range m.gone {
		l.fence(p.Zone, p.Epoch+1)
	}
	reply := Message{kind: answer, round: m.round, after: m.after, stamp: l.next}
	names := l.others()
	for n := range l.owned {
		names[n] = true
	}
	for _, n := range sorted(names) {
		if n <= m.after {
			continue
		}
		if len(reply.claims) == maxClaims {
			reply.more = true
			break
		}
		reply.claims = append(reply.claims, l.claim(n, m.From.Zone))
	}
	l.send(m.From.Zone, reply)
}

// claim says how the zone stands to an entity, to another zone.
func (l *Ledger) claim(n Name, asker Zone) claim {
	past := l.past(n)
	if h := l.owned[n]; h != 0 {
		return claim{n, h, owns}
	}
	if c, found := l.copies[n]; found && c.hop > past {
		if c.to == asker {
			return claim{n, c.hop, yours}
		}
		return claim{n, c.hop, sent}
	}
	return claim{n, past, knows}
}

// receiveAnswer takes the claims of another zone, and asks for the next ones.
func (l *Ledger) receiveAnswer(m Message) {
	a := l.asking
	if a == nil || a.round != m.round {
		return
	}
	if after, waits := a.waiting[m.From.Zone]; !waits || after != m.after {
		return // a repetition
	}
	for _, c := range m.claims {
		l.hear(c)
		if c.standing == yours && a.coming[c.name].hop < c.hop {
			a.coming[c.name] = coming{m.From.Zone, c.hop}
		}
	}
	if m.after == 0 {
		// Entities that the other zone sent before this moment may have been here before the crash.
		// Those that it sends later were not.
		l.mark(m.From.Zone, m.stamp)
	}
	if m.more {
		a.waiting[m.From.Zone] = m.claims[len(m.claims)-1].name
		l.repeatQuestions()
		return
	}
	delete(a.waiting, m.From.Zone)
	l.begin()
}

func (l *Ledger) mark(z Zone, s stamp) {
	if l.marks[z].before(s) && l.peers[z].floor.before(s) {
		l.marks[z] = s
	}
}

// hear drops what is older than a claim, and remembers the hop below it. For what is owned or in
// flight at hop h that is h-1, since nobody knows whether h is in a checkpoint or has arrived: it
// may be sent to this zone, and must be taken then.
func (l *Ledger) hear(c claim) {
	if h := l.owned[c.name]; h != 0 && h < c.hop {
		delete(l.owned, c.name)
	}
	if k, found := l.copies[c.name]; found && k.hop < c.hop {
		delete(l.copies, c.name) // it has arrived and gone on
	}
	past := c.hop
	if c.standing == owns || c.standing != knows && l.omit != omitArrival {
		past--
	}
	if past > l.heard[c.name] {
		l.heard[c.name] = past
	}
}

// begin makes the zone active when it waits for nobody.
//
// If a zone is gone, it may come back with entities that it had from this one. So all that this
// zone goes on with takes a leap in hops, and it remembers that until the other one has begun anew:
// what was owned twice in between is this zone's.
func (l *Ledger) begin() {
	a := l.asking
	if len(a.waiting) > 0 && l.omit != omitAsking {
		return
	}
	l.asking = nil
	for z, e := range a.gone {
		l.mark(z, stamp{epoch: e + 1})
	}
	for _, n := range l.Owned() {
		if len(a.gone) > 0 && l.omit != omitLeap {
			l.owned[n] += leap
			l.heard[n] = l.owned[n]
		}
		l.arrived = append(l.arrived, Entity{n, l.restored[n]})
	}
	for n, c := range a.coming {
		if len(a.gone) > 0 && l.seen(n) < c.hop && l.omit != omitComing {
			l.coming[n] = c
			l.heard[n] = c.hop + leap - 1
		}
	}
	l.restored = nil
	l.forgetHeard()
}

// forgetHeard forgets the answers when nobody can have a copy any more that they speak against.
// While some have yet to answer, their marks are missing, and it is too early.
func (l *Ledger) forgetHeard() {
	if l.Active() && len(l.marks) == 0 {
		clear(l.heard)
	}
}

// Receive takes a message. It has no effect if it is for another process, or of one that is
// replaced: such a message speaks of a state that is no more.
func (l *Ledger) Receive(m Message) {
	q := l.peers[m.From.Zone]
	if q == nil || m.To.Zone != l.self.Zone {
		return
	}
	anyone := m.kind == ask && m.To.Epoch == 0
	if l.omit != omitEpochs && (m.From.Epoch < q.epoch || !anyone && m.To.Epoch != l.self.Epoch) {
		return
	}
	l.learn(m.From)
	switch m.kind {
	case commit, refuse:
		l.receiveCommit(m)
	case taken, saved:
		l.receiveReply(m)
	case done:
		l.receiveDone(m)
	case ask:
		l.receiveAsk(m)
	case answer:
		l.receiveAnswer(m)
	}
}
