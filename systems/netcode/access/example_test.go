package access_test

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/access"
)

// An invitation for one player is used up when the player is confirmed. The player comes back after
// a restart of the server. In a game, the IDs are JoinRequest.ResumeID, Player.PreviousResumeID and
// Player.ResumeID of package netcode.
func ExampleList() {
	now, addr := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC), "203.0.113.7:4000"
	token, none := []byte("for one"), [32]byte{}
	first, second := sha256.Sum256([]byte("the secret of its place")), sha256.Sum256([]byte("that of its next one"))
	list := &access.List{}
	if err := list.Add(token, access.Invitation{Uses: 1, Expires: now.Add(24 * time.Hour)}); err != nil {
		fmt.Println(err)
	}

	fmt.Println("a new player:   ", list.Check(now, addr, token, none, false)) // Authenticate
	list.Joined(token, none, first)
	fmt.Println("another:        ", list.Check(now, addr, token, none, false))
	fmt.Println("save it:        ", list.Confirmed(token, first))
	fmt.Println("another:        ", list.Check(now, addr, token, none, false))

	text, err := list.MarshalText()
	if err != nil {
		fmt.Println(err)
	}
	list = &access.List{} // the server is killed and restarted
	if err := list.UnmarshalText(text); err != nil {
		fmt.Println(err)
	}
	fmt.Println("another:        ", list.Check(now, addr, token, none, false))
	fmt.Println("the same player:", list.Check(now, addr, token, first, false))
	list.Joined(token, first, second)
	fmt.Println("save it:        ", list.Confirmed(token, second))
	fmt.Println("save it:        ", list.Left(token, second, true)) // kicked
	fmt.Println("the same player:", list.Check(now, addr, token, second, false))
	// Output:
	// a new player:    <nil>
	// another:         somebody is just joining with this join link
	// save it:         true
	// another:         the join link has been used up; ask for a new one
	// another:         the join link has been used up; ask for a new one
	// the same player: <nil>
	// save it:         true
	// save it:         true
	// the same player: the join link has been used up; ask for a new one
}
