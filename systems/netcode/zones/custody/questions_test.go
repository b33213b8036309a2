package custody

import "testing"

// trio is three zones that run in lockstep over a network without losses. A nil ledger is a zone
// that is down.
type trio struct {
	t     *testing.T
	omit  omission
	zones [4]*Ledger // from 1
}

// begin starts a process of a zone.
func (w *trio) begin(z Zone, e Epoch, checkpoint []byte) *Ledger {
	var others []Zone
	for o := Zone(1); o <= 3; o++ {
		if o != z {
			others = append(others, o)
		}
	}
	l, err := open(Process{z, e}, others, checkpoint, w.omit)
	if err != nil {
		w.t.Fatal(err)
	}
	w.zones[z] = l
	return l
}

// talk carries messages until all are answered.
func (w *trio) talk() {
	for range 6 {
		for _, l := range w.zones {
			if l == nil {
				continue
			}
			for _, m := range l.Outbox() {
				if to := w.zones[m.To.Zone]; to != nil {
					to.Receive(m)
				}
			}
		}
	}
}

func (w *trio) repeat() {
	for _, l := range w.zones {
		if l != nil {
			l.Repeat()
		}
	}
	w.talk()
}

// owners returns the zones that own an entity.
func (w *trio) owners(n Name) (all []Zone) {
	for z, l := range w.zones {
		if l != nil && l.Active() && l.Owns(n) {
			all = append(all, Zone(z))
		}
	}
	return all
}

// Two zones crash. Zone 1 had handed an entity to zone 2, which has it in a checkpoint, and zone 1
// has not. Zone 1 goes on without zone 2, which gives way when it comes back. Without the leap both
// have the entity.
func TestGoneZoneGivesWay(t *testing.T) {
	state := func(Name) []byte { return []byte("state") }
	for _, c := range []struct {
		name   string
		flight bool // zone 1 had the entity from zone 3 since its checkpoint
		omit   omission
		owners int
	}{
		{"owned", false, 0, 1},
		{"owned, without leap", false, omitLeap, 2},
		{"in flight", true, 0, 1},
		{"in flight, without leap", true, omitComing, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &trio{t: t, omit: c.omit}
			one, _, maker := w.begin(1, 1, nil), w.begin(2, 1, nil), w.begin(3, 1, nil)
			w.talk()
			if !c.flight {
				maker = one
			}
			n := maker.Create()
			_, before := one.Checkpoint(state)
			if c.flight {
				maker.Commit(n, 1, state(n))
				w.talk()
			}
			one.Commit(n, 2, state(n))
			w.talk()
			_, after := w.zones[2].Checkpoint(state)

			w.zones[2] = nil
			one = w.begin(1, 2, before)
			w.talk()
			if one.Active() {
				t.Fatal("a zone goes on without an answer")
			}
			one.Gone(Process{2, 1})
			one.Repeat()
			// said again it has no effect: else no answer would come in time
			one.Gone(Process{2, 1})
			for _, m := range one.Outbox() {
				if m.To.Zone == 3 {
					w.zones[3].Receive(m)
				}
			}
			// Zone 2 is back before zone 3 repeats what is in flight.
			for _, m := range w.zones[3].Outbox() {
				one.Receive(m)
			}
			w.begin(2, 2, after)
			w.talk()
			w.repeat()
			if all := w.owners(n); len(all) != c.owners || all[0] != 1 {
				t.Errorf("owned by zones %v; want %d, zone 1 among them", all, c.owners)
			}
			if !one.Active() || !w.zones[2].Active() {
				t.Error("a zone does not begin")
			}
		})
	}
}

// Zone 2 has answered zone 1, which begins. Then it takes an entity that zone 3 sent before a
// crash, and zone 3 has forgotten it. Zone 1, whose checkpoint has the entity, must ask zone 2
// again.
func TestCrashAfterAnAnswer(t *testing.T) {
	state := func(Name) []byte { return []byte("state") }
	for _, omit := range []omission{0, omitAnew} {
		w := &trio{t: t, omit: omit}
		one, two, three := w.begin(1, 1, nil), w.begin(2, 1, nil), w.begin(3, 1, nil)
		w.talk()
		n := one.Create()
		_, before := one.Checkpoint(state)
		one.Commit(n, 3, state(n))
		w.talk()
		three.Commit(n, 2, state(n))
		late := three.Outbox()

		one = w.begin(1, 2, before)
		w.zones[3] = nil
		w.talk()
		if one.Active() {
			t.Fatal("zone 1 begins before zone 3 has answered")
		}
		for _, m := range late {
			two.Receive(m)
		}
		w.begin(3, 2, nil)
		w.repeat()
		want := 1
		if omit != 0 {
			want = 2
		}
		if all := w.owners(n); len(all) != want || all[want-1] != 2 || !one.Active() {
			t.Errorf("without rule %d the entity is owned by %v; want %d, zone 2 among them", omit, all, want)
		}
	}
}

// Zone 1 forgets its expectations of zone 3 when zone 3 has lost them by a crash of its own.
func TestExpectedAndLost(t *testing.T) {
	state := func(Name) []byte { return []byte("state") }
	w := &trio{t: t}
	w.begin(1, 1, nil)
	w.begin(2, 1, nil)
	three := w.begin(3, 1, nil)
	w.talk()
	_, before := three.Checkpoint(state)
	n := three.Create()
	three.Commit(n, 1, state(n))
	w.zones[2] = nil
	three.Outbox() // lost
	one := w.begin(1, 2, nil)
	w.talk()
	one.Gone(Process{2, 1})
	one.Repeat()
	for _, m := range one.Outbox() {
		three.Receive(m)
	}
	for _, m := range three.Outbox() {
		one.Receive(m)
	}
	if !one.Active() || len(one.coming) != 1 {
		t.Fatalf("zone 1 is active: %v, it expects %d; want 1", one.Active(), len(one.coming))
	}
	w.begin(3, 2, before)
	w.begin(2, 2, nil)
	w.repeat()
	for range 3 {
		for _, l := range w.zones[1:] {
			number, _ := l.Checkpoint(state)
			l.Written(number)
		}
		w.repeat()
	}
	for _, l := range w.zones[1:] {
		if n := l.Known() + len(l.marks) + len(l.coming); n > 0 {
			t.Errorf("zone %d remembers %d things", l.self.Zone, n)
		}
	}
}

// A panic after misuse says what to do.
func TestMisuse(t *testing.T) {
	begun, _ := Open(Process{1, 1}, nil, nil)
	waits, _ := Open(Process{1, 1}, []Zone{2}, nil)
	n := begun.Create()
	for name, f := range map[string]func(){
		"zone":         func() { _, _ = Open(Process{MaxZone + 1, 1}, nil, nil) },
		"epoch":        func() { _, _ = Open(Process{1, 0}, nil, nil) },
		"itself":       func() { _, _ = Open(Process{1, 1}, []Zone{1}, nil) },
		"not active":   func() { waits.Create() },
		"not owned":    func() { begun.Remove(n + 1) },
		"unknown zone": func() { begun.Commit(n, 9, nil) },
		"checkpoint":   func() { waits.Checkpoint(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}
