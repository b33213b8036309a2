package play

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/referee"
	"github.com/tandem-ecs/tandem/demo/internal/arena/seat"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/guestlist"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// keeper is a house with nothing in it but a guest list that is kept.
type keeper struct {
	*house
	t   *testing.T
	s   serving
	log bytes.Buffer
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	k := &keeper{t: t, s: serving{guests: filepath.Join(t.TempDir(), "guests.json")}}
	logger := slog.New(slog.NewTextHandler(&k.log, nil))
	g, err := k.s.openGuests(logger)
	if err != nil {
		t.Fatal(err)
	}
	k.house = &house{lobby: &lobby{guests: g}, log: logger}
	return k
}

func (k *keeper) list() *guests { return k.lobby.guests }

// ban changes the list as a player who comes does.
func (k *keeper) ban(addr string) {
	k.t.Helper()
	if _, err := k.list().list.Ban(time.Now(), nil, addr, ""); err != nil {
		k.t.Fatal(err)
	}
	k.note(true)
	k.note(false)
}

// saved is how many bans are in the file when a save that is under way is over.
func (k *keeper) saved() int {
	k.t.Helper()
	k.tell(k.list().settle(true))
	again, err := k.s.openGuests(k.house.log)
	if err != nil {
		k.t.Fatal(err)
	}
	return len(again.list.Bans())
}

// Players who come and go have the guest list saved once a second and at the end, not each by himself.
func TestGuestListIsSavedNowAndThen(t *testing.T) {
	k := newKeeper(t)
	k.ban("203.0.113.1")
	k.keep(saveEvery - 1)
	if n := k.saved(); n != 0 {
		t.Errorf("after less than a second %d are saved", n)
	}
	k.keep(1)
	if n := k.saved(); n != 1 {
		t.Errorf("after a second %d are saved, want 1", n)
	}
	k.keep(time.Hour) // nothing has changed
	k.ban("203.0.113.2")
	k.keep(1)
	if n := k.saved(); n != 2 {
		t.Errorf("when nothing was saved for long %d are, want 2 at once", n)
	}
	k.ban("203.0.113.3")
	k.keep(1)
	k.keepLast()
	if n := k.saved(); n != 3 {
		t.Errorf("at the end %d are saved, want all 3", n)
	}
}

// However long the disk takes, the game goes on; what changes meanwhile is saved afterwards, and an operator's command and the end wait for what is under way.
func TestGameDoesNotWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		const slow = time.Minute
		var writes atomic.Int32
		k.list().put = func(name string, text []byte) error {
			time.Sleep(slow)
			writes.Add(1)
			return writeKept(name, text)
		}
		begin := time.Now()
		for i := range 100 {
			k.ban("203.0.113." + string(rune('0'+i%10)))
			k.keep(saveEvery)
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("the game has waited for %v", waited)
		}
		time.Sleep(slow)
		synctest.Wait()
		k.keep(saveEvery)
		if n := writes.Load(); n != 1 {
			t.Errorf("%d saves at once, want 1", n)
		}
		time.Sleep(slow)
		synctest.Wait()
		k.keep(saveEvery)
		if n := writes.Load(); n != 2 || k.saved() != 100 {
			t.Errorf("after %d saves %d bans are in the file, want all 100 after 2", n, k.saved())
		}
		k.ban("198.51.100.1")
		k.keep(saveEvery) // one is under way
		k.ban("198.51.100.2")
		begin = time.Now()
		if err := k.list().save(); err != nil || time.Since(begin) != 2*slow || k.saved() != 102 {
			t.Errorf("a command: %v after %v, and %d bans in the file", err, time.Since(begin), k.saved())
		}
		k.ban("198.51.100.3")
		k.keep(saveEvery)
		k.ban("198.51.100.4")
		if k.keepLast(); k.saved() != 104 {
			t.Errorf("at the end there are %d bans in the file, want 104", k.saved())
		}
	})
}

// A disk that is full is reported once and not every second, and once more when it is full again after it was not.
func TestFullDiskIsReportedOnce(t *testing.T) {
	k := newKeeper(t)
	full := true
	k.list().put = func(name string, text []byte) error {
		if full {
			return errors.New("no space left")
		}
		return writeKept(name, text)
	}
	fill := func() {
		for range 10 {
			k.ban("203.0.113.1")
			k.keep(saveEvery)
			k.tell(k.list().settle(true))
		}
	}
	fill()
	if n := strings.Count(k.log.String(), "no space left"); n != 1 {
		t.Errorf("reported %d times", n)
	}
	full = false
	k.keepLast()
	if n := k.saved(); n != 10 {
		t.Errorf("at the end there are %d bans in the file, want 10", n)
	}
	full = true
	fill()
	if n := strings.Count(k.log.String(), "no space left"); n != 2 {
		t.Errorf("reported %d times, want 2", n)
	}
}

// An operator, or the network, sets the host's clock back or ahead. Who plays goes on playing, the guest list is saved as before, and invitations end when the calendar says so, as they do after a
// restart: what is written down is a date.
func TestClockIsSetBack(t *testing.T) {
	k := newKeeper(t)
	date := time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)
	g := k.list()
	g.clock = func() time.Time { return date }
	v := newVirtual(t, func(c *referee.Config) {
		c.Joined = g.joined
		c.Heard = func(p *referee.Player) { k.note(g.list.Heard(p.Token(), p.Key())) }
		c.Left = func(p *referee.Player, kicked bool) { k.note(g.list.Left(p.Token(), p.Key(), kicked)) }
	})
	k.match = v.house.match
	k.lobby.token, k.lobby.links = "the server's own", []joinlink.Link{{Transport: joinlink.WS, Host: "localhost", Port: 1, Path: "/"}}
	player := v.join(seat.Link{}, seat.Fixed(circle))
	v.run(time.Second, nil)
	var out strings.Builder
	if err := k.command("invite 2 1h", &out); err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(strings.TrimSpace(out.String()), "#+")
	may := func(g *guests) error {
		return (&lobby{guests: g, token: "the server's own"}).admit(netcode.Candidate{Addr: "203.0.113.9:1", Token: []byte(token)})
	}
	for _, test := range []struct {
		ahead time.Duration // of when the invitation was made
		want  error
	}{
		{0, nil}, {59 * time.Minute, nil}, {time.Hour, guestlist.ErrExpired}, {-24 * time.Hour, nil}, {24 * time.Hour, guestlist.ErrExpired}, {30 * time.Minute, nil},
	} {
		date = time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC).Add(test.ahead)
		before := v.house.match.Engine().Time().Tick
		v.run(time.Second, nil)
		if ran := v.house.match.Engine().Time().Tick - before; ran < 60 || ran > 61 {
			t.Errorf("%v: %d ticks in a second", test.ahead, ran)
		}
		if s, reason := player.Client().Status(); s != netcode.Playing {
			t.Errorf("%v: who plays is %v: %v", test.ahead, s, reason)
		}
		k.ban("198.51.100.7")
		bans := len(g.list.Bans())
		k.keep(saveEvery)
		if n := k.saved(); n != bans {
			t.Errorf("%v: %d of %d bans are saved", test.ahead, n, bans)
		}
		if err := may(g); !errors.Is(err, test.want) {
			t.Errorf("%v: the invitation: %v, want %v", test.ahead, err, test.want)
		}
		again, err := k.s.openGuests(k.house.log)
		if err != nil {
			t.Fatal(err)
		}
		again.clock = g.clock
		if err := may(again); !errors.Is(err, test.want) {
			t.Errorf("%v: after a restart the invitation: %v, want %v", test.ahead, err, test.want)
		}
	}
}
