package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/devnats"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

const twoZones = `{"zones": [
  {"name": "north", "number": 1, "land": [{"min": [-100, 0], "max": [100, 100]}]},
  {"name": "south", "number": 2, "land": [{"min": [-100, -100], "max": [100, 0]}]}]}`

// operator runs the tool against a server of its own.
type operator struct {
	t   *testing.T
	url string
}

func newOperator(t *testing.T) operator {
	t.Helper()
	server, err := devnats.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return operator{t, server.URL()}
}

func (o operator) try(args ...string) (string, error) {
	var out strings.Builder
	err := run(context.Background(), append([]string{"-nats", o.url, "-world", "vale", "-wait", "20s"}, args...), &out)
	return out.String(), err
}

// must runs a command and looks for a text in its output.
func (o operator) must(want string, args ...string) string {
	o.t.Helper()
	out, err := o.try(args...)
	if err != nil || !strings.Contains(out, want) {
		o.t.Fatalf("zones %v: error %v, output\n%swant %q", args, err, out, want)
	}
	return out
}

func (o operator) fails(want string, args ...string) {
	o.t.Helper()
	if out, err := o.try(args...); err == nil || !strings.Contains(err.Error(), want) {
		o.t.Errorf("zones %v: error %v, want one with %q; output\n%s", args, err, want, out)
	}
}

func (o operator) file(text string) string {
	o.t.Helper()
	name := filepath.Join(o.t.TempDir(), "map.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
	return name
}

// runs begins to run a zone as a process does, and returns its hold.
func (o operator) runs(zone string, r store.Record) *store.Hold {
	o.t.Helper()
	nc, err := store.Connect(o.url, "")
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(nc.Close)
	s, err := store.Open(context.Background(), nc, "vale")
	if err != nil {
		o.t.Fatal(err)
	}
	h, err := s.Take(context.Background(), zone, r, true, func() time.Duration { return 0 })
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(h.Close)
	return h
}

// An operator's day: a map, zones that run, a split, a merge, and a zone that is drained.
func TestOperator(t *testing.T) {
	o := newOperator(t)
	o.must("has no map: write one", "status")
	o.fails("write one with `zones map FILE`", "map", "print")
	o.must("a map of 2 zones", "map", o.file(twoZones))
	o.must(`{"min": [-100, -100], "max": [100, 0]}`, "map", "print")
	o.must("never ran", "status")

	north := o.runs("north", store.Record{Number: 1, Instance: "0123456789abcdef"})
	north.SetRecord(func(r *store.Record) { r.Active, r.Load, r.Entities = true, 0.725, 40 })
	north.Renew(0)
	south := o.runs("south", store.Record{Number: 2, Instance: "b"})
	for _, h := range []*store.Hold{north, south} {
		if err := h.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	status := o.must("Zone north uses 72 % of its tick, more than 60 %: split it.", "status")
	for _, row := range []string{
		`(?m)^ZONE +NUMBER +EPOCH +INSTANCE +LEASE AGE +LOAD +ENTITIES +STATE$`,
		`(?m)^north +1 +1 +01234567 +\d+\.\d s +72 % +40 +runs$`,
		`(?m)^south +2 +1 +b +\d+\.\d s +0 % +0 +starts$`,
		`on one server of NATS`,
	} {
		if !regexp.MustCompile(row).MatchString(status) {
			t.Errorf("status has no row %s:\n%s", row, status)
		}
	}
	if strings.Contains(status, "south uses") {
		t.Errorf("south is not busy:\n%s", status)
	}

	out := o.must("Zone east (number 3) has the land of north at x >= -20.5.", "split", "north", "east", "x", "-20.5")
	if !strings.Contains(out, "No process runs zone east: start one. Until then north keeps what is there.") {
		t.Error(out)
	}
	o.must(`{"min": [-20.5, 0], "max": [100, 100]}`, "map", "print")
	if out := o.must("Zone south has all land of east.", "merge", "east", "south"); !strings.Contains(out, "moves to south") {
		t.Error(out)
	}

	done := make(chan struct{})
	go func() {
		defer close(done)
		o.must("Zone north takes no newcomers.", "drain", "north")
	}()
	for drained := false; !drained; {
		time.Sleep(time.Millisecond)
		north.Poll(func(e store.Event) {
			if e, ok := e.(store.DrainAsked); ok {
				north.SetRecord(func(r *store.Record) { r.Draining = true })
				north.Renew(0)
				e.Answer()
				drained = true
			}
		})
	}
	<-done
	if err := north.Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	o.must("drains", "status")
	o.fails("zone east of world vale does not answer", "drain", "east")
	o.fails("no zone \"west\" on the map", "drain", "west")
}

// Zones keep names and numbers, whatever the operator writes.
func TestMapKeepsNumbers(t *testing.T) {
	o := newOperator(t)
	o.runs("old", store.Record{Number: 9, Instance: "a"})
	o.must("2 zones", "map", o.file(twoZones))
	o.must("not on the map", "status")
	for from, c := range map[string]struct{ to, want string }{
		`"number": 1`: {`"number": 3`, "zone north has number 1 and cannot have number 3"},
		`"number": 2`: {`"number": 9`, "zone south has number 2"},
		`"south"`:     {`"west"`, "number 2 is the one of zone south"},
	} {
		o.fails(c.want, "map", o.file(strings.Replace(twoZones, from, c.to, 1)))
	}
	with := func(zone string) string { return o.file(strings.TrimSuffix(twoZones, "]}") + "," + zone + "]}") }
	o.fails("number 9 is the one of zone old and cannot be the one of new", "map", with(`{"name": "new", "number": 9, "land": []}`))
	o.fails("zone old has number 9 and cannot have number 3", "map", with(`{"name": "old", "number": 3, "land": []}`))
	o.must("3 zones", "map", with(`{"name": "eight", "number": 8, "land": []}`))
	o.fails("number 9 is the one of zone old", "split", "north", "east", "x", "0")
	o.fails("zone south is missing", "map", o.file(`{"zones": [{"name": "north", "number": 1}, {"name": "eight", "number": 8}]}`))
	o.fails("map.json: land: the map has no zones", "map", o.file(`{}`))
	o.fails("no such file", "map", "/missing.json")
	o.must(`"north"`, "map", "print")
	o.fails("does not cross", "split", "north", "east", "x", "100")
	o.fails("no zone \"west\"", "merge", "west", "north")
}

func TestMisuse(t *testing.T) {
	o := operator{t, "nats://127.0.0.1:1"}
	for want, args := range map[string][]string{
		"name a command":                     {},
		`no command "stauts"`:                {"stauts"},
		`map takes a file in JSON, or print`: {"map"},
		`status takes no arguments`:          {"status", "x"},
		`split takes the zone`:               {"split", "a", "b", "x"},
		`merge takes`:                        {"merge", "a"},
		`drain takes`:                        {"drain"},
		`not defined: -word`:                 {"-word", "status"},
		"name the world":                     {"-world", "", "status"},
	} {
		_, err := o.try(args...)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, new(misuse)) {
			t.Errorf("zones %v: error %v, want one with %q", args, err, want)
		}
	}
	out, err := o.try("-h")
	if !errors.Is(err, flag.ErrHelp) || !strings.Contains(out, "zones [flags] merge FROM INTO") || !strings.Contains(out, "-creds file") {
		t.Errorf("error %v, output\n%s", err, out)
	}
	// Flags may stand behind the command, too.
	if _, err := o.try("status", "-world", "a.b"); err == nil || !strings.Contains(err.Error(), "a.b") {
		t.Errorf("error %v", err)
	}
	if _, err := o.try("status", "-wait", "100ms"); err == nil || !strings.Contains(err.Error(), "Is NATS at nats://127.0.0.1:1") {
		t.Errorf("error %v", err)
	}
}
