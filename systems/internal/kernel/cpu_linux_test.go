//go:build amd64 && !purego

package kernel

import (
	"os"
	"regexp"
	"testing"
)

// Linux lists avx2 only where it also keeps the registers.
func TestDetection(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	if want := regexp.MustCompile(`(?m)^flags\s*:.*\bavx2\b`).Match(info); hasAVX2 != want {
		t.Errorf("AVX2 detected: %v, the system says %v", hasAVX2, want)
	}
}
