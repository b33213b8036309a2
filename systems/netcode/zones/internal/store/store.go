package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

var (
	// ErrNoMap is the error of Map for a world without one.
	ErrNoMap = errors.New("store: the world has no map: write one with `zones map FILE`")
	// ErrMapChanged is the error of PutMap if the revision is not that of the newest map.
	ErrMapChanged = errors.New("store: the map has changed since it was read: read it again and change that one")
)

// The keys of the world's bucket.
const (
	keyMap    = "map"
	keyOrigin = "origin"
	keyZone   = "zone."
)

// Store is what the zones of a world share. Its methods may be called by several goroutines. They
// wait for NATS, as long as their context lasts.
type Store struct {
	nc           *nats.Conn
	js           jetstream.JetStream
	world        string
	zones, saves jetstream.KeyValue
	replicas     int

	part     int           // bytes of a checkpoint's part
	patience time.Duration // how long a part that is not found is looked for
}

// Open opens the store of a world, and makes its buckets where they are missing: on three servers
// if NATS is a cluster, else on the one. It waits for NATS until the context ends. The connection
// stays the caller's, who closes it.
func Open(ctx context.Context, nc *nats.Conn, world string) (*Store, error) {
	if err := land.CheckName(world); err != nil {
		return nil, fmt.Errorf("the world: %w", err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	s := &Store{nc: nc, js: js, world: world, part: partSize, patience: partPatience}
	if s.zones, err = s.bucket(ctx, jetstream.KeyValueConfig{Bucket: "tandem_world_" + world}); err != nil {
		return nil, err
	}
	// Markers of deleted checkpoints are deleted in turn.
	saves := jetstream.KeyValueConfig{Bucket: "tandem_saves_" + world, LimitMarkerTTL: time.Minute}
	if s.saves, err = s.bucket(ctx, saves); err != nil {
		return nil, err
	}
	err = s.try(ctx, func(ctx context.Context) error {
		status, err := s.zones.Status(ctx)
		if err == nil {
			s.replicas = max(1, status.Config().Replicas)
		}
		return err
	})
	return s, err
}

// codeNoCluster is NATS' code for replicas on a server without a cluster.
const codeNoCluster jetstream.ErrorCode = 10074

func (s *Store) bucket(ctx context.Context, c jetstream.KeyValueConfig) (kv jetstream.KeyValue, err error) {
	c.Storage, c.History = jetstream.FileStorage, 1
	err = s.try(ctx, func(ctx context.Context) (err error) {
		if kv, err = s.js.KeyValue(ctx, c.Bucket); !errors.Is(err, jetstream.ErrBucketNotFound) {
			return err
		}
		var api *jetstream.APIError
		c.Replicas = 3
		if kv, err = s.js.CreateKeyValue(ctx, c); errors.As(err, &api) && api.ErrorCode == codeNoCluster {
			c.Replicas = 1
			kv, err = s.js.CreateKeyValue(ctx, c)
		}
		if errors.Is(err, jetstream.ErrBucketExists) { // another zone was quicker
			kv, err = s.js.KeyValue(ctx, c.Bucket)
		}
		if errors.As(err, &api) && api.Code == 400 {
			return fmt.Errorf("%w: let a cluster of NATS have three servers, and start all of them", err)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("store: the bucket %s: %w", c.Bucket, err)
	}
	return kv, nil
}

// World returns the world's name.
func (s *Store) World() string { return s.world }

// Replicas returns on how many servers of NATS the store is kept. One is for development.
func (s *Store) Replicas() int { return s.replicas }

// get returns a key's value and revision, or 0 if there is none.
func (s *Store) get(ctx context.Context, kv jetstream.KeyValue, key string) (value []byte, revision uint64, err error) {
	err = s.try(ctx, func(ctx context.Context) error {
		e, err := kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			value, revision = nil, 0
			return nil
		}
		if err == nil {
			value, revision = e.Value(), e.Revision()
		}
		return err
	})
	return value, revision, err
}

// errChanged is the error of set if the revision is not the newest one.
var errChanged = errors.New("store: the revision is not the newest one")

// set writes a key if its revision is the given one, 0 for none. It returns the new revision.
func set(ctx context.Context, kv jetstream.KeyValue, key string, value []byte, revision uint64) (uint64, error) {
	write := func() (uint64, error) { return kv.Update(ctx, key, value, revision) }
	if revision == 0 {
		write = func() (uint64, error) { return kv.Create(ctx, key, value) }
	}
	n, err := write()
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) || errors.Is(err, jetstream.ErrKeyExists) {
		return 0, errChanged
	}
	return n, err
}

// Map returns the map and its revision. The error is ErrNoMap for a world without one.
func (s *Store) Map(ctx context.Context) (*land.Map, uint64, error) {
	data, revision, err := s.get(ctx, s.zones, keyMap)
	switch {
	case err != nil:
		return nil, 0, err
	case revision == 0:
		return nil, 0, ErrNoMap
	}
	m, err := land.Parse(data)
	if err != nil {
		return nil, 0, fmt.Errorf("store: the map of world %s is damaged: write it again with `zones map FILE`: %w", s.world, err)
	}
	return m, revision, nil
}

// PutMap writes the map if the newest one has the given revision; 0: if there is none. The error is
// ErrMapChanged otherwise.
func (s *Store) PutMap(ctx context.Context, m *land.Map, revision uint64) error {
	data := m.JSON()
	if _, err := land.Parse(data); err != nil {
		return err
	}
	err := s.try(ctx, func(ctx context.Context) error {
		_, err := set(ctx, s.zones, keyMap, data, revision)
		return err
	})
	if !errors.Is(err, errChanged) {
		return err
	}
	// An attempt whose answer was lost may have written it.
	if now, _, err := s.get(ctx, s.zones, keyMap); err != nil || bytes.Equal(now, data) {
		return err
	}
	return ErrMapChanged
}

// Origin returns the wall time of tick 0. The first caller's now becomes it, for ever.
func (s *Store) Origin(ctx context.Context, now time.Time) (time.Time, error) {
	for {
		text, revision, err := s.get(ctx, s.zones, keyOrigin)
		if err != nil {
			return time.Time{}, err
		}
		if revision != 0 {
			t, err := time.Parse(time.RFC3339Nano, string(text))
			if err != nil {
				return time.Time{}, fmt.Errorf("store: the key %s of world %s is damaged: %w", keyOrigin, s.world, err)
			}
			return t, nil
		}
		err = s.try(ctx, func(ctx context.Context) error {
			_, err := set(ctx, s.zones, keyOrigin, []byte(now.UTC().Format(time.RFC3339Nano)), 0)
			return err
		})
		if err != nil && !errors.Is(err, errChanged) {
			return time.Time{}, err
		}
	}
}

// Records returns the records of all zones that ever ran, by rising names. Damaged ones are left
// out and are in the error.
func (s *Store) Records(ctx context.Context) (records []Seen, err error) {
	var damaged []error
	err = s.try(ctx, func(ctx context.Context) error {
		records, damaged = nil, nil
		return each(ctx, s.zones, keyZone+"*", func(e jetstream.KeyValueEntry) {
			zone := strings.TrimPrefix(e.Key(), keyZone)
			if r, err := parseRecord(e.Value()); err != nil {
				damaged = append(damaged, fmt.Errorf("zone %s: %w", zone, err))
			} else {
				records = append(records, Seen{zone, r.Record, e.Revision(), e.Created()})
			}
		})
	})
	slices.SortFunc(records, func(a, b Seen) int { return cmp.Compare(a.Zone, b.Zone) })
	return records, errors.Join(append(damaged, err)...)
}

// each calls f for all keys that fit a filter, as they are now.
func each(ctx context.Context, kv jetstream.KeyValue, filter string, f func(jetstream.KeyValueEntry), options ...jetstream.WatchOpt) error {
	w, err := kv.Watch(ctx, filter, append(options, jetstream.IgnoreDeletes())...)
	if err != nil {
		return err
	}
	defer stop(w)
	for {
		select {
		case e, ok := <-w.Updates():
			if !ok {
				return nats.ErrTimeout // NATS has ended the watch
			}
			if e == nil {
				return nil
			}
			f(e)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stop ends a watch and everything that belongs to it.
func stop(w jetstream.KeyWatcher) {
	go func() {
		for range w.Updates() { // its callback waits for a reader
		}
	}()
	_ = w.Stop()
}
