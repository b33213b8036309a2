package custody

import "testing"

// A zone that goes on without another one keeps what it goes on with: the other one, back from its
// checkpoint, gives way by its lower hop. Without the leap both have the entity.
func TestGoneZoneGivesWay(t *testing.T) {
	for _, omit := range []omission{0, omitLeap} {
		state := func(Name) []byte { return []byte("state") }
		begin := func(z Zone, e Epoch, other Zone, checkpoint []byte) *Ledger {
			l, err := open(Process{z, e}, []Zone{other}, checkpoint, omit)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		talk := func(a, b *Ledger) {
			for range 4 {
				for _, m := range a.Outbox() {
					b.Receive(m)
				}
				for _, m := range b.Outbox() {
					a.Receive(m)
				}
			}
		}
		a, b := begin(1, 1, 2, nil), begin(2, 1, 1, nil)
		talk(a, b)
		n := a.Create()
		_, before := a.Checkpoint(state)
		a.Commit(n, 2, state(n))
		talk(a, b)
		_, after := b.Checkpoint(state)

		// Both crash: one with a checkpoint from before the hand-over, one with a later one.
		a = begin(1, 2, 2, before)
		if a.Active() {
			t.Fatal("a zone goes on without an answer")
		}
		a.Gone(Process{2, 1})
		if in := a.Arrived(); !a.Active() || len(in) != 1 || !a.Owns(n) {
			t.Fatalf("the zone has not gone on with its checkpoint: %v", in)
		}
		b = begin(2, 2, 1, after)
		talk(a, b)
		if !a.Owns(n) || !b.Active() {
			t.Fatal("the zone that went on has lost what it had, or the other one does not begin")
		}
		if b.Owns(n) != (omit == omitLeap) {
			t.Errorf("without rule %d the zone that was gone has the entity: %v", omit, b.Owns(n))
		}
	}
}

// What misuse panics with says what to do.
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
