package host

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/access"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/atomicfile"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// keeper is an access list with a file, without a host.
type keeper struct {
	*accessList
	t   *testing.T
	s   settings
	out bytes.Buffer
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	k := &keeper{t: t, s: settings{Config: Config{Access: filepath.Join(t.TempDir(), "access.json")}}}
	var err error
	if k.accessList, err = k.s.openAccess("", slog.New(slog.NewTextHandler(&k.out, nil))); err != nil {
		t.Fatal(err)
	}
	return k
}

// ban changes the list, as a player that joins does.
func (k *keeper) ban(addr string) {
	k.t.Helper()
	if _, err := k.Ban(time.Now(), nil, addr, ""); err != nil {
		k.t.Fatal(err)
	}
	k.note(true)
	k.note(false)
}

// saved waits for a save that is under way, and returns how many bans the file has.
func (k *keeper) saved() int {
	k.t.Helper()
	k.report(k.settle(true))
	again, err := k.s.openAccess("", k.log)
	if err != nil {
		k.t.Fatal(err)
	}
	return len(again.Bans())
}

// When players join and leave, the access list is saved once a second and at the end, not for each
// player.
func TestAccessListIsSavedNowAndThen(t *testing.T) {
	k := newKeeper(t)
	k.ban("203.0.113.1")
	k.update(saveInterval - 1)
	if n := k.saved(); n != 0 {
		t.Errorf("after less than a second %d are saved", n)
	}
	k.update(1)
	if n := k.saved(); n != 1 {
		t.Errorf("after a second %d are saved, want 1", n)
	}
	k.update(time.Hour) // nothing has changed
	k.ban("203.0.113.2")
	k.update(1)
	if n := k.saved(); n != 2 {
		t.Errorf("when nothing was saved for long %d are, want 2 at once", n)
	}
	k.ban("203.0.113.3")
	k.update(1)
	k.close()
	if n := k.saved(); n != 3 {
		t.Errorf("at the end %d are saved, want all 3", n)
	}
}

// The game does not wait for the disk. Changes during a save are saved afterwards. An operator's
// command and the end wait for the save that is under way.
func TestGameDoesNotWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		const slow = time.Minute
		var writes atomic.Int32
		k.write = func(name string, text []byte) error {
			time.Sleep(slow)
			writes.Add(1)
			return atomicfile.Write(name, text)
		}
		begin := time.Now()
		for i := range 100 {
			k.ban("203.0.113." + string(rune('0'+i%10)))
			k.update(saveInterval)
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("the game has waited for %v", waited)
		}
		time.Sleep(slow)
		synctest.Wait()
		k.update(saveInterval)
		if n := writes.Load(); n != 1 {
			t.Errorf("%d saves at once, want 1", n)
		}
		time.Sleep(slow)
		synctest.Wait()
		k.update(saveInterval)
		if n := writes.Load(); n != 2 || k.saved() != 100 {
			t.Errorf("after %d saves %d bans are in the file, want all 100 after 2", n, k.saved())
		}
		k.ban("198.51.100.1")
		k.update(saveInterval) // a save is under way
		k.ban("198.51.100.2")
		begin = time.Now()
		if err := k.save(); err != nil || time.Since(begin) != 2*slow || k.saved() != 102 {
			t.Errorf("a command: %v after %v, and %d bans in the file", err, time.Since(begin), k.saved())
		}
		k.ban("198.51.100.3")
		k.update(saveInterval)
		k.ban("198.51.100.4")
		if k.close(); k.saved() != 104 {
			t.Errorf("at the end there are %d bans in the file, want 104", k.saved())
		}
	})
}

// A full disk is reported once and not every second. It is reported once more if it is full again
// after a save succeeded.
func TestFullDiskIsReportedOnce(t *testing.T) {
	k := newKeeper(t)
	full := true
	k.write = func(name string, text []byte) error {
		if full {
			return errors.New("no space left")
		}
		return atomicfile.Write(name, text)
	}
	fill := func() {
		for range 10 {
			k.ban("203.0.113.1")
			k.update(saveInterval)
			k.report(k.settle(true))
		}
	}
	fill()
	if n := strings.Count(k.out.String(), "no space left"); n != 1 {
		t.Errorf("reported %d times", n)
	}
	full = false
	k.close()
	if n := k.saved(); n != 10 {
		t.Errorf("at the end there are %d bans in the file, want 10", n)
	}
	full = true
	fill()
	if n := strings.Count(k.out.String(), "no space left"); n != 2 {
		t.Errorf("reported %d times, want 2", n)
	}
}

// A save that failed is not tried again before the list changes: the file may be read-only on
// purpose.
func TestFailedSaveWaitsForTheNextChange(t *testing.T) {
	k := newKeeper(t)
	writes := 0
	k.write = func(string, []byte) error { writes++; return errors.New("read-only") }
	for change := range 2 {
		k.ban("203.0.113.1")
		for range 10 {
			k.update(saveInterval)
			k.report(k.settle(true))
		}
		if writes != change+1 {
			t.Errorf("%d changes were written %d times", change+1, writes)
		}
	}
}

// An operator, or the network, sets the host's clock back or ahead. Players stay in the game, and
// the access list is saved as before. Invitations end when the calendar says so, as they do after a
// restart, since the file has dates.
func TestClockIsSetBack(t *testing.T) {
	k := newKeeper(t)
	noon := time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)
	date := noon
	h := open(t, Config{})
	k.clock, k.token = func() time.Time { return date }, h.token
	h.access = k.accessList
	h.links = []joinlink.Link{{Transport: joinlink.WS, Host: "localhost", Port: 1, Path: "/"}}
	v := serve(t, h, nil)
	player := v.join(h.Token())
	var out strings.Builder
	if err := h.Execute("invite 2 1h", &out); err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(strings.TrimSpace(out.String()), "#+")
	may := func(a *accessList) error {
		return a.authenticate(netcode.JoinRequest{Addr: "203.0.113.9:1", Token: []byte(token)})
	}
	for _, test := range []struct {
		ahead time.Duration // at the time at which the invitation was made
		want  error
	}{
		{0, nil}, {59 * time.Minute, nil}, {time.Hour, access.ErrExpired}, {-24 * time.Hour, nil}, {24 * time.Hour, access.ErrExpired}, {30 * time.Minute, nil},
	} {
		date = noon.Add(test.ahead)
		before := v.engine.Time().Tick
		v.run(time.Second)
		if ran := v.engine.Time().Tick - before; ran < 60 || ran > 61 {
			t.Errorf("%v: %d ticks in a second", test.ahead, ran)
		}
		if s, reason := player.Status(); s != netcode.Playing {
			t.Errorf("%v: the player is %v: %v", test.ahead, s, reason)
		}
		k.ban("198.51.100.7")
		bans := len(k.Bans())
		k.update(saveInterval)
		if n := k.saved(); n != bans {
			t.Errorf("%v: %d of %d bans are saved", test.ahead, n, bans)
		}
		if err := may(k.accessList); !errors.Is(err, test.want) {
			t.Errorf("%v: the invitation: %v, want %v", test.ahead, err, test.want)
		}
		again, err := k.s.openAccess(h.token, k.log)
		if err != nil {
			t.Fatal(err)
		}
		again.clock = k.clock
		if err := may(again); !errors.Is(err, test.want) {
			t.Errorf("%v: after a restart the invitation: %v, want %v", test.ahead, err, test.want)
		}
	}
}

// If the access list cannot be saved, the log at the start and the error of every command say so.
// The command is in effect all the same. The change is saved when the server ends, if the disk
// allows it then.
func TestOperatorSeesWhetherChangesAreSaved(t *testing.T) {
	s := settings{Config: Config{Access: filepath.Join(t.TempDir(), "access.json")}}
	obstacle := s.Access + ".new"
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	block := func() {
		if err := os.MkdirAll(filepath.Join(obstacle, "full"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	block()
	var wrong *ConfigError
	if _, err := Open(Config{Access: s.Access, Log: logger}); !errors.As(err, &wrong) || wrong.Field != "Access" || log.Len() > 0 {
		t.Errorf("a list that cannot be made: %v, %s", err, log.String())
	}
	if err := os.RemoveAll(obstacle); err != nil {
		t.Fatal(err)
	}
	if _, err := s.openAccess("", logger); err != nil || log.Len() > 0 {
		t.Fatalf("%v, %s", err, log.String())
	}
	block()
	h := open(t, Config{Access: s.Access, Log: logger})
	if !strings.Contains(log.String(), "cannot be written") {
		t.Fatalf("a list that cannot be written: %s", log.String())
	}
	h.links = []joinlink.Link{{Transport: joinlink.WS, Host: "localhost", Port: 1, Path: "/"}}
	serve(t, h, nil)
	for line, want := range map[string]string{"invite 3": "tandem+ws://localhost:1/#", "banip 203.0.113.7": "ban 1: 203.0.113.7/32"} {
		var out strings.Builder
		if err := h.Execute(line, &out); err == nil || !strings.Contains(err.Error(), "holds until this server ends") || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, %q", line, err, out.String())
		}
	}
	if err := h.access.Check(time.Now(), "203.0.113.7:1", nil, [32]byte{}, true); err == nil {
		t.Error("the ban does not hold")
	}
	if err := os.RemoveAll(obstacle); err != nil {
		t.Fatal(err)
	}
	h.Close()
	again, err := s.openAccess("", logger)
	if err != nil || len(again.Bans()) != 1 {
		t.Errorf("after the end there is %+v, %v", again, err)
	}
}

// Two servers with one access list, or an editor beside a server, do not undo each other's bans:
// the second writer gets an error.
func TestAccessListOfTwo(t *testing.T) {
	s := settings{Config: Config{Access: filepath.Join(t.TempDir(), "access.json")}}
	logger := slog.New(slog.DiscardHandler)
	var servers [2]*accessList
	for i := range servers {
		g, err := s.openAccess("", logger)
		if err != nil {
			t.Fatal(err)
		}
		servers[i] = g
	}
	for i, addr := range []string{"203.0.113.1", "203.0.113.2", "203.0.113.3"} {
		if _, err := servers[i%2].Ban(time.Now(), nil, addr, ""); err != nil {
			t.Fatal(err)
		}
		err := servers[i%2].save()
		if first := i%2 == 0; first != (err == nil) || !first && !strings.Contains(err.Error(), "changed by another") {
			t.Errorf("server %d is told %v", i%2, err)
		}
	}
	again, err := s.openAccess("", logger)
	if err != nil || len(again.Bans()) != 2 {
		t.Errorf("in the end there is %+v, %v; want the bans of the first", again, err)
	}
	if err := os.Remove(s.Access); err != nil {
		t.Fatal(err)
	}
	if err := again.save(); err != nil {
		t.Errorf("a list that somebody has removed: %v", err)
	}
	if err := os.WriteFile(s.Access, make([]byte, atomicfile.MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := again.save(); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("a list that somebody has replaced by what cannot be read: %v", err)
	}
	if there, err := os.Stat(s.Access); err != nil || there.Size() != atomicfile.MaxSize+1 {
		t.Errorf("what somebody has put in its place is overwritten: %v, %v", there, err)
	}
}
