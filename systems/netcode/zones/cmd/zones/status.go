package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

// busy is the load from which a zone should be split: a crowd that meets must still fit.
const busy = 0.6

// status prints a table of all zones, and what the operator should do.
func (t *tool) status([]string) error {
	m, _, err := t.s.Map(t.ctx)
	noMap := errors.Is(err, store.ErrNoMap)
	if noMap {
		m = &land.Map{}
	} else if err != nil {
		return err
	}
	records, damaged := t.s.Records(t.ctx)
	if damaged != nil && t.ctx.Err() != nil {
		return damaged
	}
	now := time.Now()
	byName := map[string]store.Seen{}
	for _, r := range records {
		byName[r.Zone] = r
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ZONE\tNUMBER\tEPOCH\tINSTANCE\tLEASE AGE\tLOAD\tENTITIES\tSTATE")
	for _, z := range m.Zones {
		if r, ok := byName[z.Name]; ok {
			row(w, r, state(r, now), now)
			delete(byName, z.Name)
		} else {
			fmt.Fprintf(w, "%s\t%d\t-\t-\t-\t-\t-\tnever ran\n", z.Name, z.Number)
		}
	}
	for _, r := range records {
		if _, left := byName[r.Zone]; left {
			row(w, r, state(r, now)+", not on the map", now)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range records {
		if r.Record.Load > busy && !over(r, now) {
			t.printf("Zone %s uses %.0f %% of its tick, more than %.0f %%: split it.\n", r.Zone, 100*r.Record.Load, 100*busy)
		}
	}
	if noMap {
		t.printf("World %s has no map: write one with `zones map FILE`.\n", t.s.World())
	}
	if t.s.Replicas() < 3 {
		t.printf("The store is on one server of NATS, which is for development: use a cluster of three.\n")
	}
	return damaged
}

func row(w *tabwriter.Writer, r store.Seen, state string, now time.Time) {
	instance := r.Record.Instance
	if len(instance) > 8 {
		instance = instance[:8]
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%.0f %%\t%d\t%s\n", r.Zone, r.Record.Number, r.Record.Epoch, instance, age(now.Sub(r.Written)), 100*r.Record.Load, r.Record.Entities, state)
}

// age returns a duration for a reader: of a day it does not matter how many seconds it had.
func age(d time.Duration) string {
	d = max(d, 0) // clocks differ
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// over reports whether the owner of a zone has surely stopped, as far as the clocks of this machine
// and of NATS agree. It is for the reader: zones take nothing from it.
func over(r store.Seen, now time.Time) bool { return now.Sub(r.Written) >= custody.TakeAfter }

func state(r store.Seen, now time.Time) string {
	switch {
	case r.Record.Ended:
		return "ended"
	case over(r, now):
		return "does not run"
	case !r.Record.Active:
		return "starts"
	case r.Record.Draining:
		return "drains"
	}
	return "runs"
}
