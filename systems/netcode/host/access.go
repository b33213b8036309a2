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
	"github.com/tandem-ecs/tandem/systems/netcode/internal/atomicfile"
)

// accessList is the server's access list together with its file. Players with the server's own
// token and players with an invitation may join, unless they are banned.
type accessList struct {
	access.List
	token   string // the server's own
	log     *slog.Logger
	file    string        // empty: the list is lost at the end
	last    []byte        // the file's text when it was last read or written
	changed bool          // since the last save, or the last attempt
	unsaved bool          // a change could not be saved
	failed  string        // the error of that, as it was last logged
	since   time.Duration // real time since the last automatic save began

	// writing receives the result of the save under way; nil: there is none.
	writing chan error
	next    []byte                               // the text that the save writes
	write   func(name string, text []byte) error // atomicfile.Write; tests simulate other disks
	// clock is the calendar's time. Invitations end by it, and an operator may set it back.
	clock func() time.Time
}

// errChanged prevents a server from undoing the changes that another server with the same file, or
// an operator with an editor, has made.
var errChanged = errors.New("the file has been changed by another program or by hand; end this server, and start it again to go on with that")

// openAccess reads the file of Access, or the one in the folder of State. The file may be missing.
// If it cannot be written, that is logged now and not at the first ban.
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
		if err := a.tryWrite(); err != nil { // the file may be read-only on purpose
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

// authenticate verifies the token of a client that asks to join. It refuses a client that has
// neither the server's token nor an invitation, or is banned.
func (a *accessList) authenticate(c netcode.JoinRequest) error {
	err := a.Check(a.clock(), c.Addr, c.Token, c.ResumeID, c.Resumes)
	if errors.Is(err, access.ErrToken) && subtle.ConstantTimeCompare(c.Token, []byte(a.token)) == 1 {
		return nil
	}
	return err
}

// shared reports whether a token may belong to more than one player.
func (a *accessList) shared(token []byte) bool {
	return string(token) == a.token || a.Shared(token)
}

// invite makes a token with the conditions. It does not save the list.
func (a *accessList) invite(terms access.Invitation) (string, error) {
	token := newToken()
	if err := a.Add([]byte(token), terms); err != nil {
		a.Prune(a.clock()) // expired ones are kept only to name the reason for a refusal
		if err := a.Add([]byte(token), terms); err != nil {
			return "", err
		}
	}
	return token, nil
}

// note marks the list for saving if it has changed.
func (a *accessList) note(changed bool) { a.changed = a.changed || changed }

// saveInterval is the least time between two automatic saves; an operator's commands save at once.
// A server that is killed loses the uses of the last second, so those players may join by their
// invitation once more.
const saveInterval = time.Second

// update saves the list if it has changed and the last save was long enough ago. It does not wait
// for the disk.
func (a *accessList) update(real time.Duration) {
	a.since += real
	a.report(a.settle(false))
	if !a.changed || a.since < saveInterval || a.writing != nil {
		return
	}
	a.since = 0
	a.begin()
}

// close saves pending changes. It tries again after an error, since the disk may have room again.
func (a *accessList) close() {
	a.report(a.settle(true))
	if a.changed || a.unsaved {
		a.report(a.save())
	}
}

// report logs an error of saving once, since it may occur every second.
func (a *accessList) report(err error) {
	if err != nil && err.Error() != a.failed {
		a.failed = err.Error()
		a.log.Error("the access list has changed", "error", err)
	}
}

// save writes the file, and waits for it. On an error the file is unchanged, and the list stays in
// effect.
func (a *accessList) save() error {
	a.settle(true)
	a.begin()
	return a.settle(true)
}

// tryWrite is a save without a change, to test that the file can be written.
func (a *accessList) tryWrite() error {
	err := errors.Unwrap(a.save())
	a.unsaved = false
	return err
}

// begin starts a goroutine that writes the file, since the disk may be slow. At most one save is
// under way at a time.
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

// settle takes the result of the save under way. It waits for the result if wait is set.
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
		// The file is not the one that was last read or written.
		return err
	}
	return write(file, text)
}
