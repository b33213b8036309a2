package custody

import "testing"

// A zone that is new in the world is asked for nothing by those that are active, gets entities, and
// waits for their answers.
func TestMeet(t *testing.T) {
	old, err := Open(Process{1, 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	name := old.Create()
	added, err := Open(Process{2, 1}, []Zone{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	exchange := func() {
		for range 10 {
			for _, m := range old.Outbox() {
				added.Receive(m)
			}
			for _, m := range added.Outbox() {
				old.Receive(m)
			}
			added.Repeat()
			old.Repeat()
		}
	}
	exchange()
	if added.Active() {
		t.Fatal("the new zone is active without an answer")
	}
	old.Meet(2)
	old.Meet(2)
	exchange()
	if !old.Active() || !added.Active() {
		t.Fatalf("the old zone is active: %v, the new one: %v", old.Active(), added.Active())
	}
	old.Commit(name, 2, []byte("state"))
	exchange()
	if got := added.Arrived(); len(got) != 1 || got[0].Name != name || !added.Owns(name) || old.Owns(name) {
		t.Errorf("%v arrived at the new zone", got)
	}
}

// A zone that asks asks the new one, too.
func TestMeetWhileAsking(t *testing.T) {
	l, err := Open(Process{1, 2}, []Zone{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Outbox()
	l.Meet(2)
	if n := len(l.Outbox()); n != 2 {
		t.Errorf("%d questions, want one to each zone", n)
	}
	defer func() {
		if recover() == nil {
			t.Error("a zone meets itself")
		}
	}()
	l.Meet(1)
}
