package store

import (
	"reflect"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Each zone sees the records of all, the newest ones, whenever one changes.
func TestRecordsOfOthers(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	north := take(t, s, "north", record(1, "a"), c)
	south := take(t, s, "south", record(2, "b"), c)
	poll(t, north)
	last := map[string]uint64{}
	for i := range 20 {
		south.SetRecord(func(r *Record) { r.Entities, r.Draining = i, i%2 == 1 })
		south.Renew(0)
		poll(t, south)
		north.Renew(0) // what was written before is seen when this is seen
		events := poll(t, north)
		r := one[Records](t, events).All
		if _, last := events[len(events)-1].(Current); !last {
			t.Fatalf("the records are not current: %+v", events)
		}
		if len(r) != 2 || r[0].Zone != "north" || r[1].Zone != "south" || !reflect.DeepEqual(r[1].Record, south.Record()) {
			t.Fatalf("records %+v, want %+v", r, south.Record())
		}
		for _, r := range r {
			if r.Revision <= last[r.Zone] {
				t.Fatalf("zone %s has revision %d after %d", r.Zone, r.Revision, last[r.Zone])
			}
			last[r.Zone] = r.Revision
		}
	}
	// A damaged record does not take the place of the last one, and one that is deleted goes.
	if _, err := s.zones.PutString(patient(t), "zone.south", "{"); err != nil {
		t.Fatal(err)
	}
	north.Renew(0)
	events := poll(t, north)
	if f := one[Failed](t, events); f.Op != OpWatch {
		t.Errorf("%+v", f)
	}
	if r := one[Records](t, events).All; len(r) != 2 || !reflect.DeepEqual(r[1].Record, south.Record()) {
		t.Errorf("records %+v", r)
	}
	if err := s.zones.Delete(patient(t), "zone.south"); err != nil {
		t.Fatal(err)
	}
	north.Renew(0)
	if r := one[Records](t, poll(t, north)).All; len(r) != 1 || r[0].Zone != "north" {
		t.Errorf("records %+v", r)
	}
}

func TestMapIsWatched(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	m := testMap(t)
	if err := s.PutMap(patient(t), m, 0); err != nil {
		t.Fatal(err)
	}
	h := take(t, s, "north", record(1, "a"), c)
	h.Renew(0)
	if got := one[MapChanged](t, poll(t, h)).Map; string(got.JSON()) != string(m.JSON()) {
		t.Errorf("the first map is %s", got.JSON())
	}
	next, err := m.Split("north", "east", 'x', 0)
	if err != nil {
		t.Fatal(err)
	}
	_, revision, err := s.Map(patient(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutMap(patient(t), next, revision); err != nil {
		t.Fatal(err)
	}
	h.Renew(0)
	if got := one[MapChanged](t, poll(t, h)).Map; string(got.JSON()) != string(next.JSON()) {
		t.Errorf("the next map is %s", got.JSON())
	}
	if _, err := s.zones.PutString(patient(t), keyMap, "{}"); err != nil {
		t.Fatal(err)
	}
	h.Renew(0)
	events := poll(t, h)
	one[Failed](t, events)
	none[MapChanged](t, events)
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	// Processes have connections of their own.
	other := open(t, connect(t, nc.ConnectedUrl()))
	north := take(t, s, "north", record(1, "a"), c)
	south := take(t, other, "south", record(2, "b"), c)
	west := take(t, other, "west", record(3, "b"), c)
	for _, h := range []*Hold{north, south, west} {
		poll(t, h)
	}
	id := netcode.ResumeID{1, 2, 31: 9}
	north.Ask(id)
	none[Asked](t, poll(t, north)) // not by itself
	for _, h := range []*Hold{south, west} {
		asked := one[Asked](t, poll(t, h))
		if asked.ID != id {
			t.Errorf("asked for %x", asked.ID)
		}
		asked.Answer(h == west)
		poll(t, h)
	}
	want := Answered{id, 3, "tandem://127.0.0.1:3"}
	if got := one[Answered](t, poll(t, north)); got != want {
		t.Errorf("answer %+v, want %+v", got, want)
	}
	// Others' nonsense is dropped.
	for _, subject := range []string{"tandem.vale.who", north.inbox, "tandem.vale.tick", "tandem.other.who"} {
		for _, data := range []string{"", "x", string(make([]byte, 34)), string(id[:])} {
			if err := nc.PublishRequest(subject, "tandem.reply", []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
	}
	events := poll(t, north)
	if asked := one[Asked](t, events); asked.ID != id || len(events) != 1 {
		t.Errorf("events %+v", events)
	}
	poll(t, west)
	// A flood is dropped beyond a bound, and each Poll takes a part of it.
	for range 3 * backlog {
		south.Ask(id)
		poll(t, south)
	}
	if n := len(of[Asked](poll(t, west))); n != backlog {
		t.Errorf("%d questions in one Poll, want %d", n, backlog)
	}
	if n := len(poll(t, west)); n != 0 {
		t.Errorf("%d questions more", n)
	}
}

func TestTickIsAsked(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	_, _, _, err := s.AskTick(patient(t))
	wants(t, err, ErrNoZone.Error())
	north, south := take(t, s, "north", record(1, "a"), c), take(t, s, "south", record(2, "a"), c)
	south.SetRecord(func(r *Record) { r.Active = true })
	south.Renew(0)
	poll(t, south)
	type result struct {
		world, rtt time.Duration
		zone       string
		err        error
	}
	results := make(chan result)
	go func() {
		var r result
		r.world, r.rtt, r.zone, r.err = open(t, nc).AskTick(patient(t))
		results <- r
	}()
	until(t, "a question", func() bool {
		none[TickAsked](t, poll(t, north)) // it is not active
		asked := of[TickAsked](poll(t, south))
		for _, a := range asked {
			a.Answer(-90 * time.Second)
		}
		return len(asked) > 0
	})
	if r := <-results; r.err != nil || r.world != -90*time.Second || r.zone != "south" || r.rtt <= 0 {
		t.Errorf("%+v", r)
	}
}

func TestDrainIsAsked(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	wants(t, s.Drain(patient(t), "north"), "zone north of world vale does not answer")
	north, south := take(t, s, "north", record(1, "a"), c), take(t, s, "south", record(2, "a"), c)
	done := make(chan error)
	go func() { done <- s.Drain(patient(t), "north") }()
	until(t, "an order", func() bool {
		none[DrainAsked](t, poll(t, south))
		asked := of[DrainAsked](poll(t, north))
		for _, a := range asked {
			a.Answer()
		}
		return len(asked) > 0
	})
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Any record that another process writes is refused, or comes back the same.
func FuzzParseRecord(f *testing.F) {
	r := signed{record(1, "a"), "p"}
	r.Epoch, r.Load, r.Active = 3, 0.5, true
	f.Add(r.marshal())
	f.Add([]byte(`{"number":1,"epoch":1,"instance":"a","pin":"","key":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRecord(data)
		if err != nil {
			return
		}
		if err := r.check(); err != nil || len(r.marshal()) > maxRecord {
			t.Errorf("took %+v: %v", r, err)
		}
		if again, err := parseRecord(r.marshal()); err != nil || again != r {
			t.Errorf("%+v came back as %+v, error %v", r, again, err)
		}
	})
}

func FuzzParseAnswer(f *testing.F) {
	f.Add(answer{netcode.ResumeID{1}, 2, "tandem://h:1"}.marshal())
	f.Fuzz(func(t *testing.T, data []byte) {
		if a, ok := parseAnswer(data); ok && string(a.marshal()) != string(data) {
			t.Errorf("%x came back as %x", data, a.marshal())
		}
	})
}
