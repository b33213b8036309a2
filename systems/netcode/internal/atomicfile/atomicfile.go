// Package atomicfile reads and writes the small files that a server keeps. A write either replaces
// the whole file or leaves it unchanged.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// MaxSize is the size in bytes of the largest file that Read accepts. It is more than a full access
// list. A larger file is the wrong one, or a device without an end.
const MaxSize = 16 << 20

// Read returns a file's contents. It returns the errors of opening and reading, and an error for a
// file above MaxSize.
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

// Write replaces a file, or the target of a link. If the disk is full or the machine loses power,
// the file has either the old contents or the new ones. Only the owner may read the file.
func Write(name string, text []byte) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	_ = os.Remove(name + ".new") // of a program that ended while it wrote
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
		return errors.Join(err, os.Remove(f.Name()))
	}
	// The sync makes the new name survive a loss of power, too; some systems cannot do this.
	if folder, err := os.Open(filepath.Dir(name)); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
	return nil
}
