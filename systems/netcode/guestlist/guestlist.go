// Package guestlist decides who may join a server: by tokens that may expire or be used up, and by bans of tokens and of addresses. It writes itself down as text, so that bans and invitations
// survive a restart. It reads no clock and no files: times and bytes are arguments.
//
// A use of a token is counted when a player has been heard for the first time; until then it is held for him, and given back if he goes without a word, since he may not have heard that he was
// let in. Who has been heard may come back by the token and the key of his place: after a restart, after an outage of any length, after the token's time. It costs no use, and he is in once at most.
// Of tokens that any number may use no keys are kept: their holders join anew, as long as the token is good.
//
// Times are dates: a token ends when the calendar says so, also where the host's clock has been set back or ahead, or the host has slept, and the same before a restart as after it.
//
// Tokens and keys are kept as SHA-256 hashes: who reads the list cannot join with it. Connect it to a server like this:
//
//	Admit:  func(c netcode.Candidate) error { return list.Check(time.Now(), c.Addr, c.Token, c.Key, c.Resumes) },
//	Joined: func(p *Player) (State, arche.Entity) { list.Joined(p.Token(), p.FormerKey(), p.Key()); ... },
//	Heard:  func(p *Player) { if list.Heard(p.Token(), p.Key()) { save() } },
//	Left:   func(p *Player, r transport.Reason) { if list.Left(p.Token(), p.Key(), r.Code == transport.Kicked) { save() } },
package guestlist

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/address"
)

// Limits of a list.
const (
	MaxTokens = 4096
	MaxBans   = 4096
	MaxKeys   = 4096 // of players who may come back; beyond that the oldest who are not in are forgotten
	maxNote   = 100  // bytes
)

// Errors of [List.Check]; the texts are fit to be shown to who is refused.
var (
	ErrToken   = errors.New("the join link is not good any more; ask for a new one")
	ErrExpired = errors.New("the join link has expired; ask for a new one")
	ErrUsed    = errors.New("the join link has been used up; ask for a new one")
)

// ErrHeld refuses for the moment: the place that the token or the key gives is held for somebody who has not been heard yet, or is taken. It is Temporary, so a client goes on trying: he who holds it
// is perhaps himself, on a connection that was lost.
var ErrHeld error = heldError{}

type heldError struct{}

func (heldError) Error() string   { return "somebody is just joining with this join link" }
func (heldError) Temporary() bool { return true }

// BannedError refuses who is banned.
type BannedError struct{ Reason string }

// Error returns what who is banned may be told.
func (e *BannedError) Error() string {
	if e.Reason == "" {
		return "you are banned from this server"
	}
	return "you are banned from this server: " + e.Reason
}

// Token is what is known of an invitation.
type Token struct {
	Expires time.Time // the zero time: never
	Uses    int       // how many may still join with it; negative: any number
}

// Ban keeps a token, or a network, or both, away.
type Ban struct {
	ID      int          // by which it is lifted
	Token   string       // the token's hash in hexadecimal digits; empty: none
	Network netip.Prefix // the zero value: none
	Reason  string       // one line, told to who is banned
	Since   time.Time
}

// List is a guest list. The zero value is empty and lets nobody in. It is not safe for concurrent use.
type List struct {
	tokens  map[string]Token // by hash
	holders []holder         // of uses of tokens that are limited, the oldest first
	bans    []Ban
	last    int // ID
}

// hash names a token without telling it.
func hash(token []byte) string {
	sum := sha256.Sum256(token)
	return hex.EncodeToString(sum[:])
}

// Add lets everybody in who has the token, under its conditions, and replaces what was said of it before: who joined with it earlier needs a use of the new ones when he joins anew.
func (l *List) Add(token []byte, t Token) error {
	name := hash(token)
	if l.tokens == nil {
		l.tokens = map[string]Token{}
	}
	if _, known := l.tokens[name]; !known && len(l.tokens) >= MaxTokens {
		return fmt.Errorf("guestlist: %d tokens are out; call Prune, or let some expire", MaxTokens)
	}
	t.Expires = t.Expires.UTC().Round(0) // without the monotonic reading, by which it would end at another time than after a restart
	l.tokens[name] = t
	l.forget(func(h *holder) bool { return h.token == name })
	return nil
}

// Prune forgets tokens with which no newcomer may join any more, and with them the keys of who has joined with them: those who are away then need a new one. Tokens of players who are in stay.
func (l *List) Prune(now time.Time) {
	in := map[string]bool{}
	for i := range l.holders {
		if h := &l.holders[i]; h.in {
			in[h.token] = true
		}
	}
	for name, t := range l.tokens {
		if t.spent(now) != nil && !in[name] {
			delete(l.tokens, name)
		}
	}
	l.forget(func(h *holder) bool { _, known := l.tokens[h.token]; return !known })
}

func (t Token) spent(now time.Time) error {
	switch {
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return ErrExpired
	case t.Uses == 0:
		return ErrUsed
	}
	return nil
}

// Check says whether somebody may join: nil, or why not. Who comes back to a place that he has already is checked for bans alone, and so is who presents, with the token, the key of the place that he
// had by it (zero: none), if he is not in. It does not use the token up; see [List.Joined].
func (l *List) Check(now time.Time, addr string, token []byte, key [32]byte, resumes bool) error {
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
	t, ok := l.tokens[name]
	if !ok {
		return ErrToken
	}
	if h := l.holder(name, key); h != nil {
		if h.in {
			return ErrHeld
		}
		return nil
	}
	err := t.spent(now)
	if err == ErrUsed && slices.ContainsFunc(l.holders, func(h holder) bool { return h.token == name && h.givesBack() }) {
		return ErrHeld
	}
	return err
}

// Shared reports whether any number of players may join with the token: to ban it would ban them all.
func (l *List) Shared(token []byte) bool { return l.tokens[hash(token)].Uses < 0 }

// Ban keeps the holder of a token away (nil: no token), and everybody at an address (empty: nobody; of IPv6 the whole /64, of which one customer has all). The reason is told to them.
func (l *List) Ban(now time.Time, token []byte, addr, reason string) (Ban, error) {
	b := Ban{Reason: line(reason), Since: now.UTC().Truncate(time.Second)}
	if token != nil {
		b.Token = hash(token)
	}
	if addr != "" {
		network, err := parseNetwork(addr)
		if err != nil {
			return Ban{}, err
		}
		b.Network = network
	}
	switch {
	case b.Token == "" && !b.Network.IsValid():
		return Ban{}, errors.New("guestlist: a ban needs a token or an address")
	case len(l.bans) >= MaxBans:
		return Ban{}, fmt.Errorf("guestlist: there are %d bans; lift some, or ban a whole network", MaxBans)
	}
	l.last++
	b.ID = l.last
	l.bans = append(l.bans, b)
	return b, nil
}

// Unban lifts a ban, and reports whether there was one with the ID.
func (l *List) Unban(id int) bool {
	n := len(l.bans)
	l.bans = slices.DeleteFunc(l.bans, func(b Ban) bool { return b.ID == id })
	return len(l.bans) < n
}

// Bans returns a copy of all bans, the oldest first.
func (l *List) Bans() []Ban { return slices.Clone(l.bans) }

// parseNetwork reads an address, with a port or without, or a network such as 203.0.113.0/24.
func parseNetwork(text string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(text); err == nil {
		if p.Addr().Is4In6() && p.Bits() >= 96 { // players' addresses are those of IPv4 then
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		return p.Masked(), nil
	}
	at, ok := address.Parse(text)
	if !ok {
		return netip.Prefix{}, fmt.Errorf("guestlist: %q is no address; write 203.0.113.7, 2001:db8::1 or a network such as 203.0.113.0/24", text)
	}
	size := 32
	if at.Is6() {
		size = 64
	}
	return at.Prefix(size)
}

// line makes text one line that logs and terminals can bear.
func line(text string) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, text))
	for len(text) > maxNote {
		runes := []rune(text)
		text = string(runes[:len(runes)-1])
	}
	return text
}
