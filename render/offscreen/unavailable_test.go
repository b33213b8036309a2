//go:build !cgo || !linux

package offscreen

import (
	"errors"
	"strings"
	"testing"
)

func TestWithoutCgo(t *testing.T) {
	s, err := New(Config{})
	if s != nil || !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "CGO_ENABLED=1") {
		t.Errorf("without cgo New returns %v, %v", s, err)
	}
}
