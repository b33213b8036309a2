package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

// look is how often a process that waits for a lease looks at the record.
const look = 25 * time.Millisecond

// Take takes a zone for this process, in the epoch after the last one. A zone that never ran, or
// whose record was deleted, is free. Else Take watches the record until the owner has stopped for
// certain (custody.Watch, 15 s of now). If alone is true and the record is of the same instance,
// the zone is taken at once: alone says that a lock on this disk proves that no other process of
// the instance runs (see Lock).
//
// It reads the newest checkpoint, which Checkpoint returns. r is the first record: number,
// instance, addresses and key. now is read on this goroutine only. Take waits for NATS and for the
// owner as long as the context lasts. Other errors say what to change.
func (s *Store) Take(ctx context.Context, zone string, r Record, alone bool, now func() time.Duration) (*Hold, error) {
	if err := land.CheckName(zone); err != nil {
		return nil, fmt.Errorf("the zone: %w", err)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	t := taking{s: s, zone: zone, alone: alone, now: now, record: signed{r, rand.Text()}}
	for {
		revision, err := t.takeRecord(ctx)
		if err != nil {
			return nil, err
		}
		h, err := t.hold(ctx, revision)
		if !errors.Is(err, errEpoch) {
			return h, err
		}
	}
}

// taking is a call of Take.
type taking struct {
	s      *Store
	zone   string
	alone  bool
	now    func() time.Duration
	record signed
	start  time.Duration // of the write that took the zone
	least  custody.Epoch // the lowest epoch that is free, by the head of the checkpoints
}

// takeRecord writes the record and returns its revision.
func (t *taking) takeRecord(ctx context.Context) (uint64, error) {
	var watch custody.Watch
	var holder string
	for {
		data, revision, err := t.s.get(ctx, t.s.zones, keyZone+t.zone)
		if err != nil {
			if holder != "" && ctx.Err() != nil {
				return 0, t.held(holder, err)
			}
			return 0, err
		}
		epoch, wait := max(1, t.least), false
		if revision != 0 {
			old, err := parseRecord(data)
			switch {
			case err != nil:
				return 0, fmt.Errorf("zone %s of world %s: %w", t.zone, t.s.world, err)
			case old.Number != t.record.Number:
				return 0, fmt.Errorf("store: zone %s has run with number %d and cannot have number %d: put the old one on the map again", t.zone, old.Number, t.record.Number)
			}
			if old.process == t.record.process {
				// The answer to a write was lost. It is written again, so that the lease has a
				// start.
				epoch = max(old.Epoch, t.least)
			} else {
				epoch = max(old.Epoch+1, t.least)
				watch.See(revision, t.now())
				wait = !(t.alone && old.Instance == t.record.Instance) && !old.Ended && !watch.Over(t.now())
			}
			holder = fmt.Sprintf("instance %s, epoch %d", old.Instance, old.Epoch)
		}
		if epoch > custody.MaxEpoch {
			return 0, fmt.Errorf("store: zone %s has had all of its %d epochs: merge it into a new zone", t.zone, custody.MaxEpoch)
		}
		if wait {
			if !sleep(ctx, look) {
				return 0, t.held(holder, ctx.Err())
			}
			continue
		}
		t.record.Epoch = epoch
		err = t.s.try(ctx, func(ctx context.Context) (err error) {
			t.start = t.now()
			revision, err = set(ctx, t.s.zones, keyZone+t.zone, t.record.marshal(), revision)
			return err
		})
		if !errors.Is(err, errChanged) {
			return revision, err
		}
		sleep(ctx, look)
	}
}

// held is the error of a Take that ends before the lease of the holder.
func (t *taking) held(holder string, err error) error {
	return fmt.Errorf("store: zone %s is held by %s: stop that process and wait %v: %w", t.zone, holder, custody.TakeAfter, err)
}

// sleep waits, and returns false if the context ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// hold begins the work of a hold, fences the checkpoints and reads the newest one. The lease is
// renewed meanwhile.
func (t *taking) hold(ctx context.Context, revision uint64) (h *Hold, err error) {
	h = &Hold{
		s: t.s, zone: t.zone, start: t.start, own: t.record.process, record: t.record, written: revision, since: t.start,
		renewals: make(chan renewal, 1), saves: make(chan saving, 1), out: make(chan *nats.Msg, backlog),
		records: records{seen: map[string]Seen{}},
	}
	h.quiet.L = &h.mu
	h.ctx, h.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			h.Close()
			h = nil
		}
	}()
	if err := h.subscribe(); err != nil {
		return h, err
	}
	h.work.Add(3)
	go h.renew(revision)
	go h.watch()
	go h.send()

	type restored struct {
		head  head
		data  []byte
		worse error
		err   error
	}
	done := make(chan restored, 1)
	var wait sync.WaitGroup
	defer wait.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wait.Go(func() {
		var r restored
		if r.head, r.err = t.s.fence(ctx, t.zone, t.record); r.err == nil {
			r.data, r.worse, r.err = t.s.restore(ctx, t.zone, r.head.Saves)
		}
		done <- r
	})
	renewed := t.start
	for {
		select {
		case r := <-done:
			if r.err != nil {
				if errors.Is(r.err, errEpoch) {
					t.least = r.head.Epoch + 1
				}
				return h, r.err
			}
			h.checkpoint = r.data
			h.work.Add(1)
			go h.save(r.head)
			if r.worse != nil {
				h.mu.Lock()
				h.fail(OpRestore, r.worse)
				h.mu.Unlock()
			}
			return h, nil
		case <-time.After(look):
			if now := t.now(); now-renewed >= custody.RenewEvery {
				renewed = now
				h.Renew(now)
			}
		}
	}
}
