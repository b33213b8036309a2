package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

// putMap writes the map from a file, or prints it.
func (t *tool) putMap(args []string) error {
	old, revision, err := t.s.Map(t.ctx)
	if args[0] == "print" {
		if err == nil {
			_, err = t.out.Write(old.JSON())
		}
		return err
	}
	text, readErr := os.ReadFile(args[0])
	if readErr != nil {
		return readErr
	}
	m, parseErr := land.Parse(text)
	if parseErr != nil {
		return fmt.Errorf("%s: %w", args[0], parseErr)
	}
	switch {
	case errors.Is(err, store.ErrNoMap):
		old = &land.Map{}
	case err != nil:
		return err
	}
	records, err := t.s.Records(t.ctx)
	if err != nil {
		return err
	}
	if err := keepsNumbers(m, old, records); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	// The world begins with its first map: zones may have no right to begin it.
	if _, err := t.s.Origin(t.ctx, time.Now()); err != nil {
		return err
	}
	if err := t.s.PutMap(t.ctx, m, revision); err != nil {
		return err
	}
	t.printf("World %s has a map of %s.\n", t.s.World(), count(len(m.Zones), "zone"))
	return nil
}

// keepsNumbers returns an error if a map gives a zone another number, or a number to another zone,
// than an earlier one: entities are named by them for ever.
func keepsNumbers(m, old *land.Map, records []store.Seen) error {
	known := old.Zones
	for _, r := range records {
		known = append(known, land.Zone{Name: r.Zone, Number: r.Record.Number})
	}
	for _, k := range known {
		same, other := m.ByName(k.Name), m.ByNumber(k.Number)
		switch {
		case same != nil && same.Number != k.Number:
			return fmt.Errorf("zone %s has number %d and cannot have number %d: give it its own", k.Name, k.Number, same.Number)
		case other != nil && other.Name != k.Name:
			return fmt.Errorf("number %d is the one of zone %s and cannot be the one of %s: give %s a number that no zone ever had", k.Number, k.Name, other.Name, other.Name)
		}
	}
	for _, k := range old.Zones {
		if m.ByName(k.Name) == nil {
			return fmt.Errorf("zone %s is missing, and entities may still be there: keep it, with \"land\": [] if others have its land", k.Name)
		}
	}
	return nil
}

func (t *tool) split(args []string) error {
	zone, to, axis := args[0], args[1], args[2]
	at, err := strconv.ParseFloat(args[3], 32)
	if err != nil || len(axis) != 1 {
		return misuse(fmt.Sprintf("split takes an axis, x or z, and a place in metres, not %q and %q", axis, args[3]))
	}
	m, err := t.change(func(m *land.Map) (*land.Map, error) { return m.Split(zone, to, axis[0], float32(at)) })
	if err != nil {
		return err
	}
	t.printf("Zone %s (number %d) has the land of %s at %s >= %v.\n", to, m.ByName(to).Number, zone, axis, float32(at))
	return t.adviseStart(to, zone)
}

func (t *tool) merge(args []string) error {
	from, into := args[0], args[1]
	_, err := t.change(func(m *land.Map) (*land.Map, error) { return m.Merge(from, into) })
	if err != nil {
		return err
	}
	t.printf("Zone %s has all land of %s.\n", into, from)
	if err := t.adviseStart(into, from); err != nil {
		return err
	}
	t.printf("When status shows 0 entities for %s, its process can be stopped.\n", from)
	return nil
}

// change writes a map that is made from the present one, and returns it.
func (t *tool) change(f func(*land.Map) (*land.Map, error)) (*land.Map, error) {
	old, revision, err := t.s.Map(t.ctx)
	if err != nil {
		return nil, err
	}
	m, err := f(old)
	if err != nil {
		return nil, err
	}
	records, err := t.s.Records(t.ctx)
	if err != nil {
		return nil, err
	}
	if err := keepsNumbers(m, old, records); err != nil {
		return nil, err
	}
	return m, t.s.PutMap(t.ctx, m, revision)
}

// adviseStart says so if no process runs a zone that has got land.
func (t *tool) adviseStart(zone, from string) error {
	records, err := t.s.Records(t.ctx)
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.Zone == zone && !over(r, time.Now()) {
			t.printf("What is there moves to %s.\n", zone)
			return nil
		}
	}
	t.printf("No process runs zone %s: start one. Until then %s keeps what is there.\n", zone, from)
	return nil
}

func (t *tool) drain(args []string) error {
	m, _, err := t.s.Map(t.ctx)
	if err != nil {
		return err
	}
	if m.ByName(args[0]) == nil {
		return fmt.Errorf("there is no zone %q on the map: `zones map print` shows it", args[0])
	}
	if err := t.s.Drain(t.ctx, args[0]); err != nil {
		return err
	}
	t.printf("Zone %s takes no newcomers.\n", args[0])
	return nil
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
