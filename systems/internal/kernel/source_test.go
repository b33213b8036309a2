package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// After an AVX routine that leaves the upper halves of the registers dirty, ordinary floating-point code runs several times slower until somebody
// clears them. So every return of a routine that uses YMM or ZMM registers follows a VZEROUPPER.
func TestEveryReturnClearsTheUpperHalves(t *testing.T) {
	files, err := filepath.Glob("*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly found: %v", err)
	}
	wide := regexp.MustCompile(`\b[YZ]\d+\b|^\s*[A-Z_]+(\(.*\))?$`) // a register, or a macro that uses some
	returns := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, routine := range strings.Split(string(source), "\nTEXT ")[1:] {
			name := strings.TrimSpace(routine[:strings.IndexByte(routine, '(')])
			before, dirty := "", false
			for line := range strings.Lines(routine) {
				line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
				line = strings.TrimSpace(line)
				switch {
				case line == "" || strings.HasPrefix(line, "#") || strings.HasSuffix(line, "\\"):
					continue
				case line == "RET":
					returns++
					if dirty && before != "VZEROUPPER" {
						t.Errorf("%s: %s returns after %q, not after VZEROUPPER", file, name, before)
					}
				case wide.MatchString(line) && line != "VZEROUPPER" && line != "CPUID" && line != "XGETBV":
					dirty = true
				}
				before = line
			}
		}
	}
	if returns < 10 {
		t.Errorf("only %d returns found in %v", returns, files)
	}
}
