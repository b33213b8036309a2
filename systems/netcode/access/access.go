// Package access decides which players may join a server. Invitations admit players, and may expire
// or be used up. Bans exclude tokens, addresses and networks. A [List] is written and read as text,
// so that both survive a restart. The package reads no clock and no file: times and bytes are
// arguments.
//
// An invitation is identified by its token, the secret in a join link. A use of it counts when the
// server has received the player's first packet. Until then the use is reserved. It is given back
// if the player leaves before that, since the welcome may have been lost. A confirmed player may
// come back with the token and the resume ID of its place: after a restart of the server, after an
// outage of any length, and after the invitation's end. This costs no use, and the player is in at
// most once. For invitations without a limit no resume IDs are kept: their players join anew, as
// long as the invitation is valid.
//
// Times are dates. An invitation ends at its date, even if the host's clock was set, the host
// slept, or the server restarted.
//
// Tokens and resume IDs are kept as SHA-256 hashes, so a reader of the list cannot join with it.
// Package host connects a list to a server. Without package host the connection is this:
//
//	Authenticate: list.Check(time.Now(), c.Addr, c.Token, c.ResumeID, c.Resumes)
//	Joined:       list.Joined(p.Token(), p.PreviousResumeID(), p.ResumeID())
//	Confirmed:    if list.Confirmed(p.Token(), p.ResumeID()) { save() }
//	Left:         if list.Left(p.Token(), p.ResumeID(), reason.Code == transport.Kicked) { save() }
package access

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"
)

// These are the limits of a list.
const (
	maxInvitations = 4096
	maxBans        = 4096
	maxResumeIDs   = 4096 // beyond it the oldest IDs of players that are not in are removed
	maxNote        = 100  // bytes
)

// These are the errors of [List.Check]. Their texts may be shown to the refused player.
var (
	ErrToken   = errors.New("the join link is not good any more; ask for a new one")
	ErrExpired = errors.New("the join link has expired; ask for a new one")
	ErrUsed    = errors.New("the join link has been used up; ask for a new one")
)

// ErrHeld refuses a player for the moment. The use that the token gives, or the place that the
// resume ID names, is reserved for an unconfirmed player, or is taken. The error is Temporary, so a
// client tries again: the holder may be the same client, on a connection that was lost.
var ErrHeld error = heldError{}

type heldError struct{}

func (heldError) Error() string   { return "somebody is just joining with this join link" }
func (heldError) Temporary() bool { return true }

// Invitation holds the conditions under which a token is valid. The zero value admits no player.
type Invitation struct {
	Expires time.Time // the zero time: never
	Uses    int       // how many more players may join with it; negative: any number
}

// List holds invitations and bans. The zero value is empty and refuses every player. It is not safe
// for concurrent use.
type List struct {
	invitations map[string]Invitation // by the token's hash
	holders     []holder              // of uses of limited invitations, the oldest first
	bans        []Ban
	last        int // ID
}

// hash returns the hash under which a token is kept.
func hash(token []byte) string {
	sum := sha256.Sum256(token)
	return hex.EncodeToString(sum[:])
}

// Add makes a token an invitation, and replaces an earlier invitation with the same token. A player
// that joined with the earlier one needs a use of the new one to join anew. Add fails if the list
// is full.
func (l *List) Add(token []byte, i Invitation) error {
	name := hash(token)
	if l.invitations == nil {
		l.invitations = map[string]Invitation{}
	}
	if _, known := l.invitations[name]; !known && len(l.invitations) >= maxInvitations {
		return fmt.Errorf("access: there are %d invitations; call Prune, or let some expire", maxInvitations)
	}
	// With the monotonic reading it would end at another time than after a restart.
	i.Expires = i.Expires.UTC().Round(0)
	l.invitations[name] = i
	l.holders = slices.DeleteFunc(l.holders, func(h holder) bool { return h.token == name })
	return nil
}

// Prune removes the invitations with which no new player may join any more, and the resume IDs of
// the players that joined with them. Those that are away then need a new invitation. The
// invitations of players that are in are kept.
func (l *List) Prune(now time.Time) {
	in := map[string]bool{}
	for _, h := range l.holders {
		in[h.token] = in[h.token] || h.in
	}
	for name, i := range l.invitations {
		if i.spent(now) != nil && !in[name] {
			delete(l.invitations, name)
		}
	}
	l.holders = slices.DeleteFunc(l.holders, func(h holder) bool { _, known := l.invitations[h.token]; return !known })
}

func (i Invitation) spent(now time.Time) error {
	switch {
	case !i.Expires.IsZero() && !now.Before(i.Expires):
		return ErrExpired
	case i.Uses == 0:
		return ErrUsed
	}
	return nil
}

// Check returns nil if a player may join, or the reason for refusing it: a [*BannedError],
// [ErrToken], [ErrExpired], [ErrUsed] or [ErrHeld]. The address is in the transport's form. The ID
// is the resume ID that the player presents (zero: none). A player that resumes a place that it
// holds is checked for bans alone: the netcode calls Check with the token that the player joined
// with and with the one that it presents now. A player that is not in, and presents the token
// together with the resume ID of its former place, needs no use. Check takes no use; [List.Joined]
// does.
func (l *List) Check(now time.Time, addr string, token []byte, id [32]byte, resumes bool) error {
	name := hash(token)
	if err := l.banned(name, addr); err != nil {
		return err
	}
	if resumes {
		return nil
	}
	i, ok := l.invitations[name]
	if !ok {
		return ErrToken
	}
	if h := l.holder(name, id); h != nil {
		if h.in {
			return ErrHeld
		}
		return nil
	}
	err := i.spent(now)
	if err == ErrUsed && slices.ContainsFunc(l.holders, func(h holder) bool { return h.token == name && h.givesBack() }) {
		return ErrHeld
	}
	return err
}

// Shared reports whether any number of players may join with the token. A ban of such a token would
// ban all of them.
func (l *List) Shared(token []byte) bool { return l.invitations[hash(token)].Uses < 0 }
