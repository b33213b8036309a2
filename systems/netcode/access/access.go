// Package access decides which players may join a server: by invitations, which may expire or be
// used up, and by bans of tokens, addresses and networks. A [List] is written and read as text, so
// that both survive a restart. The package reads no clock and no file: times and bytes are
// arguments.
//
// An invitation is known by its token, the secret in a join link. A use of it counts when the
// player has sent something for the first time. Until then the use is reserved, and it is given
// back if the player leaves before that: the welcome may have been lost. A confirmed player may
// come back with the token and the resume ID of its place: after a restart of the server, after an
// outage of any length, after the invitation's end. This costs no use, and the player is in once at
// most. For invitations without a limit no resume IDs are kept: their players join anew, as long as
// the invitation is good.
//
// Times are dates: an invitation ends at its date, even if the host's clock was set, the host
// slept, or the server restarted.
//
// Tokens and resume IDs are kept as SHA-256 hashes: a reader of the list cannot join with it.
// Package host connects a list to a server; without it the connection is this:
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

	"github.com/tandem-ecs/tandem/systems/netcode/internal/address"
)

// Limits of a list.
const (
	maxInvitations = 4096
	maxBans        = 4096
	maxResumeIDs   = 4096 // beyond that the oldest IDs of players that are not in are forgotten
	maxNote        = 100  // bytes
)

// Errors of [List.Check]. Their texts are fit to be shown to the refused player.
var (
	ErrToken   = errors.New("the join link is not good any more; ask for a new one")
	ErrExpired = errors.New("the join link has expired; ask for a new one")
	ErrUsed    = errors.New("the join link has been used up; ask for a new one")
)

// ErrHeld refuses for the moment: the use that the token gives, or the place that the resume ID
// names, is reserved for a player that is not confirmed yet, or is taken. The error is Temporary,
// so a client goes on trying: the holder may be the same client, on a connection that was lost.
var ErrHeld error = heldError{}

type heldError struct{}

func (heldError) Error() string   { return "somebody is just joining with this join link" }
func (heldError) Temporary() bool { return true }

// BannedError refuses a banned player. Reason is the operator's, one line, and may be empty.
type BannedError struct{ Reason string }

// Error returns a text that may be shown to the banned player.
func (e *BannedError) Error() string {
	if e.Reason == "" {
		return "you are banned from this server"
	}
	return "you are banned from this server: " + e.Reason
}

// Invitation holds the conditions under which a token is good. The zero value admits no player.
type Invitation struct {
	Expires time.Time // the zero time: never
	Uses    int       // how many players may still join with it; negative: any number
}

// List holds invitations and bans. The zero value is empty and refuses every player. It is not safe
// for concurrent use.
type List struct {
	invitations map[string]Invitation // by the token's hash
	holders     []holder              // of uses of limited invitations, the oldest first
	bans        []Ban
	last        int // ID
}

// hash returns the hash that stands for a token.
func hash(token []byte) string {
	sum := sha256.Sum256(token)
	return hex.EncodeToString(sum[:])
}

// Add makes a token an invitation, and replaces an earlier invitation of the token: a player that
// joined with it earlier needs a use of the new invitation to join anew. It fails if the list is
// full.
func (l *List) Add(token []byte, i Invitation) error {
	name := hash(token)
	if l.invitations == nil {
		l.invitations = map[string]Invitation{}
	}
	if _, known := l.invitations[name]; !known && len(l.invitations) >= maxInvitations {
		return fmt.Errorf("access: there are %d invitations; call Prune, or let some expire", maxInvitations)
	}
	// The monotonic reading would end it at another time than after a restart.
	i.Expires = i.Expires.UTC().Round(0)
	l.invitations[name] = i
	l.forget(func(h *holder) bool { return h.token == name })
	return nil
}

// Prune forgets the invitations with which no new player may join any more, and the resume IDs of
// the players that joined with them: those that are away need a new invitation then. The
// invitations of players that are in stay.
func (l *List) Prune(now time.Time) {
	in := map[string]bool{}
	for i := range l.holders {
		if h := &l.holders[i]; h.in {
			in[h.token] = true
		}
	}
	for name, i := range l.invitations {
		if i.spent(now) != nil && !in[name] {
			delete(l.invitations, name)
		}
	}
	l.forget(func(h *holder) bool { _, known := l.invitations[h.token]; return !known })
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
// [ErrToken], [ErrExpired], [ErrUsed] or [ErrHeld]. The address is in the transport's form, the ID
// is the resume ID that the player presents (zero: none). A player that resumes a place that it
// holds is checked for bans alone: the netcode asks with the token that the player joined with and
// with the one that it presents now. A player that is not in, and presents with the token the
// resume ID of the place that it had by it, needs no use. Check takes no use; [List.Joined] does.
func (l *List) Check(now time.Time, addr string, token []byte, id [32]byte, resumes bool) error {
	name := hash(token)
	at, known := address.Parse(addr)
	for i := range l.bans {
		if b := &l.bans[i]; b.Token == name || known && b.Network.IsValid() && b.Network.Contains(at) {
			return &BannedError{b.Reason}
		}
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

// Shared reports whether any number of players may join with the token: a ban of it would ban them
// all.
func (l *List) Shared(token []byte) bool { return l.invitations[hash(token)].Uses < 0 }
