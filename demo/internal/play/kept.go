package play

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxKept is more than a full guest list takes: what is longer is another file, or a device without an end.
const maxKept = 16 << 20

// readKept reads a small file that a server keeps.
func readKept(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxKept+1))
	if err == nil && len(text) > maxKept {
		err = fmt.Errorf("it is longer than %d MiB, and no file that a server has written", maxKept>>20)
	}
	return text, err
}

// writeKept writes such a file, whole or not at all, also if the disk is full or the machine loses its power. Nobody else may read it.
func writeKept(name string, text []byte) error {
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
	if folder, err := os.Open(filepath.Dir(name)); err == nil { // so that the new name outlasts a loss of power, too; some systems cannot
		_ = folder.Sync()
		_ = folder.Close()
	}
	return nil
}
