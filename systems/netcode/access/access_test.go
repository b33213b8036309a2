package access_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/access"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func TestTokens(t *testing.T) {
	var l access.List
	at := "203.0.113.7:4000"
	if err := l.Check(noon, at, []byte("any"), none, false); !errors.Is(err, access.ErrToken) {
		t.Errorf("an empty list says %v", err)
	}
	for _, add := range []struct {
		token string
		terms access.Invitation
	}{{"all", access.Invitation{Uses: -1}}, {"twice", access.Invitation{Uses: 2}}, {"hour", access.Invitation{Uses: -1, Expires: noon.Add(time.Hour)}}} {
		if err := l.Add([]byte(add.token), add.terms); err != nil {
			t.Fatal(err)
		}
	}
	check := func(token string, now time.Time, want error) {
		t.Helper()
		if err := l.Check(now, at, []byte(token), none, false); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", token, err, want)
		}
	}
	check("all", noon.AddDate(100, 0, 0), nil)
	for range 5 { // Check takes no use
		check("twice", noon, nil)
	}
	for i := range byte(2) {
		l.Joined([]byte("twice"), none, id(i))
	}
	check("twice", noon, access.ErrHeld)
	for i, changes := range []bool{true, true, false} {
		if l.Confirmed([]byte("twice"), id(byte(i))) != changes {
			t.Error("Confirmed reports wrongly whether something has changed")
		}
	}
	check("twice", noon, access.ErrUsed)
	check("hour", noon.Add(time.Hour-1), nil)
	check("hour", noon.Add(time.Hour), access.ErrExpired)
	if err := l.Check(noon, at, []byte("twice"), none, true); err != nil {
		t.Errorf("a player that resumes its place needs no new invitation: %v", err)
	}
	l.Prune(noon.Add(2 * time.Hour))
	check("twice", noon, access.ErrUsed) // its players are in
	l.Left([]byte("twice"), id(0), false)
	l.Left([]byte("twice"), id(1), false)
	l.Prune(noon.Add(2 * time.Hour))
	check("twice", noon, access.ErrToken)
	check("hour", noon, access.ErrToken)
	check("all", noon, nil)
	if !l.Shared([]byte("all")) || l.Shared([]byte("twice")) {
		t.Error("only the first is everybody's")
	}
}

// A list is bounded: a full list refuses further invitations and bans.
func TestBounds(t *testing.T) {
	var l access.List
	var err error
	for i := 0; err == nil && i <= access.MaxBans; i++ {
		_, err = l.Ban(noon, []byte{byte(i), byte(i >> 8)}, "", strings.Repeat("é", 200))
	}
	if err == nil || len(l.Bans()) != access.MaxBans || len(l.Bans()[0].Reason) > 100 {
		t.Errorf("%d bans with reasons of %d bytes: %v", len(l.Bans()), len(l.Bans()[0].Reason), err)
	}
	err = nil
	for i := 0; err == nil && i <= access.MaxInvitations; i++ {
		err = l.Add([]byte{byte(i), byte(i >> 8)}, access.Invitation{})
	}
	if err == nil {
		t.Error("any number of tokens were taken")
	}
}
