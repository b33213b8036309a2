// Package atomicfile reads and writes the small files that a server keeps: whole or not at all.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// MaxSize is the longest file in bytes that Read takes, more than a full access list. A longer one
// is another file, or a device without an end.
const MaxSize = 16 << 20

// Read returns a file's contents. Errors: those of opening and reading, and a file above MaxSize.
func Read(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err == nil && len(text) > MaxSize {
		err = fmt.Errorf("it is longer than %d MiB, and no file that a server has written", MaxSize>>20)
	}
	return text, err
}

// Write replaces a file, or the target of a link, also where the disk is full or the machine loses
// power: it then has the old contents or the new ones. Only the owner may read the file.
func Write(name string, text []byte) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	// The new name outlasts a loss of power, too; some systems cannot do this.
	if folder, err := os.Open(filepath.Dir(name)); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
	return nil
}
