package play

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/referee"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A file that cannot be written stays as it was, with nothing beside it; one that can is the target of a link where there is one.
func TestKeptFilesAreWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "guests.json")
	if err := writeKept(name, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(name+".new", 0o700); err != nil { // in the way, as a full disk or a folder that is not to be written would be
		t.Fatal(err)
	}
	if err := writeKept(name, []byte("new")); err == nil {
		t.Error("no error where the file cannot be written")
	}
	if text, err := readKept(name); err != nil || string(text) != "old" {
		t.Errorf("after a failure there is %q, %v", text, err)
	}
	if err := os.Remove(name + ".new"); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(name, link); err == nil { // Windows may not let us
		if err := writeKept(link, []byte("linked")); err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(name); string(text) != "linked" {
			t.Errorf("where the link leads there is %q", text)
		}
	}
	other := filepath.Join(dir, "folder")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeKept(other, []byte("new")); err == nil {
		t.Error("a folder was overwritten")
	}
	if _, err := os.Stat(other + ".new"); err == nil {
		t.Error("half of the work is left beside the folder")
	}
	if err := writeKept(name, make([]byte, maxKept+1)); err != nil {
		t.Fatal(err)
	}
	if _, err := readKept(name); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("of a file without end: %v", err)
	}
}

// An operator whose guest list cannot be saved is told so when the server starts and by every command, which holds all the same; and what has changed is saved when the server ends, if it can be then.
func TestOperatorIsToldWhatIsNotSaved(t *testing.T) {
	s := serving{guests: filepath.Join(t.TempDir(), "guests.json")}
	obstacle := s.guests + ".new"
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	block := func() {
		if err := os.Mkdir(obstacle, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	block()
	if _, err := s.openGuests(logger); err == nil || !strings.Contains(err.Error(), "-guests") || log.Len() > 0 {
		t.Errorf("a list that cannot be made: %v, %s", err, log.String())
	}
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	if _, err := s.openGuests(logger); err != nil || log.Len() > 0 {
		t.Fatalf("%v, %s", err, log.String())
	}
	block()
	g, err := s.openGuests(logger)
	if err != nil || !strings.Contains(log.String(), "cannot be written") {
		t.Fatalf("a list that cannot be written: %v, %s", err, log.String())
	}
	own := loopback.Listen(loopback.Config{})
	match, err := referee.New(referee.Config{Listener: own, Crates: -1, Log: logger})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{match: match, log: logger, lobby: &lobby{Listener: own, guests: g, links: []joinlink.Link{{Transport: joinlink.WS, Host: "localhost", Port: 1, Path: "/"}}}}
	for line, want := range map[string]string{"invite 3": "tandem+ws://localhost:1/#", "banip 203.0.113.7": "ban 1: 203.0.113.7/32"} {
		var out strings.Builder
		if err := h.command(line, &out); err == nil || !strings.Contains(err.Error(), "holds until this server ends") || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, %q", line, err, out.String())
		}
	}
	if err := g.list.Check(time.Now(), "203.0.113.7:1", nil, [32]byte{}, true); err == nil {
		t.Error("the ban does not hold")
	}
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	h.close()
	again, err := s.openGuests(logger)
	if err != nil || len(again.list.Bans()) != 1 {
		t.Errorf("after the end there is %+v, %v", again, err)
	}
}

// Two servers with one guest list, or an editor beside a server, do not undo each other's bans: the one that comes second is told.
func TestGuestListOfTwo(t *testing.T) {
	s := serving{guests: filepath.Join(t.TempDir(), "guests.json")}
	logger := slog.New(slog.DiscardHandler)
	var servers [2]*guests
	for i := range servers {
		g, err := s.openGuests(logger)
		if err != nil {
			t.Fatal(err)
		}
		servers[i] = g
	}
	for i, addr := range []string{"203.0.113.1", "203.0.113.2", "203.0.113.3"} {
		if _, err := servers[i%2].list.Ban(time.Now(), nil, addr, ""); err != nil {
			t.Fatal(err)
		}
		err := servers[i%2].save()
		if first := i%2 == 0; first != (err == nil) || !first && !strings.Contains(err.Error(), "changed by another") {
			t.Errorf("server %d is told %v", i%2, err)
		}
	}
	again, err := s.openGuests(logger)
	if err != nil || len(again.list.Bans()) != 2 {
		t.Errorf("in the end there is %+v, %v; want the bans of the first", again, err)
	}
	if err := os.Remove(s.guests); err != nil {
		t.Fatal(err)
	}
	if err := again.save(); err != nil {
		t.Errorf("a list that somebody has removed: %v", err)
	}
	if err := os.WriteFile(s.guests, make([]byte, maxKept+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := again.save(); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("a list that somebody has replaced by what cannot be read: %v", err)
	}
	if there, err := os.Stat(s.guests); err != nil || there.Size() != maxKept+1 {
		t.Errorf("what somebody has put in its place is overwritten: %v, %v", there, err)
	}
}

// Who serves to everybody by a link that is good on his machine only is told.
func TestLinksForThisMachine(t *testing.T) {
	before := &joinlink.Link{}
	for _, test := range []struct {
		s    serving
		want bool
	}{
		{serving{listen: ":7777"}, true},
		{serving{listen: "0.0.0.0:7777"}, true},
		{serving{listen: "[::]:7777"}, true},
		{serving{webSocket: webSocket{addr: ":8080"}}, true},
		{serving{webSocket: webSocket{addr: ":8080", before: before}}, false},
		{serving{listen: ":7777", public: "play.example.org"}, false},
		{serving{listen: "127.0.0.1:7777"}, false},
		{serving{listen: "192.0.2.1:7777", webSocket: webSocket{addr: "localhost:8080"}}, false},
		{serving{}, false},
	} {
		var log bytes.Buffer
		test.s.warn(slog.New(slog.NewTextHandler(&log, nil)))
		if got := strings.Contains(log.String(), "-public"); got != test.want {
			t.Errorf("%+v: %q", test.s, log.String())
		}
	}
}
