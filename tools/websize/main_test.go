package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func textOf(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A program far below its limit is estimated, one near it is measured, and one above it fails. One
// that has grown by more than 1 % fails unless another Go built it.
func TestChecks(t *testing.T) {
	dir := t.TempDir()
	file, name := filepath.Join(dir, "sizes.txt"), filepath.Join(dir, "arena.wasm")
	random := rand.New(rand.NewPCG(1, 2))
	write := func(words int) {
		t.Helper()
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "word%d ", random.IntN(500))
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func(version string, limit int) string {
		t.Helper()
		var out strings.Builder
		if err := run(file, version, false, []string{fmt.Sprint(name, "=", limit)}, &out); err != nil {
			return out.String() + "error: " + err.Error()
		}
		return out.String()
	}
	write(10000)
	if got := check("go1", 1e9); !strings.Contains(got, "no such file") {
		t.Errorf("without a record: %s", got)
	}
	var out strings.Builder
	if err := run(file, "go1", true, []string{name + "=1000000000"}, &out); err != nil {
		t.Fatal(err)
	}
	_, known, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	best := known["arena"].best
	if got := check("go1", best); !strings.Contains(got, "as recorded") {
		t.Errorf("the recorded program: %s", got)
	}
	write(10000) // another text of the same size
	best = packed(textOf(t, name), 11)
	for limit, want := range map[int]string{1e9: "about", best * 106 / 100: "about", best: "exactly", best - 1: "the limit is"} {
		if got := check("go1", limit); !strings.Contains(got, want) {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
	if err := run(file, "go1", true, []string{fmt.Sprint(name, "=", best-1)}, &out); err == nil {
		t.Error("a program above its limit is recorded")
	}
	write(10050)
	if got := check("go1", 1e9); strings.Contains(got, "error") {
		t.Errorf("half a percent more: %s", got)
	}
	write(10300)
	if got := check("go1", 1e9); !strings.Contains(got, "has grown") {
		t.Errorf("three percent more: %s", got)
	}
	if got := check("go2", 1e9); strings.Contains(got, "error") || !strings.Contains(got, "not checked") {
		t.Errorf("of another Go: %s", got)
	}
	if err := os.WriteFile(file, []byte("go1\narena 1 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := check("go1", 1e9); !strings.Contains(got, "no line of sizes") {
		t.Errorf("a damaged record: %s", got)
	}
}
