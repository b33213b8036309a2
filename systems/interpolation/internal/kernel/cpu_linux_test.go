//go:build amd64 && !purego

package kernel

import (
	"os"
	"regexp"
	"testing"
)

// Linux lists avx2 and the flags of AVX-512 only where it also keeps the registers.
func TestDetection(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	listed := func(flag string) bool { return regexp.MustCompile(`(?m)^flags\s*:.*\b` + flag + `\b`).Match(info) }
	if want := listed("avx2") && listed("popcnt"); hasAVX2 != want {
		t.Errorf("AVX2 detected: %v, the system says %v", hasAVX2, want)
	}
	if want := listed("avx512f") && listed("avx512vl") && listed("avx512_vbmi2"); hasAVX512 != want {
		t.Errorf("AVX-512 detected: %v, the system says %v", hasAVX512, want)
	}
}
