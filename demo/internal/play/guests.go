package play

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/referee"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/guestlist"
)

// guests are who may come in: everybody with the server's own token, who has been invited besides, and nobody who is banned.
type guests struct {
	list guestlist.List
	file string // empty: forgotten at the end
}

// openGuests reads the file of -guests, or the one in the folder of -state. There need not be one yet.
func (s *serving) openGuests() (*guests, error) {
	g := &guests{file: s.guests}
	if g.file == "" && s.state != "" {
		g.file = filepath.Join(s.state, "guests.json")
	}
	if g.file == "" {
		return g, nil
	}
	text, err := os.ReadFile(g.file)
	if errors.Is(err, fs.ErrNotExist) {
		return g, g.save() // so that it is known at once if it cannot be written
	}
	if err == nil {
		err = g.list.UnmarshalText(text)
	}
	if err != nil {
		return nil, fmt.Errorf("-guests %s: %w", g.file, err)
	}
	return g, nil
}

// save writes the file, whole or not at all.
func (g *guests) save() error {
	if g.file == "" {
		return nil
	}
	text, err := g.list.MarshalText()
	if err != nil {
		return err
	}
	if err := os.WriteFile(g.file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(g.file+".new", g.file)
}

// invite makes a token, or says that it could not.
func (g *guests) invite(terms guestlist.Token) (string, error) {
	token, err := newToken()
	if err != nil {
		return "", err
	}
	if err := g.list.Add([]byte(token), terms); err != nil {
		g.list.Prune(time.Now()) // those are kept only to say why they are no good
		if err := g.list.Add([]byte(token), terms); err != nil {
			return "", err
		}
	}
	return token, g.save()
}

func newToken() (string, error) {
	var random [18]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(random[:]), nil
}

// joined holds a use of the token for a player, if it is one for so many.
func (g *guests) joined(p *referee.Player) { g.list.Joined(p.Token(), p.FormerKey(), p.Key()) }

// admit lets in who has the token, or one of his own.
func (l *lobby) admit(c netcode.Candidate) error {
	err := l.guests.list.Check(time.Now(), c.Addr, c.Token, c.Key, c.Resumes)
	if errors.Is(err, guestlist.ErrToken) && subtle.ConstantTimeCompare(c.Token, []byte(l.token)) == 1 {
		return nil
	}
	return err
}
