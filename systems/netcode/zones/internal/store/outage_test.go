package store

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/devnats"
)

// renews renews until it succeeds, as the engine does, and returns the failures before.
func renews(t *testing.T, h *Hold, c *clock) (failures []Event, saved []uint64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		h.Renew(c.now())
		done := false
		h.Poll(func(e Event) {
			switch e := e.(type) {
			case Renewed:
				done = true
			case Failed:
				failures = append(failures, e)
			case Saved:
				saved = append(saved, e.Number)
			case Lost:
				t.Fatalf("%+v", e)
			}
		})
		if done {
			return failures, saved
		}
		if time.Now().After(end) {
			t.Fatalf("no renewal succeeds: %+v", failures)
		}
	}
}

// isSaved waits until a checkpoint is in the store, if that has not been seen before.
func isSaved(t *testing.T, h *Hold, number uint64, before []uint64) {
	t.Helper()
	saved := slices.Contains(before, number)
	until(t, "a checkpoint", func() bool {
		h.Poll(func(e Event) {
			switch e := e.(type) {
			case Saved:
				saved = saved || e.Number == number
			case Lost:
				t.Fatalf("%+v", e)
			}
		})
		return saved
	})
}

// until waits until something has happened, for a minute at most.
func until(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not come", what)
		}
	}
}

// When all of NATS is gone, calls return at once, failures are events, and everything goes on when
// it is back: the same revision, the watch, the questions, and the save that was under way.
func TestNATSGoneAndBack(t *testing.T) {
	t.Parallel()
	server, nc := fresh(t)
	s, c := open(t, nc), &clock{}
	s.part = 1000
	h := take(t, s, "north", record(1, "a"), c)
	save(t, h, 1, noise(1, 3500))
	if err := s.PutMap(patient(t), testMap(t), 0); err != nil {
		t.Fatal(err)
	}
	h.Renew(c.now())
	poll(t, h)

	server.Stop()
	if !h.Save(2, noise(2, 4500)) {
		t.Fatal("a save is under way")
	}
	var failed map[Op]int
	for end := time.Now().Add(time.Minute); failed[OpSave] == 0 || failed[OpRenew] == 0; time.Sleep(time.Millisecond) {
		h.Renew(c.now())
		h.Ask([32]byte{1})
		if h.Save(3, nil) {
			t.Fatal("a second save is taken")
		}
		h.Poll(func(e Event) {
			if e, ok := e.(Failed); !ok {
				t.Fatalf("%+v without NATS", e)
			} else if failed == nil {
				failed = map[Op]int{e.Op: 1}
			} else {
				failed[e.Op]++
			}
		})
		if time.Now().After(end) {
			t.Fatalf("failures %v", failed)
		}
	}

	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	_, saved := renews(t, h, c)
	isSaved(t, h, 2, saved)
	save(t, h, 3, noise(3, 10))
	// The watch shows what others write from now on.
	other := open(t, connect(t, server.URL()))
	south := take(t, other, "south", record(2, "b"), c)
	seen, asked := false, false
	until(t, "what the other one has written", func() bool {
		h.Poll(func(e Event) {
			if e, ok := e.(Records); ok {
				seen = len(e.All) == 2 && e.All[1].Record == south.Record()
			}
		})
		return seen
	})
	until(t, "a question", func() bool { // one may be lost
		south.Ask([32]byte{7})
		poll(t, south)
		h.Poll(func(e Event) {
			if e, ok := e.(Asked); ok {
				asked = asked || e.ID == [32]byte{7}
			}
		})
		return asked
	})
	h.Close()
	if h = take(t, other, "north", record(1, "a"), c); !bytes.Equal(h.Checkpoint(), noise(3, 10)) {
		t.Error("the last checkpoint did not come back")
	}
}

// When the server that leads the buckets is stopped, a renewal succeeds after a while, and nothing
// that was acknowledged is lost.
func TestClusterWithoutItsLeader(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("elections take seconds")
	}
	cluster, err := devnats.StartCluster(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Stop()
	nc := connect(t, cluster.URL())
	s, c := open(t, nc), &clock{}
	if s.Replicas() != 3 {
		t.Errorf("%d replicas in a cluster of three", s.Replicas())
	}
	h := take(t, s, "north", record(1, "a"), c)
	save(t, h, 1, noise(1, 2*partSize))
	for n, stream := range []string{"KV_tandem_world_vale", "KV_tandem_saves_vale"} {
		number := uint64(2 + n)
		leader := cluster.Leader(stream)
		if leader == nil {
			t.Fatalf("%s has no leader", stream)
		}
		poll(t, h) // so that the next renewal is one of this record
		leader.Stop()
		h.SetRecord(func(r *Record) { r.Entities = int(number) })
		begin := time.Now()
		if !h.Save(number, noise(number, 2*partSize)) {
			t.Fatal("a save is under way")
		}
		failures, saved := renews(t, h, c)
		t.Logf("renewed after %v, %d failures before", time.Since(begin), len(failures))
		isSaved(t, h, number, saved)
		t.Logf("saved after %v", time.Since(begin))

		// Another process, connected to the servers that are left, sees it all.
		other := open(t, connect(t, cluster.URL()))
		until(t, "the newest record", func() bool { // a server that answers may be behind
			all, err := other.Records(patient(t))
			return err == nil && len(all) == 1 && all[0].Record == h.Record()
		})
		top, err := other.head(patient(t), "north")
		if err != nil || top.Saves[0].Number != number {
			t.Errorf("head %+v, error %v", top, err)
		}
		if data, err := other.load(patient(t), "north", top.Saves[0]); err != nil || !bytes.Equal(data, noise(number, 2*partSize)) {
			t.Errorf("checkpoint %d: %d bytes, error %v", number, len(data), err)
		}
		if err := leader.Start(); err != nil {
			t.Fatal(err)
		}
	}
	h.Close()
	if h = take(t, s, "north", record(1, "a"), c); !bytes.Equal(h.Checkpoint(), noise(3, 2*partSize)) || h.Record().Epoch != 2 {
		t.Errorf("epoch %d has %d bytes", h.Record().Epoch, len(h.Checkpoint()))
	}
}

// A cluster of which two servers are down accepts nothing, and goes on when one is back.
func TestClusterWithoutQuorum(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("elections take seconds")
	}
	cluster, err := devnats.StartCluster(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Stop()
	s, c := open(t, connect(t, cluster.URL())), &clock{}
	h := take(t, s, "north", record(1, "a"), c)
	poll(t, h)
	cluster.Servers[0].Stop()
	cluster.Servers[1].Stop()
	h.Renew(c.now())
	if err := h.Settle(patient(t)); err != nil {
		t.Fatal(err)
	}
	h.Poll(func(e Event) {
		if _, ok := e.(Failed); !ok {
			t.Errorf("%+v without a quorum", e)
		}
	})
	if err := cluster.Servers[0].Start(); err != nil {
		t.Fatal(err)
	}
	renews(t, h, c)
}

// The connection has what a lease needs: it leaves a server that stands still, for ever tries the
// others, and keeps no writes for later.
func TestConnectionFitsTheLease(t *testing.T) {
	t.Parallel()
	_, nc := fresh(t)
	o := nc.Opts
	if o.MaxReconnect != -1 || o.PingInterval*time.Duration(o.MaxPingsOut+1) > 6*time.Second || o.ReconnectBufSize != -1 || !o.IgnoreAuthErrorAbort {
		t.Errorf("options %+v", o)
	}
}
