package guestlist_test

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/guestlist"
)

// An invitation for one: it is used up by who is heard, and he comes back after a restart of the server. The keys are Candidate.Key, Player.FormerKey and Player.Key of package netcode.
func ExampleList() {
	now, addr := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC), "203.0.113.7:4000"
	token, nobody := []byte("for one"), [32]byte{}
	first, second := sha256.Sum256([]byte("the secret of his place")), sha256.Sum256([]byte("that of his next one"))
	list := &guestlist.List{}
	if err := list.Add(token, guestlist.Token{Uses: 1, Expires: now.Add(24 * time.Hour)}); err != nil {
		fmt.Println(err)
	}

	fmt.Println("a newcomer:", list.Check(now, addr, token, nobody, false)) // Admit
	list.Joined(token, nobody, first)
	fmt.Println("another:   ", list.Check(now, addr, token, nobody, false))
	fmt.Println("save it:   ", list.Heard(token, first))
	fmt.Println("another:   ", list.Check(now, addr, token, nobody, false))

	text, err := list.MarshalText()
	if err != nil {
		fmt.Println(err)
	}
	list = &guestlist.List{} // the server is killed and started again
	if err := list.UnmarshalText(text); err != nil {
		fmt.Println(err)
	}
	fmt.Println("another:   ", list.Check(now, addr, token, nobody, false))
	fmt.Println("he himself:", list.Check(now, addr, token, first, false))
	list.Joined(token, first, second)
	fmt.Println("save it:   ", list.Heard(token, second))
	fmt.Println("save it:   ", list.Left(token, second, true)) // he was kicked
	fmt.Println("he himself:", list.Check(now, addr, token, second, false))
	// Output:
	// a newcomer: <nil>
	// another:    somebody is just joining with this join link
	// save it:    true
	// another:    the join link has been used up; ask for a new one
	// another:    the join link has been used up; ask for a new one
	// he himself: <nil>
	// save it:    true
	// save it:    true
	// he himself: the join link has been used up; ask for a new one
}
