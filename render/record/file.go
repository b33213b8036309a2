package record

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// pendingFile is a file that gets its name only when it is complete.
type pendingFile struct {
	*os.File
	path string
	done bool
}

// create opens a new file next to path.
func create(path string) (*pendingFile, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("record: %s is a folder: give the name of a file", path)
	}
	dir, base := filepath.Split(path)
	// Unlike os.CreateTemp, this leaves the permissions to the user's umask. The finished file
	// keeps them.
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf(".%s.%x.part", base, rand.Uint64())), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		var cause *fs.PathError // names a file that the user does not know
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return nil, fmt.Errorf("record: cannot write %s: %w: give a file in a folder that exists and that you may write to", path, err)
	}
	return &pendingFile{File: f, path: path}, nil
}

// commit gives the file its name.
func (f *pendingFile) commit() error {
	f.done = true
	name := f.Name()
	err := f.Close()
	if err == nil {
		err = os.Rename(name, f.path)
	}
	if err != nil {
		os.Remove(name)
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// discard removes the file if it has not got its name.
func (f *pendingFile) discard() {
	if !f.done {
		f.done = true
		f.Close()
		os.Remove(f.Name())
	}
}
