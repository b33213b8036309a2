//go:build !cgo && !js

package window

import (
	"errors"
	"strings"
	"testing"
)

func TestWithoutCgo(t *testing.T) {
	w, err := Open(Config{})
	if w != nil || !errors.Is(err, ErrNoDisplay) || !strings.Contains(err.Error(), "CGO_ENABLED=1") {
		t.Errorf("without cgo Open returns %v, %v", w, err)
	}
}
