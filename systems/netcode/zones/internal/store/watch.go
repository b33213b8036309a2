package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

// records are the zones' records as the watch has shown them.
type records struct {
	seen    map[string]Seen
	pending bool // a Records event waits for Poll
}

// event returns the Records for all that was seen.
func (r *records) event() Event {
	r.pending = false
	return Records{slices.SortedFunc(maps.Values(r.seen), func(a, b Seen) int { return cmp.Compare(a.Zone, b.Zone) })}
}

// lag is how long the watch may not show a write of this process, until it is begun anew. NATS
// itself notices after ten seconds.
const lag = time.Second

// watch follows the records and the map until the hold is closed. NATS begins a watch again by
// itself when a server is gone. That this works is seen by the own renewals: they must come back.
func (h *Hold) watch() {
	defer h.work.Done()
	for h.ctx.Err() == nil {
		if err := h.watchOnce(); err != nil && h.ctx.Err() == nil {
			h.mu.Lock()
			h.fail(OpWatch, err)
			h.mu.Unlock()
			sleep(h.ctx, again)
		}
	}
}

// watchOnce returns nil if the watch must begin anew.
func (h *Hold) watchOnce() error {
	w, err := h.s.zones.WatchFiltered(h.ctx, []string{keyMap, keyZone + "*"})
	if err != nil {
		return err
	}
	defer stop(w)
	tick := time.NewTicker(lag)
	defer tick.Stop()
	var missing uint64 // a revision that was not shown at the last tick
	for {
		select {
		case <-h.ctx.Done():
			return nil
		case e, ok := <-w.Updates():
			if !ok {
				return nil
			}
			if e != nil {
				h.show(e)
			}
		case <-tick.C:
			h.mu.Lock()
			behind := missing > h.seen
			missing = h.written
			h.mu.Unlock()
			if behind {
				return context.DeadlineExceeded
			}
		}
	}
}

// show notes one key's newest value.
func (h *Hold) show(e jetstream.KeyValueEntry) {
	put := e.Operation() == jetstream.KeyValuePut
	name, isZone := strings.CutPrefix(e.Key(), keyZone)
	var r signed
	var m *land.Map
	var err error
	switch {
	case !put:
	case isZone:
		r, err = parseRecord(e.Value())
	default:
		m, err = land.Parse(e.Value())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	defer h.quiet.Broadcast()
	defer h.catchUp()
	h.seen = max(h.seen, e.Revision())
	switch {
	case err != nil: // what was there before still counts
		h.fail(OpWatch, err)
	case isZone:
		if e.Revision() <= h.records.seen[name].Revision {
			return // a new watch begins with what is known
		}
		if put {
			h.records.seen[name] = Seen{name, r.Record, e.Revision(), e.Created()}
		} else {
			delete(h.records.seen, name)
		}
		if !h.records.pending {
			h.records.pending = true
			h.post(recordsPending{})
		}
		if put && name == h.zone && r.Epoch > h.record.Epoch {
			h.lose(fmt.Errorf("%w: instance %s, epoch %d", errFenced, r.Instance, r.Epoch))
		}
	case put && (h.land == nil || string(m.JSON()) != string(h.land.JSON())):
		h.land = m
		if !slices.Contains(h.pending, Event(mapPending{})) {
			h.post(mapPending{})
		}
	}
}
