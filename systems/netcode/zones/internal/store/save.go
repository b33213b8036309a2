package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// saving is a checkpoint that is to be written.
type saving struct {
	number uint64
	data   []byte
}

// Checkpoint returns the newest checkpoint that is whole, of all epochs before, as it was read by
// Take, or nil if there is none.
func (h *Hold) Checkpoint() []byte { return h.checkpoint }

// Save writes a checkpoint. Saved says when it is in the store. The data is the store's from now
// on. It returns false if one is still being written, which this one does not replace: the caller
// makes a new one later. While NATS is away the write is repeated until it succeeds, each failure
// with a Failed event. It panics for more than MaxCheckpoint bytes.
func (h *Hold) Save(number uint64, data []byte) bool {
	if len(data) > MaxCheckpoint {
		panic(fmt.Sprintf("store: Save of a checkpoint of %d bytes: at most %d", len(data), MaxCheckpoint))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.saving || h.lost || h.ctx.Err() != nil {
		return false
	}
	h.saving = true
	h.saves <- saving{number, data} // has room: one at a time
	return true
}

// save writes checkpoints until the hold is closed or another process has the zone.
func (h *Hold) save(top head) {
	defer h.work.Done()
	clean := false
	for {
		select {
		case <-h.ctx.Done():
			return
		case s := <-h.saves:
			err := h.saveOne(s, &top)
			h.mu.Lock()
			h.saving = false
			h.cleaning = err == nil && !clean && len(top.Saves) == maxSaves && top.Saves[1].Epoch == h.record.Epoch
			if err == nil {
				h.post(Saved{s.number})
			} else if errors.Is(err, errFenced) {
				h.lose(err)
			}
			cleaning := h.cleaning
			h.quiet.Broadcast()
			h.mu.Unlock()
			if cleaning {
				clean = h.clean() == nil // or after the next one
				h.mu.Lock()
				h.cleaning = false
				h.quiet.Broadcast()
				h.mu.Unlock()
			}
		}
	}
}

// saveOne writes the parts into a slot that the head does not use, and then the head.
func (h *Hold) saveOne(s saving, top *head) error {
	next := saved{Epoch: top.Epoch, Number: s.number, Size: len(s.data), Sum: crc32.Checksum(s.data, castagnoli)}
	for slices.ContainsFunc(top.Saves, func(s saved) bool { return s.Epoch == next.Epoch && s.Slot == next.Slot }) {
		next.Slot++
	}
	for part := range slices.Chunk(s.data, h.s.part) {
		err := h.persist(func(ctx context.Context) error {
			n, err := h.s.saves.Put(ctx, keyPart(h.zone, next, len(next.Parts)), part)
			if err == nil {
				next.Parts = append(next.Parts, n)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	with := head{Epoch: top.Epoch, Process: top.Process, Saves: append([]saved{next}, top.Saves[:min(len(top.Saves), 1)]...)}
	return h.persist(func(ctx context.Context) error {
		n, err := set(ctx, h.s.saves, keyHead(h.zone), with.marshal(), top.revision)
		if errors.Is(err, errChanged) {
			return h.headChanged(ctx, with, top)
		}
		if err == nil {
			*top, top.revision = with, n
		}
		return err
	})
}

// headChanged finds out why the head has another revision: an answer to this process was lost, or
// another process has the zone.
func (h *Hold) headChanged(ctx context.Context, with head, top *head) error {
	e, err := h.s.saves.Get(ctx, keyHead(h.zone))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return fmt.Errorf("%w: the list of its checkpoints was deleted", errFenced)
	} else if err != nil {
		return err
	}
	now, err := parseHead(e.Value())
	switch {
	case err != nil:
		return err
	case bytes.Equal(e.Value(), with.marshal()):
		*top, top.revision = with, e.Revision()
		return nil
	case e.Revision() <= top.revision:
		return context.DeadlineExceeded // of a server that is behind
	}
	return fmt.Errorf("%w, epoch %d", errFenced, now.Epoch)
}

// persist calls f until it succeeds, the hold is closed, or another process has the zone. Each
// failure is an event.
func (h *Hold) persist(f func(context.Context) error) error {
	for {
		ctx, cancel := context.WithTimeout(h.ctx, renewTime)
		err := f(ctx)
		cancel()
		if err == nil || errors.Is(err, errFenced) || h.ctx.Err() != nil {
			return err
		}
		h.mu.Lock()
		lost := h.lost
		h.fail(OpSave, err)
		h.mu.Unlock()
		if lost {
			return err
		}
		sleep(h.ctx, again)
	}
}

// clean deletes the parts of former epochs.
func (h *Hold) clean() error {
	ctx, cancel := context.WithTimeout(h.ctx, 10*attempt)
	defer cancel()
	var old []string
	err := each(ctx, h.s.saves, h.zone+".*.*.*", func(e jetstream.KeyValueEntry) {
		epoch, err := strconv.ParseUint(strings.Split(e.Key(), ".")[1], 10, 32)
		if err == nil && custody.Epoch(epoch) < h.record.Epoch {
			old = append(old, e.Key())
		}
	}, jetstream.MetaOnly())
	if err != nil {
		return err
	}
	for _, key := range old {
		if err := h.s.saves.Purge(ctx, key, jetstream.PurgeTTL(time.Minute)); err != nil {
			return err
		}
	}
	return nil
}

// partPatience is how long a part of a checkpoint is looked for. A server of NATS may be behind.
const partPatience = 5 * time.Second

// restore reads the first of a list of checkpoints that is whole. worse says why those before it
// are not.
func (s *Store) restore(ctx context.Context, zone string, list []saved) (data []byte, worse, err error) {
	for _, c := range list {
		data, err := s.load(ctx, zone, c)
		if err == nil {
			return data, worse, nil
		}
		if !errors.Is(err, errDamaged) {
			return nil, nil, err
		}
		worse = errors.Join(worse, fmt.Errorf("checkpoint %d of epoch %d: %w", c.Number, c.Epoch, err))
	}
	if worse != nil {
		return nil, nil, fmt.Errorf("store: all checkpoints of zone %s in world %s are damaged: restore NATS from a backup, or begin the zone from nothing by deleting the key %s of the bucket %s: %w",
			zone, s.world, keyHead(zone), s.saves.Bucket(), worse)
	}
	return nil, nil, nil
}

var errDamaged = errors.New("damaged")

// load reads one checkpoint.
func (s *Store) load(ctx context.Context, zone string, c saved) ([]byte, error) {
	data := make([]byte, 0, c.Size)
	for i, revision := range c.Parts {
		key, begun := keyPart(zone, c, i), time.Now()
		for {
			var e jetstream.KeyValueEntry
			err := s.try(ctx, func(ctx context.Context) (err error) {
				e, err = s.saves.GetRevision(ctx, key, revision)
				return err
			})
			if err == nil {
				data = append(data, e.Value()...)
				break
			}
			if ctx.Err() != nil {
				return nil, err
			}
			if time.Since(begun) > s.patience {
				return nil, fmt.Errorf("%w: part %d of %d: %w", errDamaged, i+1, len(c.Parts), err)
			}
			sleep(ctx, min(again, s.patience))
		}
		if len(data) > c.Size {
			break
		}
	}
	if len(data) != c.Size || crc32.Checksum(data, castagnoli) != c.Sum {
		return nil, fmt.Errorf("%w: its checksum is wrong", errDamaged)
	}
	return data, nil
}
