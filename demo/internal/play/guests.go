package play

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/referee"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/guestlist"
)

// guests are who may come in: everybody with the server's own token, who has been invited besides, and nobody who is banned.
type guests struct {
	list    guestlist.List
	file    string // empty: forgotten at the end
	last    []byte // what the file said when it was read or written last
	changed bool   // since it was saved, or since that was tried
	unsaved bool   // what has changed could not be saved
}

// errChanged keeps a server from undoing what somebody else has written: another server with the same file, or an operator with an editor.
var errChanged = errors.New("the file has been changed by another program or by hand; end this server, and start it again to go on with that")

// openGuests reads the file of -guests, or the one in the folder of -state. There need not be one yet. Where it cannot be written, that is said now and not with the first ban.
func (s *serving) openGuests(log *slog.Logger) (*guests, error) {
	g := &guests{file: s.guests}
	if g.file == "" && s.state != "" {
		g.file = filepath.Join(s.state, "guests.json")
	}
	if g.file == "" {
		return g, nil
	}
	text, err := readKept(g.file)
	switch {
	case err == nil:
		g.last = text
		if err = g.list.UnmarshalText(text); err != nil {
			break
		}
		if err := g.write(); err != nil { // perhaps it is not meant to
			log.Warn("the guest list is read but cannot be written: what changes is forgotten when this server ends", "file", g.file, "error", err)
		}
	case errors.Is(err, fs.ErrNotExist):
		err = g.write()
	}
	if err != nil {
		return nil, fmt.Errorf("-guests %s: %w", g.file, err)
	}
	return g, nil
}

// save writes the file. With an error nothing of it has changed, and what the list says holds all the same.
func (g *guests) save() error {
	err := g.write()
	g.changed = false
	if g.unsaved = err != nil; err != nil {
		return fmt.Errorf("it holds until this server ends, and is forgotten then, since the guest list cannot be saved: %w", err)
	}
	return nil
}

func (g *guests) write() error {
	if g.file == "" {
		return nil
	}
	text, err := g.list.MarshalText()
	if err != nil {
		return err
	}
	switch there, err := readKept(g.file); {
	case err == nil && !bytes.Equal(there, g.last):
		return errChanged
	case err != nil && !errors.Is(err, fs.ErrNotExist): // whatever is there now, it is not what was read or written last
		return err
	}
	if err := writeKept(g.file, text); err != nil {
		return err
	}
	g.last = text
	return nil
}

// invite makes a token, which is to be saved, or says that it could not.
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
	return token, nil
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
