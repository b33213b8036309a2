package store

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// errSharing is ERROR_SHARING_VIOLATION.
const errSharing syscall.Errno = 32

// openLocked opens the file without sharing it, which no second process can do.
func openLocked(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharing) {
		return nil, ErrLocked
	} else if err != nil {
		return nil, fmt.Errorf("store: cannot lock %s: %w", name, err)
	}
	return os.NewFile(uintptr(h), name), nil
}
