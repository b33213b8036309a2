package access

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// file is the written form of a list.
type file struct {
	Bans   []banLine   `json:"bans"`
	Tokens []tokenLine `json:"tokens"`
	LastID int         `json:"last_id"`
}

type banLine struct {
	ID      int       `json:"id"`
	Token   string    `json:"token,omitempty"`
	Network string    `json:"network,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Since   time.Time `json:"since"`
}

type tokenLine struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expires,omitzero"`
	Uses    int       `json:"uses"`
	Keys    []string  `json:"keys,omitempty"` // resume IDs of players that may come back
}

// MarshalText returns the list as readable JSON. Equal lists give equal texts. Uses that are
// reserved for unconfirmed players are written as if they were free.
func (l *List) MarshalText() ([]byte, error) {
	f := file{Bans: []banLine{}, Tokens: []tokenLine{}, LastID: l.last}
	for _, b := range l.bans {
		line := banLine{ID: b.ID, Token: b.Token, Reason: b.Reason, Since: b.Since}
		if b.Network.IsValid() {
			line.Network = b.Network.String()
		}
		f.Bans = append(f.Bans, line)
	}
	keys, held := map[string][]string{}, map[string]int{}
	for i := range l.holders {
		switch h := &l.holders[i]; {
		case h.givesBack():
			held[h.token]++
		case h.previous != [32]byte{}:
			keys[h.token] = append(keys[h.token], hex.EncodeToString(h.previous[:]))
		default:
			keys[h.token] = append(keys[h.token], hex.EncodeToString(h.id[:]))
		}
	}
	for name, t := range l.invitations {
		f.Tokens = append(f.Tokens, tokenLine{Token: name, Expires: t.Expires.UTC(), Uses: t.Uses + held[name], Keys: keys[name]})
	}
	slices.SortFunc(f.Tokens, func(a, b tokenLine) int { return strings.Compare(a.Token, b.Token) })
	text, err := json.MarshalIndent(f, "", "  ")
	return append(text, '\n'), err
}

// UnmarshalText replaces the list by one in the text form of MarshalText, which may have been
// edited by hand. On an error the list is unchanged. No player counts as in afterwards, so call it
// before the first player joins.
func (l *List) UnmarshalText(text []byte) error {
	var f file
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&f); err != nil {
		return fmt.Errorf("access: %w", err)
	}
	if _, err := in.Token(); err != io.EOF {
		return errors.New("access: something follows the list; put all bans and tokens into one")
	}
	if len(f.Bans) > maxBans || len(f.Tokens) > maxInvitations {
		return fmt.Errorf("access: more than %d bans or %d tokens", maxBans, maxInvitations)
	}
	fresh := List{invitations: map[string]Invitation{}, last: max(f.LastID, 0)}
	for _, b := range f.Bans {
		ban := Ban{ID: b.ID, Token: b.Token, Reason: line(b.Reason), Since: b.Since}
		if b.Network != "" {
			var err error
			if ban.Network, err = parseNetwork(b.Network); err != nil {
				return err
			}
		}
		if b.Token == "" && b.Network == "" {
			return fmt.Errorf("access: ban %d names neither a token nor a network", b.ID)
		}
		if b.Token != "" && !isHash(b.Token) {
			return errHash
		}
		if b.ID <= 0 || slices.ContainsFunc(fresh.bans, func(other Ban) bool { return other.ID == b.ID }) {
			return fmt.Errorf("access: two bans have the number %d, or it is not above 0", b.ID)
		}
		fresh.last = max(fresh.last, b.ID)
		fresh.bans = append(fresh.bans, ban)
	}
	for _, t := range f.Tokens {
		if !isHash(t.Token) {
			return errHash
		}
		if _, known := fresh.invitations[t.Token]; known && len(t.Keys) > 0 {
			return fmt.Errorf("access: the token %s stands in the list twice; put its keys into one", t.Token[:8])
		}
		fresh.invitations[t.Token] = Invitation{Uses: t.Uses, Expires: t.Expires}
		for _, text := range t.Keys {
			if !isHash(text) {
				return errHash
			}
			h := holder{token: t.Token, confirmed: true}
			_, _ = hex.Decode(h.id[:], []byte(text))
			if len(fresh.holders) == maxResumeIDs || fresh.holder(t.Token, h.id) != nil {
				return fmt.Errorf("access: more than %d keys, or one of them twice: %s", maxResumeIDs, text[:8])
			}
			fresh.holders = append(fresh.holders, h)
		}
	}
	*l = fresh
	return nil
}

var errHash = errors.New("access: a token and a key are written as the 64 hexadecimal digits of a SHA-256 hash")

func isHash(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32 && strings.ToLower(text) == text
}
