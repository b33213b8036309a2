package store

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/devnats"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

// clock is a clock of the tests. It stands until it is moved.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Duration      { return time.Duration(c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

// fresh starts a server of NATS for a test and connects to it.
func fresh(t *testing.T) (*devnats.Server, *nats.Conn) {
	t.Helper()
	server, err := devnats.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server, connect(t, server.URL())
}

func connect(t *testing.T, urls string) *nats.Conn {
	t.Helper()
	nc, err := Connect(urls, "", nats.ReconnectWait(20*time.Millisecond), nats.ReconnectJitter(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func open(t *testing.T, nc *nats.Conn) *Store {
	t.Helper()
	s, err := Open(patient(t), nc, "vale")
	if err != nil {
		t.Fatal(err)
	}
	s.patience = 100 * time.Millisecond
	return s
}

// patient is a context for what must succeed.
func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func record(number custody.Zone, instance string) Record {
	return Record{Number: number, Instance: instance, Address: fmt.Sprintf("tandem://127.0.0.1:%d", number), Link: "127.0.0.1:1", Key: [32]byte{1, 2, byte(number)}}
}

// take takes a zone that is free, or held by an instance that runs no more.
func take(t *testing.T, s *Store, zone string, r Record, c *clock) *Hold {
	t.Helper()
	h, err := s.Take(patient(t), zone, r, true, c.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// poll settles, and returns the events of a hold.
func poll(t *testing.T, h *Hold) (events []Event) {
	t.Helper()
	if err := h.Settle(patient(t)); err != nil {
		t.Fatal(err)
	}
	h.Poll(func(e Event) { events = append(events, e) })
	return events
}

// of returns the events of one type.
func of[E Event](events []Event) (found []E) {
	for _, e := range events {
		if e, ok := e.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

// none fails for events of one type.
func none[E Event](t *testing.T, events []Event) {
	t.Helper()
	if found := of[E](events); len(found) > 0 {
		t.Fatalf("unexpected events: %+v", found)
	}
}

// one returns the only event of one type.
func one[E Event](t *testing.T, events []Event) (e E) {
	t.Helper()
	found := of[E](events)
	if len(found) != 1 {
		t.Fatalf("%d events of type %T, want one, in %+v", len(found), e, events)
	}
	return found[0]
}

// wants fails if an error does not contain a text.
func wants(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}

func testMap(t *testing.T) *land.Map {
	t.Helper()
	m, err := land.Parse([]byte(`{"zones": [
		{"name": "north", "number": 1, "land": [{"min": [-100, 0], "max": [100, 100]}]},
		{"name": "south", "number": 2, "land": [{"min": [-100, -100], "max": [100, 0]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMapIsComparedAndSet(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, ctx := open(t, nc), patient(t)
	if _, _, err := s.Map(ctx); err != ErrNoMap {
		t.Fatalf("error %v, want ErrNoMap", err)
	}
	m := testMap(t)
	if err := s.PutMap(ctx, m, 7); err != ErrMapChanged {
		t.Errorf("a map over one that is not there: %v", err)
	}
	if err := s.PutMap(ctx, m, 0); err != nil {
		t.Fatal(err)
	}
	got, revision, err := s.Map(ctx)
	if err != nil || string(got.JSON()) != string(m.JSON()) || revision == 0 {
		t.Fatalf("read %s, revision %d, error %v", got.JSON(), revision, err)
	}
	// Two operators begin with the same map.
	first, err := m.Split("north", "east", 'x', 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := m.Merge("north", "south")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutMap(ctx, first, revision); err != nil {
		t.Fatal(err)
	}
	if err := s.PutMap(ctx, second, revision); err != ErrMapChanged {
		t.Errorf("the second operator got %v", err)
	}
	if err := s.PutMap(ctx, second, 0); err != ErrMapChanged {
		t.Errorf("a first map over another one got %v", err)
	}
	if err := s.PutMap(ctx, first, revision); err != nil {
		t.Errorf("the same write again, as after a lost answer, got %v", err)
	}
	if got, _, err = s.Map(ctx); err != nil || string(got.JSON()) != string(first.JSON()) {
		t.Errorf("read %s, error %v", got.JSON(), err)
	}
	wants(t, s.PutMap(ctx, &land.Map{}, 1), "no zones")
	if _, err := s.zones.PutString(ctx, keyMap, "{"); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Map(ctx)
	wants(t, err, "write it again")
}

func TestOriginIsTheFirstOne(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	s, ctx := open(t, nc), patient(t)
	first := time.Date(2026, 11, 22, 10, 0, 0, 123456789, time.FixedZone("", 3600))
	times := make(chan time.Time, 8)
	for i := range cap(times) {
		go func() {
			got, err := s.Origin(ctx, first.Add(time.Duration(i)*time.Second))
			if err != nil {
				t.Error(err)
			}
			times <- got
		}()
	}
	origin := <-times
	for range cap(times) - 1 {
		if got := <-times; !got.Equal(origin) {
			t.Errorf("origins %v and %v", got, origin)
		}
	}
	if d := origin.Sub(first); d < 0 || d > 7*time.Second || d%time.Second != 0 {
		t.Errorf("the origin is %v, which no caller gave", origin)
	}
	if _, err := s.zones.PutString(ctx, keyOrigin, "yesterday"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Origin(ctx, first)
	wants(t, err, "damaged")
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	server, nc := fresh(t)
	if s := open(t, nc); s.Replicas() != 1 || s.World() != "vale" {
		t.Errorf("%d replicas of world %s", s.Replicas(), s.World())
	}
	_, err := Open(patient(t), nc, "a.b")
	wants(t, err, "no name")
	server.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err = Open(ctx, connect(t, server.URL()), "vale")
	wants(t, err, "no servers available")
	_, err = Connect(server.URL(), t.TempDir()+"/missing")
	wants(t, err, "no such file")
}

// A hold that is closed leaves no goroutines.
func TestCloseLeavesNoGoroutines(t *testing.T) {
	_, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	goroutines := func() int {
		n := 0
		stacks := make([]byte, 1<<20)
		for _, g := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(g, "internal/store.") && !strings.Contains(g, "testing.tRunner") || strings.Contains(g, "jetstream.") {
				n++
			}
		}
		return n
	}
	before := goroutines()
	for i := range 5 {
		h := take(t, s, "north", record(1, "a"), c)
		h.Renew(c.now())
		if i%2 == 0 {
			poll(t, h)
		}
		h.Save(1, make([]byte, 3*partSize)) // given up
		h.Close()
		h.Renew(c.now())
		if h.Save(2, nil) {
			t.Error("a closed hold saves")
		}
		h.Close()
	}
	if n := nc.NumSubscriptions(); n > 3 { // of jetstream itself, for answers
		t.Errorf("%d subscriptions are left", n)
	}
	for end := time.Now().Add(10 * time.Second); goroutines() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines before, %d after", before, goroutines())
		}
	}
}
