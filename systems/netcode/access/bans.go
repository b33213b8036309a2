package access

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/address"
)

// Ban excludes a token, or a network, or both.
type Ban struct {
	ID      int          // with which the ban is lifted
	Token   string       // the token's hash in hexadecimal digits; empty: none
	Network netip.Prefix // the zero value: none
	Reason  string       // one line, shown to the banned player
	Since   time.Time
}

// BannedError refuses a banned player. Reason is the operator's text, one line, and may be empty.
type BannedError struct{ Reason string }

// Error returns a text that may be shown to the banned player.
func (e *BannedError) Error() string {
	if e.Reason == "" {
		return "you are banned from this server"
	}
	return "you are banned from this server: " + e.Reason
}

// Ban excludes the holders of a token (nil: no token), and every player at an address or in a
// network (empty: none). An IPv6 address stands for its /64, which belongs to one customer. The
// banned players are shown the reason, cut to one line of 100 bytes. Ban fails without a token and
// an address, for a text that is no address, and if the list is full.
func (l *List) Ban(now time.Time, token []byte, addr, reason string) (Ban, error) {
	switch {
	case token == nil && addr == "":
		return Ban{}, errors.New("access: a ban needs a token or an address")
	case len(l.bans) >= maxBans:
		return Ban{}, fmt.Errorf("access: there are %d bans; lift some, or ban a whole network", maxBans)
	}
	b := Ban{ID: l.last + 1, Reason: line(reason), Since: now.UTC().Truncate(time.Second)}
	if token != nil {
		b.Token = hash(token)
	}
	if addr != "" {
		var err error
		if b.Network, err = parseNetwork(addr); err != nil {
			return Ban{}, err
		}
	}
	l.last = b.ID
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

// banned returns a [*BannedError] if a ban excludes the token with the hash, or the address, and
// nil otherwise. [List.Check] calls it.
func (l *List) banned(token, addr string) error {
	at, known := address.Parse(addr)
	for i := range l.bans {
		if b := &l.bans[i]; b.Token == token || known && b.Network.IsValid() && b.Network.Contains(at) {
			return &BannedError{b.Reason}
		}
	}
	return nil
}

// parseNetwork parses an address, with or without a port, or a network such as 203.0.113.0/24.
func parseNetwork(text string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(text); err == nil {
		if p.Addr().Is4In6() && p.Bits() >= 96 { // the addresses of players are then IPv4
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		return p.Masked(), nil
	}
	at, ok := address.Parse(text)
	if !ok {
		return netip.Prefix{}, fmt.Errorf("access: %q is no address; write 203.0.113.7, 2001:db8::1 or a network such as 203.0.113.0/24", text)
	}
	size := 32
	if at.Is6() {
		size = 64
	}
	return at.Prefix(size)
}

// line turns text into one line that is harmless in logs and on terminals.
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
