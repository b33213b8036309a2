package access_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/access"
)

var none [32]byte

func id(i byte) [32]byte { return [32]byte{0: i, 31: 1} }

func manyIDs(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%064x", i+1)
	}
	return all
}

// reread returns the list as it is after a restart.
func reread(t interface{ Fatal(...any) }, l *access.List) *access.List {
	text, err := l.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	var again access.List
	if err := again.UnmarshalText(text); err != nil {
		t.Fatal(err)
	}
	if text2, _ := again.MarshalText(); string(text2) != string(text) {
		t.Fatal("read again it is\n" + string(text2) + "\ninstead of\n" + string(text))
	}
	return &again
}

// Each case lists the events for an invitation for one player. The test checks the answers to
// clients that join afterwards without a resume ID, with ID 1 and with ID 2.
func TestComingBack(t *testing.T) {
	token := []byte("for one")
	joined := func(previous, new [32]byte) func(*access.List) {
		return func(l *access.List) { l.Joined(token, previous, new) }
	}
	confirmed := func(i byte) func(*access.List) { return func(l *access.List) { l.Confirmed(token, id(i)) } }
	left := func(i byte, kicked bool) func(*access.List) {
		return func(l *access.List) { l.Left(token, id(i), kicked) }
	}
	restart := func(l *access.List) { *l = *reread(t, l) }
	type steps []func(*access.List)
	began := steps{joined(none, id(1)), confirmed(1)}
	held, used := access.ErrHeld, access.ErrUsed
	var banned *access.BannedError
	for _, c := range []struct {
		name                string
		steps               steps
		newcomer, one, two  error
		expired, oneExpired error
	}{
		{"nothing", nil, nil, nil, nil, access.ErrExpired, access.ErrExpired},
		{"not confirmed yet", steps{joined(none, id(1))}, held, held, held, access.ErrExpired, held},
		{"never confirmed", steps{joined(none, id(1)), left(1, false)}, nil, nil, nil, access.ErrExpired, access.ErrExpired},
		{"not confirmed before a restart", steps{joined(none, id(1)), restart}, nil, nil, nil, access.ErrExpired, access.ErrExpired},
		{"in", began, used, held, used, access.ErrExpired, held},
		{"gone", append(began[:2:2], left(1, false)), used, nil, used, access.ErrExpired, nil},
		{"restarted", append(began[:2:2], restart), used, nil, used, access.ErrExpired, nil},
		{"back, not confirmed yet", append(began[:2:2], restart, joined(id(1), id(2))), used, held, held, access.ErrExpired, held},
		{"back, never confirmed", append(began[:2:2], restart, joined(id(1), id(2)), left(2, false)), used, nil, used, access.ErrExpired, nil},
		{"back, restarted before it is confirmed", append(began[:2:2], restart, joined(id(1), id(2)), restart), used, nil, used, access.ErrExpired, nil},
		{"back and in", append(began[:2:2], restart, joined(id(1), id(2)), confirmed(2)), used, used, held, access.ErrExpired, access.ErrExpired},
		{"back and gone", append(began[:2:2], restart, joined(id(1), id(2)), confirmed(2), left(2, false)), used, used, nil, access.ErrExpired, access.ErrExpired},
		{"kicked", append(began[:2:2], left(1, true)), used, used, used, access.ErrExpired, access.ErrExpired},
		{"kicked and restarted", append(began[:2:2], left(1, true), restart), used, used, used, access.ErrExpired, access.ErrExpired},
		{"kicked before it is confirmed", steps{joined(none, id(1)), left(1, true)}, used, used, used, access.ErrExpired, access.ErrExpired},
		{"back, kicked before it is confirmed", append(began[:2:2], restart, joined(id(1), id(2)), left(2, true), restart), used, used, used, access.ErrExpired, access.ErrExpired},
		{"left twice", steps{joined(none, id(1)), left(1, false), left(1, false), joined(none, id(2)), confirmed(2)}, used, used, held, access.ErrExpired, access.ErrExpired},
		{"two by one ID", append(began[:2:2], restart, joined(id(1), id(2)), joined(id(1), id(3)), confirmed(2), confirmed(3), left(3, false)), used, used, held, access.ErrExpired, access.ErrExpired},
		{"invited anew", append(began[:2:2], func(l *access.List) { _ = l.Add(token, access.Invitation{Uses: 1, Expires: noon.Add(time.Hour)}) }, left(1, false)), nil, nil, nil, access.ErrExpired, access.ErrExpired},
		{"pruned while it is in", append(began[:2:2], func(l *access.List) { l.Prune(noon) }), used, held, used, access.ErrExpired, held},
		{"pruned while it is away", append(began[:2:2], left(1, false), func(l *access.List) { l.Prune(noon) }), access.ErrToken, access.ErrToken, access.ErrToken, access.ErrToken, access.ErrToken},
	} {
		var l access.List
		if err := l.Add(token, access.Invitation{Uses: 1, Expires: noon.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if err := l.Add([]byte("another"), access.Invitation{Uses: 0}); err != nil {
			t.Fatal(err)
		}
		for _, step := range c.steps {
			step(&l)
		}
		check := func(now time.Time, who [32]byte, want error) {
			t.Helper()
			if err := l.Check(now, "loopback", token, who, false); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", c.name, err, want)
			}
		}
		check(noon, none, c.newcomer)
		check(noon, id(1), c.one)
		check(noon, id(2), c.two)
		check(noon.Add(time.Hour), none, c.expired)
		check(noon.Add(time.Hour), id(1), c.oneExpired)
		if err := l.Check(noon, "loopback", []byte("another"), id(1), false); err == nil {
			t.Errorf("%s: the ID counts with another token", c.name)
		}
		if _, err := l.Ban(noon, token, "", ""); err != nil {
			t.Fatal(err)
		}
		if err := l.Check(noon, "loopback", token, id(1), false); !errors.As(err, &banned) {
			t.Errorf("%s: a banned token and an ID get %v", c.name, err)
		}
	}
	var later interface{ Temporary() bool }
	if !errors.As(access.ErrHeld, &later) || !later.Temporary() {
		t.Error("a client that finds the link held is not asked to try again")
	}
}

// Whatever players do, there are never more of them in than uses were given out. A player that was
// confirmed, and not kicked, may come back.
func TestUsesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := []byte("some")
		given := rapid.IntRange(0, 4).Draw(t, "uses")
		l := &access.List{}
		if err := l.Add(token, access.Invitation{Uses: given}); err != nil {
			t.Fatal(err)
		}
		// id is the ID that the client has, pending that of the place where it is.
		type person struct{ id, pending [32]byte }
		var people []*person
		var in []*person // a client may try to be in twice
		last := byte(0)
		use := 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			var p *person
			if len(in) > 0 {
				p = rapid.SampledFrom(in).Draw(t, "who")
			}
			gone := func() {
				for i, other := range in {
					if other == p {
						in = append(in[:i], in[i+1:]...)
						break
					}
				}
			}
			switch what := rapid.SampledFrom([]string{"new", "back", "confirmed", "left", "kicked", "restart"}).Draw(t, "what"); {
			case what == "new":
				if l.Check(noon, "", token, none, false) == nil {
					last++
					p := &person{pending: id(last)}
					l.Joined(token, none, p.pending)
					people, in = append(people, p), append(in, p)
				}
			case what == "back" && len(people) > 0:
				old := rapid.SampledFrom(people).Draw(t, "old")
				if old.id != none && l.Check(noon, "", token, old.id, false) == nil {
					last++
					p := &person{id: old.id, pending: id(last)}
					l.Joined(token, old.id, p.pending)
					people, in = append(people, p), append(in, p)
				}
			case what == "confirmed" && p != nil:
				if l.Confirmed(token, p.pending) {
					if p.id == none {
						use++
					}
					p.id = p.pending
				}
			case what == "left" && p != nil:
				was := p.id == p.pending
				if l.Left(token, p.pending, false); was {
					if err := l.Check(noon, "", token, p.id, false); err != nil {
						t.Fatalf("a confirmed player may not come back: %v", err)
					}
				}
				gone()
			case what == "kicked" && p != nil:
				if l.Left(token, p.pending, true); p.id == p.pending && l.Check(noon, "", token, p.id, false) == nil && use >= given {
					t.Fatal("a kicked player may come back")
				}
				gone()
			case what == "restart":
				l, in = reread(t, l), nil
			}
			if len(in) > given || use > given {
				t.Fatalf("%d are in, %d have been confirmed first, %d uses were given", len(in), use, given)
			}
		}
	})
}

// The number of kept resume IDs is bounded. A link for very many players removes no ID of another
// link's holder.
func TestResumeIDsAreBounded(t *testing.T) {
	var l access.List
	many, one := []byte("many"), []byte("one")
	_ = l.Add(one, access.Invitation{Uses: 1})
	_ = l.Add(many, access.Invitation{Uses: 3 * access.MaxResumeIDs})
	join := func(token []byte, as [32]byte) {
		l.Joined(token, none, as)
		l.Confirmed(token, as)
		l.Left(token, as, false)
	}
	wide := func(i int) [32]byte { return [32]byte{0: byte(i), 1: byte(i >> 8), 31: 2} }
	join(many, wide(0))
	join(one, id(1))
	for i := 1; i < access.MaxResumeIDs+100; i++ {
		join(many, wide(i))
	}
	text, _ := l.MarshalText()
	if n := strings.Count(string(text), "\n        \""); n != access.MaxResumeIDs {
		t.Errorf("%d IDs are remembered, want %d", n, access.MaxResumeIDs)
	}
	if err := l.Check(noon, "", one, id(1), false); err != nil {
		t.Errorf("the holder of the other link: %v", err)
	}
	// IDs of players that are in are never removed for others, and beyond the bound uses are spent.
	for i := range access.MaxResumeIDs + 10 {
		l.Joined(many, none, wide(2*access.MaxResumeIDs+i))
	}
	if !l.Confirmed(many, wide(2*access.MaxResumeIDs)) || l.Confirmed(many, wide(3*access.MaxResumeIDs+9)) {
		t.Error("not the first are remembered")
	}
}
