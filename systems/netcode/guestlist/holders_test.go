package guestlist_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/guestlist"
)

var none [32]byte

func key(i byte) [32]byte { return [32]byte{0: i, 31: 1} }

func manyKeys(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%064x", i+1)
	}
	return all
}

// reread is the list after a restart.
func reread(t interface{ Fatal(...any) }, l *guestlist.List) *guestlist.List {
	text, err := l.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	var again guestlist.List
	if err := again.UnmarshalText(text); err != nil {
		t.Fatal(err)
	}
	if text2, _ := again.MarshalText(); string(text2) != string(text) {
		t.Fatal("read again it is\n" + string(text2) + "\ninstead of\n" + string(text))
	}
	return &again
}

// Each case is what happens to an invitation for one, and who may join by it then: with no key, and with the keys 1 and 2.
func TestComingBack(t *testing.T) {
	token := []byte("for one")
	joined := func(former, new [32]byte) func(*guestlist.List) {
		return func(l *guestlist.List) { l.Joined(token, former, new) }
	}
	heard := func(i byte) func(*guestlist.List) { return func(l *guestlist.List) { l.Heard(token, key(i)) } }
	left := func(i byte, kicked bool) func(*guestlist.List) {
		return func(l *guestlist.List) { l.Left(token, key(i), kicked) }
	}
	restart := func(l *guestlist.List) { *l = *reread(t, l) }
	type steps []func(*guestlist.List)
	began := steps{joined(none, key(1)), heard(1)}
	held, used := guestlist.ErrHeld, guestlist.ErrUsed
	var banned *guestlist.BannedError
	for _, c := range []struct {
		name                string
		steps               steps
		newcomer, one, two  error
		expired, oneExpired error
	}{
		{"nothing", nil, nil, nil, nil, guestlist.ErrExpired, guestlist.ErrExpired},
		{"not heard yet", steps{joined(none, key(1))}, held, held, held, guestlist.ErrExpired, held},
		{"never heard", steps{joined(none, key(1)), left(1, false)}, nil, nil, nil, guestlist.ErrExpired, guestlist.ErrExpired},
		{"not heard before a restart", steps{joined(none, key(1)), restart}, nil, nil, nil, guestlist.ErrExpired, guestlist.ErrExpired},
		{"in", began, used, held, used, guestlist.ErrExpired, held},
		{"gone", append(began[:2:2], left(1, false)), used, nil, used, guestlist.ErrExpired, nil},
		{"restarted", append(began[:2:2], restart), used, nil, used, guestlist.ErrExpired, nil},
		{"back, not heard yet", append(began[:2:2], restart, joined(key(1), key(2))), used, held, held, guestlist.ErrExpired, held},
		{"back, never heard", append(began[:2:2], restart, joined(key(1), key(2)), left(2, false)), used, nil, used, guestlist.ErrExpired, nil},
		{"back, restarted before he was heard", append(began[:2:2], restart, joined(key(1), key(2)), restart), used, nil, used, guestlist.ErrExpired, nil},
		{"back and in", append(began[:2:2], restart, joined(key(1), key(2)), heard(2)), used, used, held, guestlist.ErrExpired, guestlist.ErrExpired},
		{"back and gone", append(began[:2:2], restart, joined(key(1), key(2)), heard(2), left(2, false)), used, used, nil, guestlist.ErrExpired, guestlist.ErrExpired},
		{"kicked", append(began[:2:2], left(1, true)), used, used, used, guestlist.ErrExpired, guestlist.ErrExpired},
		{"kicked and restarted", append(began[:2:2], left(1, true), restart), used, used, used, guestlist.ErrExpired, guestlist.ErrExpired},
		{"kicked before he was heard", steps{joined(none, key(1)), left(1, true)}, used, used, used, guestlist.ErrExpired, guestlist.ErrExpired},
		{"back, kicked before he was heard", append(began[:2:2], restart, joined(key(1), key(2)), left(2, true), restart), used, used, used, guestlist.ErrExpired, guestlist.ErrExpired},
		{"left twice", steps{joined(none, key(1)), left(1, false), left(1, false), joined(none, key(2)), heard(2)}, used, used, held, guestlist.ErrExpired, guestlist.ErrExpired},
		{"two by one key", append(began[:2:2], restart, joined(key(1), key(2)), joined(key(1), key(3)), heard(2), heard(3), left(3, false)), used, used, held, guestlist.ErrExpired, guestlist.ErrExpired},
		{"invited anew", append(began[:2:2], func(l *guestlist.List) { _ = l.Add(token, guestlist.Token{Uses: 1, Expires: noon.Add(time.Hour)}) }, left(1, false)), nil, nil, nil, guestlist.ErrExpired, guestlist.ErrExpired},
		{"pruned while he is in", append(began[:2:2], func(l *guestlist.List) { l.Prune(noon) }), used, held, used, guestlist.ErrExpired, held},
		{"pruned while he is away", append(began[:2:2], left(1, false), func(l *guestlist.List) { l.Prune(noon) }), guestlist.ErrToken, guestlist.ErrToken, guestlist.ErrToken, guestlist.ErrToken, guestlist.ErrToken},
	} {
		var l guestlist.List
		if err := l.Add(token, guestlist.Token{Uses: 1, Expires: noon.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if err := l.Add([]byte("another"), guestlist.Token{Uses: 0}); err != nil {
			t.Fatal(err)
		}
		for _, step := range c.steps {
			step(&l)
		}
		check := func(now time.Time, key [32]byte, want error) {
			t.Helper()
			if err := l.Check(now, "loopback", token, key, false); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", c.name, err, want)
			}
		}
		check(noon, none, c.newcomer)
		check(noon, key(1), c.one)
		check(noon, key(2), c.two)
		check(noon.Add(time.Hour), none, c.expired)
		check(noon.Add(time.Hour), key(1), c.oneExpired)
		if err := l.Check(noon, "loopback", []byte("another"), key(1), false); err == nil {
			t.Errorf("%s: the key counts with another token", c.name)
		}
		if _, err := l.Ban(noon, token, "", ""); err != nil {
			t.Fatal(err)
		}
		if err := l.Check(noon, "loopback", token, key(1), false); !errors.As(err, &banned) {
			t.Errorf("%s: a banned token and a key get %v", c.name, err)
		}
	}
	var later interface{ Temporary() bool }
	if !errors.As(guestlist.ErrHeld, &later) || !later.Temporary() {
		t.Error("who finds the link held is not told to try again")
	}
}

// Whatever players do, no more of them are in than uses were given out; and who was heard, and not kicked, may come back.
func TestUsesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := []byte("some")
		given := rapid.IntRange(0, 4).Draw(t, "uses")
		l := &guestlist.List{}
		if err := l.Add(token, guestlist.Token{Uses: given}); err != nil {
			t.Fatal(err)
		}
		type person struct{ key, pending [32]byte } // what he knows of; and of the place where he is
		var people []*person
		var in []*person // a person may try to be in twice
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
			switch what := rapid.SampledFrom([]string{"new", "back", "heard", "left", "kicked", "restart"}).Draw(t, "what"); {
			case what == "new":
				if l.Check(noon, "", token, none, false) == nil {
					last++
					p := &person{pending: key(last)}
					l.Joined(token, none, p.pending)
					people, in = append(people, p), append(in, p)
				}
			case what == "back" && len(people) > 0:
				old := rapid.SampledFrom(people).Draw(t, "old")
				if old.key != none && l.Check(noon, "", token, old.key, false) == nil {
					last++
					p := &person{key: old.key, pending: key(last)}
					l.Joined(token, old.key, p.pending)
					people, in = append(people, p), append(in, p)
				}
			case what == "heard" && p != nil:
				if l.Heard(token, p.pending) {
					if p.key == none {
						use++
					}
					p.key = p.pending
				}
			case what == "left" && p != nil:
				heard := p.key == p.pending
				if l.Left(token, p.pending, false); heard {
					if err := l.Check(noon, "", token, p.key, false); err != nil {
						t.Fatalf("who was heard may not come back: %v", err)
					}
				}
				gone()
			case what == "kicked" && p != nil:
				if l.Left(token, p.pending, true); p.key == p.pending && l.Check(noon, "", token, p.key, false) == nil && use >= given {
					t.Fatal("who was kicked may come back")
				}
				gone()
			case what == "restart":
				l, in = reread(t, l), nil
			}
			if len(in) > given || use > given {
				t.Fatalf("%d are in, %d have been heard first, %d uses were given", len(in), use, given)
			}
		}
	})
}

// What is remembered has a bound; a link for very many takes nothing from who holds another.
func TestKeysAreBounded(t *testing.T) {
	var l guestlist.List
	many, one := []byte("many"), []byte("one")
	_ = l.Add(one, guestlist.Token{Uses: 1})
	_ = l.Add(many, guestlist.Token{Uses: 3 * guestlist.MaxKeys})
	join := func(token []byte, key [32]byte) {
		l.Joined(token, none, key)
		l.Heard(token, key)
		l.Left(token, key, false)
	}
	wide := func(i int) [32]byte { return [32]byte{0: byte(i), 1: byte(i >> 8), 31: 2} }
	join(many, wide(0))
	join(one, key(1))
	for i := 1; i < guestlist.MaxKeys+100; i++ {
		join(many, wide(i))
	}
	text, _ := l.MarshalText()
	if n := strings.Count(string(text), "\n        \""); n != guestlist.MaxKeys {
		t.Errorf("%d keys are remembered, want %d", n, guestlist.MaxKeys)
	}
	if err := l.Check(noon, "", one, key(1), false); err != nil {
		t.Errorf("the holder of the other link: %v", err)
	}
	// Those who are in are never forgotten for somebody else, and beyond the bound uses are spent.
	for i := range guestlist.MaxKeys + 10 {
		l.Joined(many, none, wide(2*guestlist.MaxKeys+i))
	}
	if !l.Heard(many, wide(2*guestlist.MaxKeys)) || l.Heard(many, wide(3*guestlist.MaxKeys+9)) {
		t.Error("not the first are remembered")
	}
}
