package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked is the error of Lock while another process has the lock.
var ErrLocked = errors.New("store: another process runs from this folder: stop it, or give each zone a folder of its own")

const lockName = "zone.lock"

// Lock locks a folder on a local disk, not on a shared one, and makes it where it is missing. While
// a process has the lock, no other process of the same instance runs. The system releases the lock
// when the process ends, however it ends. The instance is the same at each call on this machine; a
// copy of the folder on another machine is another instance. The error is ErrLocked while another
// process has the lock.
func Lock(dir string) (instance string, release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("store: the folder of a zone: %w", err)
	}
	f, err := openLocked(filepath.Join(dir, lockName))
	if err != nil {
		return "", nil, err
	}
	id, err := identity(f)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("store: %s: %w", f.Name(), err), f.Close())
	}
	// Names of machines are not secrets, and are hashed only to be short.
	host, _ := os.Hostname()
	machine, _ := os.ReadFile("/etc/machine-id")
	sum := sha256.Sum256([]byte(id + "\n" + host + "\n" + string(machine)))
	return hex.EncodeToString(sum[:16]), func() { _ = f.Close() }, nil
}

// identity reads the text that makes the folder unique, or writes one. A write that a loss of power
// has cut off leads to a new one.
func identity(f *os.File) (string, error) {
	text, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil {
		return "", err
	}
	if id, whole := strings.CutSuffix(string(text), "\n"); whole && len(id) == len(rand.Text()) {
		return id, nil
	}
	id := rand.Text()
	if err := f.Truncate(0); err != nil {
		return "", err
	}
	if _, err := f.WriteAt([]byte(id+"\n"), 0); err != nil {
		return "", err
	}
	return id, f.Sync()
}
