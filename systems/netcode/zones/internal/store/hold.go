package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

// Hold is a zone that this process has taken. One goroutine, the engine's, calls its methods, which
// return at once; Settle and Close wait. All waiting for NATS is done by goroutines of the hold.
type Hold struct {
	s     *Store
	zone  string
	start time.Duration
	// own marks the records and heads that this process writes.
	own        string
	checkpoint []byte

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	renewals chan renewal
	saves    chan saving
	out      chan *nats.Msg
	questions

	mu       sync.Mutex
	quiet    sync.Cond // something of the below has ended
	record   signed    // what the next renewal writes
	renewing bool
	saving   bool
	cleaning bool
	unsent   int           // messages in out
	written  uint64        // the newest revision that this process has written
	since    time.Duration // the start of that write
	seen     uint64        // the newest revision that the watch has shown
	current  bool          // Current was posted for written
	lost     bool
	pending  []Event // for Poll
	spare    []Event // the slice of the Poll before
	records  records
	land     *land.Map // for a MapChanged that is pending
}

// renewal is a record that is to be written.
type renewal struct {
	start time.Duration
	data  []byte
}

// maxPending bounds the failures that wait for a Poll. All other events are bounded by the calls
// that cause them.
const maxPending = 256

// marks for events whose content is the newest at the time of the Poll
type (
	recordsPending struct{}
	mapPending     struct{}
)

func (recordsPending) event() {}
func (mapPending) event()     {}

// Zone returns the zone's name.
func (h *Hold) Zone() string { return h.zone }

// Start returns when the write began that took the zone, by the clock that was given to Take. The
// lease counts from there: custody.NewLease(h.Start()).
func (h *Hold) Start() time.Duration { return h.start }

// Record returns the record that the next renewal writes.
func (h *Hold) Record() Record {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.record.Record
}

// SetRecord changes what the next renewal writes. Number, epoch and instance stay. It panics for
// values that no record may have.
func (h *Hold) SetRecord(change func(*Record)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.record.Record
	change(&r)
	r.Number, r.Epoch, r.Instance = h.record.Number, h.record.Epoch, h.record.Instance
	if err := r.check(); err != nil {
		panic("store: SetRecord: " + err.Error())
	}
	h.record.Record = r
}

// Renew renews the lease by writing the record. start is the present reading of the clock that was
// given to Take; Renewed says when it has succeeded, Failed when to try again. It does nothing
// while a renewal is under way.
func (h *Hold) Renew(start time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.renewing && !h.lost && h.ctx.Err() == nil {
		h.renewing = true
		h.renewals <- renewal{start, h.record.marshal()} // has room: one at a time
	}
}

// renew writes renewals until the hold is closed.
func (h *Hold) renew(revision uint64) {
	defer h.work.Done()
	for {
		select {
		case <-h.ctx.Done():
			return
		case r := <-h.renewals:
			err := h.write(r.data, &revision)
			h.mu.Lock()
			h.renewing = false
			switch {
			case err == nil:
				h.written, h.since, h.current = revision, r.start, false
				h.post(Renewed{r.start})
				h.catchUp()
			case errors.Is(err, errFenced):
				h.lose(err)
			default:
				h.fail(OpRenew, err)
			}
			h.quiet.Broadcast()
			h.mu.Unlock()
		}
	}
}

// renewTime is how long an answer to a renewal is awaited: several attempts fit into a lease.
const renewTime = 2 * time.Second

// errFenced says that another process has the zone.
var errFenced = errors.New("another process has taken the zone")

// write writes the record over this process's last one.
func (h *Hold) write(data []byte, revision *uint64) error {
	ctx, cancel := context.WithTimeout(h.ctx, renewTime)
	defer cancel()
	for {
		n, err := set(ctx, h.s.zones, keyZone+h.zone, data, *revision)
		if err == nil {
			*revision = n
			return nil
		}
		if !errors.Is(err, errChanged) {
			return err
		}
		// Either the answer to an earlier renewal was lost, or another process has the zone.
		e, err := h.s.zones.Get(ctx, keyZone+h.zone)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return fmt.Errorf("%w: its record was deleted", errFenced)
		} else if err != nil {
			return err
		}
		r, err := parseRecord(e.Value())
		if err != nil {
			return err
		}
		if r.process != h.own && e.Revision() > *revision {
			return fmt.Errorf("%w: instance %s, epoch %d", errFenced, r.Instance, r.Epoch)
		}
		if e.Revision() <= *revision { // of a server that is behind
			if !sleep(ctx, again) {
				return ctx.Err()
			}
		}
		*revision = max(*revision, e.Revision())
	}
}

// post adds an event. The caller holds the mutex.
func (h *Hold) post(e Event) {
	if !h.lost {
		h.pending = append(h.pending, e)
	}
}

// fail adds a failure, unless too many wait. The caller holds the mutex.
func (h *Hold) fail(op Op, err error) {
	if h.ctx.Err() == nil && len(h.pending) < maxPending {
		h.post(Failed{op, fmt.Errorf("store: zone %s: %s: %w", h.zone, op, err)})
	}
}

// catchUp posts Current when the watch has shown the last write of this process. The caller holds
// the mutex.
func (h *Hold) catchUp() {
	if !h.current && h.seen >= h.written {
		h.current = true
		h.post(Current{h.since})
	}
}

// lose ends the hold. The caller holds the mutex.
func (h *Hold) lose(err error) {
	h.post(Lost{fmt.Errorf("store: zone %s: %w", h.zone, err)})
	h.lost = true
}

// Poll calls f with each event since the last Poll, in order. f may call methods of the hold. It
// allocates nothing if nothing has happened.
func (h *Hold) Poll(f func(Event)) {
	h.mu.Lock()
	events := h.pending
	h.pending = h.spare[:0]
	for i, e := range events {
		switch e.(type) {
		case recordsPending:
			events[i] = h.records.event()
		case mapPending:
			events[i] = MapChanged{h.land}
		}
	}
	lost := h.lost
	h.mu.Unlock()
	for i, e := range events {
		events[i] = nil
		f(e)
	}
	h.spare = events
	if !lost {
		h.pollQuestions(f)
	}
}

// Settle waits until nothing is under way: what was begun has ended, the watch has shown all that
// this process has written, and with it all that others had written before, and all messages that
// the server had for this process are there for Poll. It is for End, and for tests in virtual time.
// The error is the context's.
func (h *Hold) Settle(ctx context.Context) error {
	awake := context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.quiet.Broadcast()
	})
	defer awake()
	h.mu.Lock()
	for ctx.Err() == nil && h.ctx.Err() == nil && (h.renewing || h.saving || h.cleaning || h.unsent > 0 || h.seen < h.written && !h.lost) {
		h.quiet.Wait()
	}
	h.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	return h.s.nc.FlushWithContext(ctx)
}

// End writes that this process has ended and waits for that, so that no other one waits for its
// lease. Call it after the last checkpoint is written, when nothing is simulated any more, and call
// only Close after it. start is as for Renew. The error is the context's: then the others wait for
// the lease.
func (h *Hold) End(ctx context.Context, start time.Duration) error {
	if err := h.Settle(ctx); err != nil { // a renewal may be under way
		return err
	}
	h.SetRecord(func(r *Record) { r.Active, r.Ended, r.Load = false, true, 0 })
	h.Renew(start)
	return h.Settle(ctx)
}

// Close ends the work of the hold and waits for it. A save that is under way is given up. The
// record stays: another process takes the zone when the lease is over, and one of this instance at
// once.
func (h *Hold) Close() {
	h.cancel()
	h.unsubscribe()
	h.work.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = true // nothing is posted any more
	h.quiet.Broadcast()
}
