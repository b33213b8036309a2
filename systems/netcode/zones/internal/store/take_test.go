package store

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

func TestTakeAndRenew(t *testing.T) {
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	c.advance(time.Hour)
	h := take(t, s, "north", record(1, "a"), c)
	if h.Record().Epoch != 1 || h.Start() != time.Hour || h.Checkpoint() != nil || h.Zone() != "north" {
		t.Fatalf("the first hold is %+v, from %v", h.Record(), h.Start())
	}
	events := poll(t, h)
	if r := one[Records](t, events).All; len(r) != 1 || r[0].Zone != "north" || !reflect.DeepEqual(r[0].Record, h.Record()) {
		t.Fatalf("records %+v", r)
	}
	if one[Current](t, events).Start != time.Hour {
		t.Errorf("current %+v", events)
	}
	if events = poll(t, h); len(events) != 0 {
		t.Fatalf("events %+v, but nothing has happened", events)
	}

	c.advance(custody.RenewEvery)
	h.SetRecord(func(r *Record) {
		r.Active, r.Load, r.Entities = true, 0.25, 40
		r.Epoch, r.Number, r.Instance = 9, 9, "x" // stay as they are
	})
	start := c.now()
	h.Renew(start)
	events = poll(t, h)
	if one[Renewed](t, events).Start != start || one[Current](t, events).Start != start {
		t.Errorf("renewed and current %+v", events)
	}
	want := record(1, "a")
	want.Epoch, want.Active, want.Load, want.Entities = 1, true, 0.25, 40
	if r := one[Records](t, events).All; len(r) != 1 || !reflect.DeepEqual(r[0].Record, want) {
		t.Errorf("records %+v, want %+v", r, want)
	}
	all, err := s.Records(patient(t))
	if err != nil || len(all) != 1 || !reflect.DeepEqual(all[0].Record, want) || time.Since(all[0].Written) > time.Minute {
		t.Errorf("records %+v, error %v", all, err)
	}
	if n := testing.AllocsPerRun(100, func() { h.Poll(func(Event) {}) }); n != 0 {
		t.Errorf("an empty Poll makes %v allocations", n)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("SetRecord takes a negative load")
			}
		}()
		h.SetRecord(func(r *Record) { r.Load = -1 })
	}()
	h.Renew(c.now())
	if r := one[Records](t, poll(t, h)).All[0].Record; r.Load != 0.25 {
		t.Errorf("the load is %v after a panic", r.Load)
	}
}

// Of many processes that want a zone at once, one gets it, and epochs are never given twice.
func TestContendersGetDifferentEpochs(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s := open(t, nc)
	const contenders = 8
	var wait sync.WaitGroup
	var holds [contenders]*Hold
	for i := range holds {
		wait.Go(func() {
			// All are of one instance and say that they are alone, so none waits.
			h, err := s.Take(patient(t), "north", record(1, "a"), true, new(clock).now)
			if err != nil {
				t.Error(err)
				return
			}
			holds[i] = h
		})
	}
	wait.Wait()
	seen := map[custody.Epoch]bool{}
	for _, h := range holds {
		if h == nil {
			t.FailNow()
		}
		defer h.Close()
		if seen[h.Record().Epoch] {
			t.Errorf("epoch %d is held twice", h.Record().Epoch)
		}
		seen[h.Record().Epoch] = true
	}
	// All but the last have lost it, and know. Some may have taken it twice.
	last := slices.Max(slices.Collect(maps.Keys(seen)))
	for _, h := range holds {
		h.Renew(0)
		lost := of[Lost](poll(t, h))
		if h.Record().Epoch == last {
			if len(lost) != 0 {
				t.Errorf("the last one: %+v", lost)
			}
		} else if len(lost) != 1 {
			t.Errorf("epoch %d: %d events Lost", h.Record().Epoch, len(lost))
		} else {
			wants(t, lost[0].Err, "another process")
		}
		if h.Renew(0); len(lost) > 0 && len(poll(t, h)) > 0 {
			t.Error("events come after Lost")
		}
		if len(lost) > 0 && h.Save(1, nil) {
			t.Error("a lost hold saves")
		}
	}
}

// Another instance gets the zone 15 s after the last renewal that it saw, by its own clock, and not
// before.
// A process that has ended in order is followed at once, by one of another instance too.
func TestTakeAfterTheEnd(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	h := take(t, s, "north", record(1, "a"), c)
	if err := h.End(patient(t), 0); err != nil {
		t.Fatal(err)
	}
	h.Close()
	next := take(t, s, "north", record(1, "b"), c) // in no time of its clock
	if r := next.Record(); r.Epoch != 2 || r.Ended {
		t.Errorf("the next process has %+v", r)
	}
}

func TestTakeOverWaitsForTheLease(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, own, other := open(t, nc), &clock{}, &clock{}
	h := take(t, s, "north", record(1, "a"), own)
	poll(t, h)

	looked := make(chan struct{})
	taken := make(chan *Hold)
	go func() {
		h, err := s.Take(patient(t), "north", record(1, "b"), true, func() time.Duration {
			select {
			case looked <- struct{}{}:
			default:
			}
			return other.now()
		})
		if err != nil {
			t.Error(err)
		}
		taken <- h
	}()
	// look waits until the other one has looked at the record anew.
	look := func() {
		t.Helper()
		for range 5 {
			select {
			case <-looked:
			case h := <-taken:
				t.Fatalf("taken at %v, in epoch %d", other.now(), h.Record().Epoch)
			}
		}
	}
	look()
	for range 3 {
		other.advance(custody.TakeAfter - 1)
		look()
		own.advance(custody.RenewEvery)
		h.Renew(own.now())
		one[Renewed](t, poll(t, h))
		look()
	}
	other.advance(custody.TakeAfter - 1)
	look()
	other.advance(1)
	var b *Hold
	for b == nil {
		select {
		case b = <-taken:
		case <-looked:
		}
	}
	defer b.Close()
	if r := b.Record(); r.Epoch != 2 || r.Instance != "b" || b.Start() != other.now() {
		t.Errorf("taken as %+v from %v", r, b.Start())
	}
	h.Renew(own.now())
	wants(t, one[Lost](t, poll(t, h)).Err, "instance b, epoch 2")
}

// A process that does not say that it is alone waits for its own instance, too.
func TestTakeWaitsIfNotAlone(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	take(t, s, "north", record(1, "a"), c).Close()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := s.Take(ctx, "north", record(1, "a"), false, c.now)
	wants(t, err, "held by instance a, epoch 1")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if h := take(t, s, "north", record(1, "a"), c); h.Record().Epoch != 2 {
		t.Errorf("epoch %d, alone", h.Record().Epoch)
	}
}

// The epochs go on although an operator has deleted the record.
func TestEpochsSurviveTheRecord(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	take(t, s, "north", record(1, "a"), c)
	take(t, s, "north", record(1, "a"), c)
	h := take(t, s, "north", record(1, "a"), c)
	if err := s.zones.Delete(patient(t), "zone.north"); err != nil {
		t.Fatal(err)
	}
	h.Renew(0)
	wants(t, one[Lost](t, poll(t, h)).Err, "was deleted")
	if h := take(t, s, "north", record(1, "b"), c); h.Record().Epoch != 4 {
		t.Errorf("the next epoch is %d, want 4", h.Record().Epoch)
	}
	if all, err := s.Records(patient(t)); err != nil || all[0].Record.Epoch != 4 {
		t.Errorf("records %+v, error %v", all, err)
	}
}

func TestTakeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	take(t, s, "north", record(1, "a"), c)
	long := record(1, "a")
	long.Address = string(make([]byte, 121))
	for _, c := range []struct {
		zone   string
		record Record
		want   string
	}{
		{"north.1", record(1, "a"), "no name"},
		{"north", record(0, "a"), "use 1 to 4095"},
		{"north", record(1, ""), "as Lock does"},
		{"north", long, "at most 120"},
		{"north", record(2, "a"), "cannot have number 2"},
	} {
		_, err := s.Take(patient(t), c.zone, c.record, true, new(clock).now)
		wants(t, err, c.want)
	}
	for key, value := range map[string]string{"zone.north": "{}", "zone.south": `{"number":1}`} {
		if _, err := s.zones.PutString(patient(t), key, value); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Take(patient(t), "north", record(1, "a"), true, c.now)
	wants(t, err, "damaged record")
	_, err = s.Records(patient(t))
	wants(t, err, "zone south")
	if _, err := s.saves.PutString(patient(t), "west.head", "?"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Take(patient(t), "west", record(3, "a"), true, c.now)
	wants(t, err, "deleting the key west.head of the bucket tandem_saves_vale")
	last := signed{record(4, "a"), "p"}
	last.Epoch = custody.MaxEpoch
	if _, err := s.zones.Put(patient(t), "zone.east", last.marshal()); err != nil {
		t.Fatal(err)
	}
	_, err = s.Take(patient(t), "east", record(4, "a"), true, c.now)
	wants(t, err, "all of its 1048574 epochs")
}
