//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package store

import (
	"fmt"
	"os"
	"runtime"
)

func openLocked(name string) (*os.File, error) {
	return nil, fmt.Errorf("store: %s has no lock that ends with its process, so %s cannot be used: run zones on Linux, BSD, macOS or Windows", runtime.GOOS, name)
}
