package dtls

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// opened completes the lane's handshake, and returns the owner's end of its connection.
func opened(l *lane) *mailbox.Conn {
	owner, worker := mailbox.New(mailboxConfig(Config{}.withDefaults(), 0, ""), transport.Open)
	l.open(worker)
	return owner
}

// A client floods. The library receives no more than the budget of datagrams and of bytes, and a
// tenth of it while the client is untrusted.
func TestBudget(t *testing.T) {
	for name, test := range map[string]struct {
		size      int
		untrusted bool
		want      int // in 10 s: the burst, and ten seconds of the rate
	}{
		"small":            {40, false, 4000 + 20_000},
		"large":            {2000, false, (4_000_000 + 20_000_000) / (2000 + recordHeader + idSize)},
		"small, untrusted": {40, true, 400 + 2000},
		"large, untrusted": {2000, true, (400_000 + 2_000_000) / (2000 + recordHeader + idSize)},
	} {
		f, _, l := begin(t)
		owner := opened(l)
		owner.SetUntrusted(test.untrusted)
		b, buf, passed, sent := record(typeConnectionID, 1, l.id, test.size), make([]byte, 4096), 0, 0
		for now := time.Second; now < 11*time.Second; now += 20 * time.Microsecond {
			sent++
			f.receive(now, somebody, nil, b)
			if waiting(l) > 0 {
				passed++
				l.ReadFrom(buf)
			}
		}
		if passed < test.want-2 || passed > test.want+2 {
			t.Errorf("%s: %d of %d passed in 10 s, want %d", name, passed, sent, test.want)
		}
		if lost := owner.Stats().ReceiveDropped; lost != uint64(sent-passed) {
			t.Errorf("%s: %d counted as lost, want %d", name, lost, sent-passed)
		}
		f.receive(time.Minute, somebody, nil, b)
		if waiting(l) != 1 {
			t.Errorf("%s: nothing passes after the flood", name)
		}
	}
}

// The worst that a network can do with a client's datagrams: they are sent at the highest rate and
// arrive three times each, and now and then nothing arrives for two seconds and then everything at
// once. None is beyond the budget.
func TestBudgetOfAClientOnABadLine(t *testing.T) {
	f, _, l := begin(t)
	opened(l)
	b, buf, random := record(typeConnectionID, 1, l.id, maxPlainSize-recordHeader-idSize), make([]byte, 2048), rand.New(rand.NewPCG(1, 1))
	held, release := 0, time.Duration(0)
	for now := time.Second; now < 5*time.Minute; now += time.Second / 240 {
		held += 3
		if random.IntN(2000) == 0 {
			release = now + 2*time.Second
		}
		if now < release {
			continue
		}
		for ; held > 0; held-- {
			f.receive(now, somebody, nil, b)
			if waiting(l) != 1 {
				t.Fatalf("at %v one was beyond the budget", now)
			}
			l.ReadFrom(buf)
		}
	}
}

// An attacker floods a connection with forged records that have its id. Records beyond the budget
// are dropped, no connection is closed, another player is not affected, and the client goes on
// afterwards.
func TestFloodOfForgedRecords(t *testing.T) {
	l := listenOpen(t, Config{ClientDatagrams: Rate{PerSecond: 20, Burst: 100}})
	r, server := newRogue(t, l)
	other, there := newRogue(t, l)
	if !r.arrives(server) || !other.arrives(there) {
		t.Fatal("closed at once")
	}
	forged := record(typeConnectionID, 1, connID(r.id), 100)
	dropped, genuine := server.Stats().ReceiveDropped, r.sent
	for round := 1; ; round++ {
		for range 20 {
			for range 200 { // fewer than any socket's buffer holds
				r.send(forged)
			}
			if !other.arrives(there) {
				t.Fatalf("a player was closed: %v", there.CloseReason())
			}
		}
		if !r.arrives(server) {
			t.Fatalf("closed because %v", server.CloseReason())
		}
		// Genuine ones beyond the budget count too.
		if server.Stats().ReceiveDropped-dropped > uint64(r.sent-genuine) {
			return
		}
		if round == 20 {
			t.Fatal("all of the flood was within the budget: the test shows nothing")
		}
	}
}
