package host

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/access"
	"github.com/tandem-ecs/tandem/systems/netcode/host/internal/atomicfile"
)

// accessList is the server's access list with its file. Players with the server's own token and
// players with an invitation may join, unless they are banned.
type accessList struct {
	access.List
	token   string // the server's own
	log     *slog.Logger
	file    string        // empty: forgotten at the end
	last    []byte        // the file's text when it was read or written last
	changed bool          // since it was saved, or since that was tried
	unsaved bool          // a change could not be saved
	failed  string        // the error of that, as it was logged
	since   time.Duration // real time since a save began on its own

	// has the outcome of the save under way; nil: there is none
	writing chan error
	next    []byte                               // the text that it writes
	write   func(name string, text []byte) error // atomicfile.Write; tests have other disks
	// the calendar's time, by which invitations end, and which an operator may set back
	clock func() time.Time
}

// errChanged keeps a server from undoing the changes of another server with the same file, or of an
// operator with an editor.
var errChanged = errors.New("the file has been changed by another program or by hand; end this server, and start it again to go on with that")

// openAccess reads the file of Access, or the one in the folder of State. There need not be one
// yet. If it cannot be written, that is logged now and not with the first ban.
func (s *settings) openAccess(token string, log *slog.Logger) (*accessList, error) {
	a := &accessList{token: token, log: log, file: s.Access, write: atomicfile.Write, clock: time.Now}
	if a.file == "" && s.State != "" {
		a.file = filepath.Join(s.State, accessFile)
	}
	if a.file == "" {
		return a, nil
	}
	text, err := atomicfile.Read(a.file)
	switch {
	case err == nil:
		a.last = text
		if err = a.UnmarshalText(text); err != nil {
			break
		}
		if err := a.tryWrite(); err != nil { // perhaps it is not meant to be
			log.Warn("the access list is read but cannot be written: its changes are forgotten when this server ends", "file", a.file, "error", err)
		}
	case errors.Is(err, fs.ErrNotExist):
		if err = a.tryWrite(); err != nil {
			err = fmt.Errorf("%w: give a file in a folder that exists and that you may write to", err)
		}
	}
	if err != nil {
		return nil, &ConfigError{"Access", a.file, err}
	}
	return a, nil
}

// admit refuses a client that has neither the server's token nor an invitation, or is banned.
func (a *accessList) admit(c netcode.JoinRequest) error {
	err := a.Check(a.clock(), c.Addr, c.Token, c.ResumeID, c.Resumes)
	if errors.Is(err, access.ErrToken) && subtle.ConstantTimeCompare(c.Token, []byte(a.token)) == 1 {
		return nil
	}
	return err
}

// shared reports whether a token is not one player's own.
func (a *accessList) shared(token []byte) bool {
	return string(token) == a.token || a.Shared(token)
}

// invite makes a token with the conditions, which is not saved yet.
func (a *accessList) invite(terms access.Invitation) (string, error) {
	token, err := newToken()
	if err != nil {
		return "", err
	}
	if err := a.Add([]byte(token), terms); err != nil {
		a.Prune(a.clock()) // those are kept only to say why they are no good
		if err := a.Add([]byte(token), terms); err != nil {
			return "", err
		}
	}
	return token, nil
}

// note marks the list for saving if it has changed.
func (a *accessList) note(changed bool) { a.changed = a.changed || changed }

// saveInterval is the least time between two saves, an operator's commands aside. A server that is
// killed loses the uses of the last second, so those players may join by their invitation once
// more.
const saveInterval = time.Second

// update saves the list if it has changed and was not saved for a while. It does not wait for the
// disk.
func (a *accessList) update(real time.Duration) {
	a.since += real
	a.report(a.settle(false))
	if !a.changed || a.since < saveInterval || a.writing != nil {
		return
	}
	a.since = 0
	a.begin()
}

// close saves changes that are not saved yet, also after an error: there may be room again.
func (a *accessList) close() {
	a.report(a.settle(true))
	if a.changed || a.unsaved {
		a.report(a.save())
	}
}

// report logs an error of saving once: it may come every second.
func (a *accessList) report(err error) {
	if err != nil && err.Error() != a.failed {
		a.failed = err.Error()
		a.log.Error("the access list has changed", "error", err)
	}
}

// save writes the file, and waits for it. With an error the file is unchanged, and the list holds
// all the same.
func (a *accessList) save() error {
	a.settle(true)
	a.begin()
	return a.settle(true)
}

// tryWrite is save before there is a change.
func (a *accessList) tryWrite() error {
	err := errors.Unwrap(a.save())
	a.unsaved = false
	return err
}

// begin starts a goroutine that writes the file, since the disk may be slow. One save at a time is
// under way.
func (a *accessList) begin() {
	a.changed, a.writing = false, make(chan error, 1)
	text, err := a.MarshalText()
	if err != nil || a.file == "" {
		a.next = a.last
		a.writing <- err
		return
	}
	a.next = text
	file, last, write, done := a.file, a.last, a.write, a.writing
	go func() { done <- replace(file, last, text, write) }()
}

// settle takes the outcome of the save that is under way, and waits for it if wait is set.
func (a *accessList) settle(wait bool) error {
	if a.writing == nil || !wait && len(a.writing) == 0 {
		return nil
	}
	err := <-a.writing
	a.writing = nil
	if a.unsaved = err != nil; err != nil {
		return fmt.Errorf("it holds until this server ends, and is forgotten then, since the access list cannot be saved: %w", err)
	}
	a.last, a.failed = a.next, ""
	return nil
}

// replace writes a file unless another program has changed the text that it had last.
func replace(file string, last, text []byte, write func(name string, text []byte) error) error {
	switch there, err := atomicfile.Read(file); {
	case err == nil && !bytes.Equal(there, last):
		return errChanged
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		// it is not the file that was read or written last
		return err
	}
	return write(file, text)
}
