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
	failed  string // why not, as it was logged

	writing chan error                           // has the outcome of a save that is under way; nil: none is
	next    []byte                               // what it writes
	put     func(name string, text []byte) error // nil: writeKept; tests have other disks
	clock   func() time.Time                     // nil: time.Now; the calendar's time, by which invitations end, and which an operator may set back
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

func (g *guests) now() time.Time {
	if g.clock != nil {
		return g.clock()
	}
	return time.Now()
}

// save writes the file, and waits for it. With an error nothing of it has changed, and what the list says holds all the same.
func (g *guests) save() error {
	g.settle(true)
	g.begin()
	return g.settle(true)
}

// write is save before anything has changed.
func (g *guests) write() error {
	err := errors.Unwrap(g.save())
	g.unsaved = false
	return err
}

// begin has the file written, by a goroutine: it takes as long as the disk takes. One save at a time is under way.
func (g *guests) begin() {
	g.changed, g.writing = false, make(chan error, 1)
	text, err := g.list.MarshalText()
	if err != nil || g.file == "" {
		g.next = g.last
		g.writing <- err
		return
	}
	g.next = text
	file, last, put, done := g.file, g.last, g.put, g.writing
	if put == nil {
		put = writeKept
	}
	go func() { done <- replace(file, last, text, put) }()
}

// settle takes the outcome of a save that is under way, and waits for it if it is told to.
func (g *guests) settle(wait bool) error {
	if g.writing == nil || !wait && len(g.writing) == 0 {
		return nil
	}
	err := <-g.writing
	g.writing = nil
	if g.unsaved = err != nil; err != nil {
		return fmt.Errorf("it holds until this server ends, and is forgotten then, since the guest list cannot be saved: %w", err)
	}
	g.last, g.failed = g.next, ""
	return nil
}

// replace writes a file unless somebody else has changed what it said last.
func replace(file string, last, text []byte, put func(name string, text []byte) error) error {
	switch there, err := readKept(file); {
	case err == nil && !bytes.Equal(there, last):
		return errChanged
	case err != nil && !errors.Is(err, fs.ErrNotExist): // whatever is there now, it is not what was read or written last
		return err
	}
	return put(file, text)
}

// invite makes a token, which is to be saved, or says that it could not.
func (g *guests) invite(terms guestlist.Token) (string, error) {
	token, err := newToken()
	if err != nil {
		return "", err
	}
	if err := g.list.Add([]byte(token), terms); err != nil {
		g.list.Prune(g.now()) // those are kept only to say why they are no good
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
	err := l.guests.list.Check(l.guests.now(), c.Addr, c.Token, c.Key, c.Resumes)
	if errors.Is(err, guestlist.ErrToken) && subtle.ConstantTimeCompare(c.Token, []byte(l.token)) == 1 {
		return nil
	}
	return err
}
